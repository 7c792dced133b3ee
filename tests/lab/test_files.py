"""Files are written whole or not at all: a writer that is killed in the middle leaves the old file as it was."""

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder import files
from lab.files import aside, atomic_write

OLD, LARGE = b"old", 100_000
WRITERS = {
    "lab": "from lab.files import atomic_write as write; content = bytes(LARGE)",
    "autograder": "from autograder.files import atomic_write as write; content = bytes(LARGE)",
    "release": "from autograder.release.manifest import write; content = bytes(LARGE)",
    "once": "from autograder.files import write_once as write; content = bytes(LARGE)",
    "checkpoint": "from lab.train.checkpoints import save as write; import torch; content = {'a': torch.zeros(LARGE)}",
    "result": "from lab.evaluation.result_files import write_json as write; content = 'a' * LARGE",
}
KILLED = """
import resource, signal, sys
from pathlib import Path
LARGE = {large}
{writer}
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # the kernel kills anyone who writes past the limit
resource.setrlimit(resource.RLIMIT_FSIZE, (LARGE // 2, LARGE // 2))
write(Path(sys.argv[1]), content)
"""


def parts(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.name != "kept")


@pytest.mark.parametrize("writer", WRITERS)
def test_a_writer_killed_in_the_middle_leaves_the_old_file_whole(tmp_path: Path, writer: str) -> None:
    path = tmp_path / "kept"
    if writer != "once":  # it writes only where there is no file
        path.write_bytes(OLD)
    code = KILLED.format(large=LARGE, writer=WRITERS[writer])
    killed = subprocess.run([sys.executable, "-c", code, path], capture_output=True)
    assert killed.returncode == -signal.SIGXFSZ, killed.stderr.decode()
    assert path.read_bytes() == OLD if writer != "once" else not path.exists()
    [left] = parts(tmp_path)
    assert left.stat().st_size < LARGE
    assert left.name.startswith(".kept.")
    assert left.suffix == ".part"
    assert writer not in ("autograder", "once") or stat.S_IMODE(left.stat().st_mode) == 0o600
    atomic_write(path, b"new")
    assert parts(tmp_path) == [left]  # so young, somebody may still be writing it
    os.utime(left, (0, 0))
    atomic_write(path, b"new")
    assert parts(tmp_path) == []


def stopped(path: Path, write: Callable[[Path], object]) -> None:
    with aside(path) as part:
        write(part)
        raise KeyboardInterrupt


def test_after_an_error_the_old_file_is_there_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    path.write_bytes(OLD)
    for write in (lambda part: part.write_bytes(b"half"), lambda part: (part / "below").mkdir(parents=True)):
        with pytest.raises(KeyboardInterrupt):
            stopped(path, write)
    assert path.read_bytes() == OLD
    assert parts(tmp_path) == []


def test_a_folder_comes_whole_and_leaves_one_that_is_there(tmp_path: Path) -> None:
    for _ in range(2):
        try:
            with aside(tmp_path / "kept") as part:
                part.mkdir()
                (part / "a").write_text("a", encoding="utf-8")
        except OSError:
            pass
        assert [path.name for path in (tmp_path / "kept").iterdir()] == ["a"]
        assert parts(tmp_path) == []


def test_a_link_is_replaced_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    (tmp_path / "theirs").write_bytes(OLD)
    for write in (atomic_write, files.atomic_write):
        (tmp_path / "kept").unlink(missing_ok=True)
        (tmp_path / "kept").symlink_to(tmp_path / "theirs")
        write(tmp_path / "kept", b"new")
        assert not (tmp_path / "kept").is_symlink()
        assert (tmp_path / "theirs").read_bytes() == OLD


def test_what_is_written_once_stays(tmp_path: Path) -> None:
    for content in (b"first", b"second"):
        files.write_once(tmp_path / "kept", content)
        assert (tmp_path / "kept").read_bytes() == b"first"
        assert stat.S_IMODE((tmp_path / "kept").stat().st_mode) == 0o600
        assert parts(tmp_path) == []
