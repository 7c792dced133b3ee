"""nbgrader's settings of one class, read from the file that nbgrader's own commands read."""

import contextlib
from pathlib import Path

from traitlets.config import Config, PyFileConfigLoader

from autograder.course import SETTINGS_FILE, configure
from autograder.files import atomic_write, folder
from autograder.gradebook.store.database import named

NAME = "nbgrader_config.py"


def settings(out: Path, db_url: str | None = None) -> Config:
    """Return the settings in DIR/nbgrader_config.py, which names the database; if it is missing, make it."""
    folder(out)
    path = out / NAME
    if not path.exists():
        line = f"\nget_config().CourseDirectory.db_url = {db_url!r}  # noqa: F821\n" if db_url else ""
        atomic_write(path, (SETTINGS_FILE + line).encode("utf-8"), 0o600 if db_url else 0o644)
    config = configure(Config(), out)
    try:
        with contextlib.chdir(out):  # nbgrader's commands run there, and settings may look there for their plugins
            config.merge(PyFileConfigLoader(NAME, path=str(out)).load_config())
    except Exception as error:  # whatever a teacher's own lines raise
        raise ValueError(f"{path} cannot be read: {type(error).__name__}: {error}") from error
    in_file = config.CourseDirectory.get("db_url")
    if db_url and in_file != db_url:
        raise ValueError(
            f"{path} names the database {named(in_file) if in_file else 'gradebook.db'}, --db names {named(db_url)}. "
            "nbgrader's own commands read that file: change it there, or grade into another folder (--out DIR)."
        )
    return config
