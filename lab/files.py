"""Files and folders that are written whole or not at all."""

import atexit
import glob
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ABANDONED = 3600.0  # seconds after its last change in which a part is taken for a killed writer's


@contextmanager
def aside(path: Path, once: bool = False) -> Iterator[Path]:
    """Yield a new name beside `path` for a file or a folder, which takes the place of `path` if no error is raised.

    A reader of `path`, or another writer, never meets a half of it. A killed writer leaves a part called
    .NAME.XXXXXXXX.part; the next writer removes it, once it is an hour old. A folder replaces only an empty one: over
    another, it is an OSError. With `once` a file that is there already stays: a FileExistsError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    for left in path.parent.glob(f".{glob.escape(path.name)}.*.part"):
        with suppress(FileNotFoundError):  # somebody else removed it
            if time.time() - left.lstat().st_mtime > ABANDONED:
                _remove(left)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        yield part
        if once:
            path.hardlink_to(part)
        else:
            part.replace(path)
    finally:
        _remove(part)


def atomic_write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    with aside(path) as part:
        part.write_bytes(content)


def scratch() -> Path:
    """Return a new folder that goes when the program ends."""
    folder = Path(tempfile.mkdtemp(prefix="attention-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _remove(part: Path) -> None:
    """Remove a file or a folder, if it is there and that is allowed."""
    with suppress(OSError):
        if part.is_dir() and not part.is_symlink():
            shutil.rmtree(part)
        else:
            part.unlink()
