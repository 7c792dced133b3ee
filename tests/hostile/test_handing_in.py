"""Names and zips that a student makes up: what they call their files makes them nobody else."""

import io
import time
import zipfile
from pathlib import Path

from autograder import inbox
from tests.hostile.cases import NAME, written

SOLVED, BLANK = written([], "solved"), written([], "blank")


def put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def test_a_file_called_as_an_lms_would_is_still_its_owners(tmp_path: Path) -> None:
    put(tmp_path / "ada" / NAME / f"{NAME}.ipynb", SOLVED)
    put(tmp_path / "mallory" / NAME / f"{NAME}.ipynb", SOLVED)
    put(tmp_path / "mallory" / f"ada_1_2_{NAME}.ipynb", BLANK)
    put(tmp_path / "mallory" / "zoe_1_assignsubmission_file_" / f"{NAME}.ipynb", BLANK)
    box = inbox.read(tmp_path, [NAME])
    assert [handed.student for handed in box.handed] == ["ada", "mallory"]
    assert {stray.student for stray in box.strays} == {"mallory"}


def test_a_zip_of_many_notebooks_is_not_unpacked_once_for_each(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as made:
        made.writestr("more", bytes(20 << 20))
        for n in range(1000):
            made.writestr(f"{n}.ipynb", BLANK[:-1] + b" " * n + b"}")
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as made:
        made.writestr("Mallory_2_assignsubmission_file_/work.zip", inner.getvalue())
        made.writestr(f"Ada_1_assignsubmission_file_/{NAME}.ipynb", SOLVED)
    began = time.monotonic()
    box = inbox.read(tmp_path / "class.zip", [NAME])
    assert [handed.student for handed in box.handed] == ["Ada", "Mallory"]
    assert time.monotonic() - began < 20
