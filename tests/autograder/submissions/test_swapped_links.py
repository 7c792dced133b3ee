"""A folder that students can write to: what is swapped for a link to a peer's work is never read as theirs."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from autograder.course import content, timestamp
from autograder.submissions import collect
from autograder.submissions.notebook import LINK, Unreadable
from tests.autograder.submissions.test_collect import KNOWN, lay, notebook

ROUNDS = 300
MINE, THEIRS = notebook("bahdanau", "eve's own"), notebook("bahdanau", "the peer's")
STAMP, SECRET = b"2026-11-21 12:00:00 UTC\n", b"the peer's secret"


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """Return a folder in which eve's work lies beside a peer's."""
    folder = lay(tmp_path / "in", {"eve/bahdanau/bahdanau.ipynb": MINE, "peer/bahdanau/bahdanau.ipynb": THEIRS})
    lay(
        folder,
        {"eve/bahdanau/timestamp.txt": b"1999-01-01 00:00:00 UTC", "eve/bahdanau/submission_secret.txt": b"mine"},
    )
    lay(folder, {"peer/bahdanau/timestamp.txt": STAMP, "peer/bahdanau/submission_secret.txt": SECRET})
    lay(folder, {"fay/my/work/x.ipynb": MINE, "peer/work/x.ipynb": THEIRS})
    return folder


def swap(folder: Path, mine: str, theirs: str) -> None:
    (folder / mine).rename(folder.parent / "aside")
    (folder / mine).symlink_to(folder / theirs)


SWAPS = [
    ("eve", "eve", "peer"),
    ("eve", "eve/bahdanau", "peer/bahdanau"),
    ("eve", "eve/bahdanau/bahdanau.ipynb", "peer/bahdanau/bahdanau.ipynb"),
    ("fay", "fay/my", "peer"),
    ("fay", "fay/my/work", "peer/work"),
]


@pytest.mark.parametrize(("student", "mine", "theirs"), SWAPS)
def test_a_folder_swapped_for_a_link_after_it_was_listed_is_not_read(
    shared: Path, student: str, mine: str, theirs: str
) -> None:
    [submission] = [each for each in collect.read(shared, KNOWN).submissions if each.student == student]
    swap(shared, mine, theirs)
    reason = LINK if mine.endswith(".ipynb") else "a folder on the way to it is a symbolic link"
    with pytest.raises(Unreadable, match=reason):
        submission.content()
    if mine in ("eve", "eve/bahdanau"):
        assert submission.timestamp() == b""


@contextmanager
def swapping(mine: Path, theirs: Path) -> Iterator[None]:
    """Swap a folder for a link and back, over and over, in another thread."""
    done, aside = threading.Event(), mine.with_name(f"{mine.name}-aside")

    def run() -> None:
        while not done.is_set():
            mine.rename(aside)
            mine.symlink_to(theirs)
            mine.unlink()
            aside.rename(mine)
            time.sleep(0.0002)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def handed_in(shared: Path) -> Iterator[bytes]:
    for each in collect.read(shared, KNOWN).submissions:
        if each.student == "eve":
            yield each.timestamp() or b""
            with suppress(Unreadable):
                yield each.content()


def by_nbgrader(shared: Path) -> Iterator[bytes]:
    yield str(timestamp(shared / "eve/bahdanau")).encode()
    for name in ("bahdanau.ipynb", "submission_secret.txt"):
        with suppress(Unreadable):
            yield content(shared / "eve/bahdanau" / name)


@pytest.mark.parametrize("reads", [handed_in, by_nbgrader])
@pytest.mark.parametrize("part", ["", "bahdanau"])
def test_a_race_with_a_link_is_never_won(shared: Path, reads: Callable[[Path], Iterator[bytes]], part: str) -> None:
    peers = {THEIRS, STAMP, SECRET, b"2026-11-21 12:00:00"}
    came: list[Any] = []
    with swapping(shared / "eve" / part, shared / "peer" / part):
        for _ in range(ROUNDS):
            came += reads(shared)
    assert {MINE, b"mine"} & set(reads(shared))
    assert [one for one in came if one in peers or any(peer in one for peer in (THEIRS, SECRET))] == []
