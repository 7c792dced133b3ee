"""What would cost half of the time here: the shapes of each call, and waiting for the disk at each commit."""

import sqlite3
from collections.abc import Iterator

import pytest
from jaxtyping import config
from sqlalchemy import Engine, event


@event.listens_for(Engine, "connect")
def _unsynchronised(connection: object, _: object) -> None:
    """Let SQLite leave the writing to the system: no test cuts the power."""
    if isinstance(connection, sqlite3.Connection):
        connection.execute("PRAGMA synchronous=OFF")


@pytest.fixture(scope="module", autouse=True)
def _unchecked_shapes() -> Iterator[None]:
    """Call the taught functions as students do, without a look at the shapes of each argument."""
    config.update("jaxtyping_disable", True)
    yield
    config.update("jaxtyping_disable", False)
