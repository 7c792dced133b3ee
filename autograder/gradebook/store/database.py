"""The database behind nbgrader's gradebook, SQLite or a server: creating it, opening it, errors in one line."""

import contextlib
import logging
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from alembic.script import ScriptDirectory
from nbgrader import api
from nbgrader.api import Base, Course, Gradebook
from sqlalchemy import Connection, Engine, create_engine, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, NoSuchModuleError, SQLAlchemyError

from autograder.files import PRIVATE, is_full, made, tighten

WAIT_SECONDS = 30.0  # seconds that SQLite waits for another program's write, or a server for a connection
ERROR_MESSAGES = {  # part of a database's message → its meaning and the advice
    "readonly": "may not be written. Check the permissions of the file and of its folder",
    "read-only": "may not be written. Give the grader's account the right to write",
    "unable to open": "cannot be opened. Check the permissions of the file and of its folder",
    "locked": f"is held by another program for more than {WAIT_SECONDS:g} s. Close that program and run again",
    "disk is full": "has no room left on its disk. Make room and run again",
    "disk I/O": "cannot be read or written: the disk reports an error",
    "not a database": "is not a database. Put back a copy of it, or grade into another folder",
    "malformed": "is damaged. Put back a copy of it, or grade into another folder",
}


class NoGradebook(RuntimeError):
    """The gradebook as a whole cannot be used; the message says why. All records stay."""


@cache
def newest_layout() -> str:
    """Return the newest version of nbgrader's tables; nbgrader's own program for it takes two seconds."""
    return str(ScriptDirectory(str(Path(api.__file__).parent / "alembic")).get_current_head())


@cache
def engine(db_url: str, **_: Any) -> Engine:
    """Return this process's engine for a database, which caches compiled queries; raise NoGradebook for a wrong URL."""
    try:
        url = make_url(db_url)
        if url.get_backend_name() == "sqlite":
            made = create_engine(url, connect_args={"timeout": WAIT_SECONDS})
        else:
            # A server may have gone away and come back between two submissions: each transaction begins with a ping.
            timeout = {"connect_timeout": int(WAIT_SECONDS)} if url.get_backend_name() == "postgresql" else {}
            made = create_engine(url, pool_pre_ping=True, connect_args=timeout)
    except (SQLAlchemyError, ImportError, ValueError) as error:
        message = str(error).partition("\n")[0]
        what = "a database that SQLAlchemy knows" if isinstance(error, NoSuchModuleError) else "its URL"
        raise NoGradebook(
            f"The gradebook cannot be opened: expected {what}, such as postgresql://USER@HOST/NAME. {message}"
        ) from None
    return made


# nbgrader opens its database some nine times a notebook, each time with an engine that must compile every query anew.
api.get_alembic_version = newest_layout
api.create_engine = engine


def named(db_url: str) -> str:
    """Return a database's name for messages: the file, or the URL without its password."""
    url = make_url(db_url)
    is_file = url.get_backend_name() == "sqlite" and url.database
    return str(url.database) if is_file else url.render_as_string(hide_password=True)


def opened(db_url: str, course_id: str, mode: int = PRIVATE) -> Gradebook:
    """Return nbgrader's gradebook; make a missing one, and refuse one of another version before touching it."""
    with one_line_errors(db_url):
        _keep_private(engine(db_url).url, mode)
        with engine(db_url).begin() as connection:
            _prepare(connection, named(db_url))
        gradebook = Gradebook(db_url, course_id)
        # nbgrader leaves out the course without a name, to which its assignments point: a server refuses that.
        if gradebook.db.get(Course, course_id) is None:
            gradebook.db.add(Course(id=course_id))
            gradebook.db.commit()
        gradebook.db.remove()
    return gradebook


def _keep_private(url: URL, mode: int) -> None:
    """Give SQLite's file, its journal and nbgrader's copies these permissions at most."""
    if url.get_backend_name() != "sqlite" or not url.database or url.database.startswith((":", "file:")):
        return
    path = Path(url.database)
    with contextlib.suppress(OSError):  # a problem is reported when it is opened
        if not path.exists():
            made(path, mode)  # SQLite itself would let everybody read it; an empty file is an empty database
        for each in path.parent.iterdir():
            if each.is_file() and each.name.startswith(path.name):
                tighten(each, mode)


def _prepare(connection: Connection, name: str) -> None:
    """Make the missing ones of nbgrader's tables: a killed run may have left a part."""
    names = set(inspect(connection).get_table_names())
    ours = set(Base.metadata.tables)
    versions = connection.execute(text("SELECT version_num FROM alembic_version")) if "alembic_version" in names else []
    version = next((row[0] for row in versions), None)
    if version is None and "assignment" in names and connection.execute(text("SELECT 1 FROM assignment")).first():
        version = "none"
    if version not in (None, newest_layout()):
        raise NoGradebook(
            f"The gradebook {name} was made by another version of nbgrader: its layout is '{version}', expected "
            f"'{newest_layout()}'. Keep a copy of it, then run `nbgrader db upgrade` in its folder."
        )
    if version is None and names - ours - {"alembic_version"}:
        raise NoGradebook(f"The database {name} holds something other than a gradebook. Name an empty database.")
    if ours - names or version is None:
        if connection.dialect.name == "sqlite":  # all of it or nothing, and written to the disk once
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        Base.metadata.create_all(bind=connection)
        connection.execute(text("CREATE TABLE IF NOT EXISTS alembic_version (version_num VARCHAR(32) NOT NULL)"))
    if version is None:
        connection.execute(text("INSERT INTO alembic_version (version_num) VALUES (:head)"), {"head": newest_layout()})


@contextlib.contextmanager
def one_line_errors(db_url: str) -> Iterator[None]:
    """Turn errors of the database or the disk into NoGradebook with a message of one line."""
    try:
        yield
    except (DataError, IntegrityError):  # about rows, not about the database
        raise
    except DBAPIError as error:
        message = " ".join(str(error.orig).split())
        meaning = next(
            (meaning for sign, meaning in ERROR_MESSAGES.items() if sign in message), f"does not answer: {message}"
        )
        raise NoGradebook(f"The gradebook {named(db_url)} {meaning.rstrip('.')}.") from error
    except OSError as error:
        if not is_full(error):
            raise
        place = f", {error.filename}" if error.filename else ""
        raise NoGradebook(
            f"The class's folder cannot be written{place}: {error.strerror}. Make room there and run the same command "
            "again: it continues where it stopped."
        ) from error


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """nbgrader 0.9 with SQLAlchemy 2.0 and nbformat 5 warns about its own code, several times a notebook."""
    level = logging.getLogger("traitlets").level
    logging.getLogger("traitlets").setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.getLogger("traitlets").setLevel(level)
