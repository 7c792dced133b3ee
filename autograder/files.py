"""Files and folders with grades: written whole or not at all, and readable by their owner alone."""

import contextlib
import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from lab.files import aside

# Names and marks are for their owner, or for a group of teachers where nbgrader's `groupshared` is set.
PRIVATE, SHARED = 0o600, 0o660
PRIVATE_FOLDER, SHARED_FOLDER = 0o700, 0o2770
LOCK = ".grade.lock"
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)  # errors of the disk, not of one file


def is_full(error: BaseException | None) -> bool:
    """Return whether an error, or one of its causes, is a full or read-only disk."""
    return error is not None and ((isinstance(error, OSError) and error.errno in FULL) or is_full(error.__cause__))


def atomic_write(path: Path, content: bytes, mode: int = PRIVATE) -> None:
    """Write a file whole or not at all; until it is whole, its owner alone can read it."""
    with prepared(path, content, mode):
        pass


@contextlib.contextmanager
def prepared(path: Path, content: bytes, mode: int = PRIVATE) -> Iterator[None]:
    """Write a file like `atomic_write`, but put it in place at the end of the block, if no error is raised."""
    folder(path.parent, SHARED_FOLDER if mode == SHARED else PRIVATE_FOLDER)
    with aside(path) as part:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE), "wb") as file:
            file.write(content)
        part.chmod(mode)
        hand_over(part)
        yield


def write_once(path: Path, content: bytes) -> None:
    """Write a file for its owner alone, whole, if there is none; of several processes the first one's stays."""
    with contextlib.suppress(FileExistsError), aside(path, once=True) as part:
        part.touch(PRIVATE)
        part.write_bytes(content)


def made(path: Path, mode: int) -> None:
    """Make an empty file, if there is none."""
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE))
        path.chmod(mode)
        hand_over(path)


def folder(path: Path, mode: int = PRIVATE_FOLDER) -> None:
    """Make a folder that only its owner can enter, with those above it; leave an existing one as it is."""
    missing = [place for place in (path, *path.parents) if not place.exists()]
    path.mkdir(parents=True, exist_ok=True)
    for place in reversed(missing):
        place.chmod(mode)
        hand_over(place)


def hand_over(path: Path) -> None:
    """Where root works in somebody's folder, give them the files written there: they could not read them otherwise."""
    if os.geteuid() == 0:
        above = path.parent.stat()
        if above.st_uid != 0:
            os.chown(path, above.st_uid, above.st_gid, follow_symlinks=False)


def tighten(path: Path, mode: int) -> None:
    """Take all permissions for a file or folder of ours from others, and from the group unless the mode is shared."""
    taken = 0o007 if mode == SHARED else 0o077
    with contextlib.suppress(OSError):
        about = path.lstat()
        if not stat.S_ISLNK(about.st_mode) and about.st_mode & taken and os.geteuid() in (0, about.st_uid):
            path.chmod(stat.S_IMODE(about.st_mode) & ~taken)


def is_worked_on(out: Path) -> bool:
    """Return whether a run holds the folder's lock."""
    try:
        with (out / LOCK).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # no run has been here, or this is not ours to read
        pass
    return False


@contextlib.contextmanager
def exclusive(out: Path) -> Iterator[None]:
    """Lock the folder against other runs, as long as the process lives; raise ValueError where another run holds it."""
    folder(out)
    with (out / LOCK).open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip() or "unknown"
            raise ValueError(
                f"Another run (process {holder}) is grading into {out}. Wait until it ends, or give another --out DIR."
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield
