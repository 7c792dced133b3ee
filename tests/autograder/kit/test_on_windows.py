"""The kit where Windows differs: encodings of console and files, line ends, names. Simulated: nobody has one here."""

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path, PureWindowsPath

import nbformat
import pytest

from tests.autograder.kit.test_student_runs import AS_A_STUDENT, WITHOUT
from tests.support.student import OURS, unzipped

# A console of Western Europe, text files that are written with CRLF, and a complaint for each file that is read or
# written in the console's encoding: on a Windows in another country it would be another one.
WINDOWS = {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0", "PYTHONWARNDEFAULTENCODING": "1"}
CRLF = """
import builtins, io, sys
plain = io.open
def opened(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, *more, **named):
    if "b" not in mode:
        if encoding is None and not sys.flags.utf8_mode:
            io.text_encoding(None, 3)  # which complains
            encoding = "cp1252"
        if newline is None and mode[:1] in "wax":
            newline = "\\r\\n"
    return plain(file, mode, buffering, encoding, errors, newline, *more, **named)
io.open = builtins.open = opened
"""
RESERVED = {"con", "prn", "aux", "nul", *(f"{kind}{number}" for kind in ("com", "lpt") for number in range(1, 10))}
LONGEST = 200  # of a path in kit.zip: Windows takes 260 characters, and people's folders take some


@pytest.fixture(scope="module")
def home(released: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unzipped(released.parent, tmp_path_factory.mktemp("José's files"))


def typed(folder: Path, *words: str, status: int = 0) -> str:
    """Run Python as on such a Windows; return what the console shows."""
    clean = {key: value for key, value in os.environ.items() if key not in OURS}
    done = subprocess.run([sys.executable, *words], cwd=folder, env=clean | WINDOWS, capture_output=True, check=False)
    shown, complaints = done.stdout.decode("cp1252"), done.stderr.decode("cp1252")
    assert done.returncode == status, complaints[-2000:]
    ours = [line for line in complaints.splitlines() if "EncodingWarning" in line and str(folder) in line]
    assert ours == []
    return shown


def test_all_commands_of_a_day_without_what_windows_lacks(home: Path, tmp_path: Path) -> None:
    script = tmp_path / "student.py"
    script.write_text(f"WITHOUT = {CRLF + WITHOUT!r}\n{CRLF}{WITHOUT}{AS_A_STUDENT}", "utf-8")
    shown = typed(home, str(script))
    assert "work" in shown
    assert "0 of 61 points; up to 5 by your teacher." in shown
    assert not re.search(r"Error|Traceback", shown)


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_notebook_saved_with_crlf_gets_what_it_gets_with_lf(home: Path, released: Path, ends: str) -> None:
    """In the file's own lines, and in those of cells, as editors of Windows leave them."""
    notebook = nbformat.read(released.parent / "source" / "bahdanau" / "bahdanau.ipynb", as_version=4)
    for cell in notebook.cells:
        cell.source = cell.source.replace("\n", ends)
    place = home / "work" / f"ends-{len(ends)}" / "bahdanau.ipynb"
    place.parent.mkdir(parents=True)
    place.write_bytes(json.dumps(notebook, indent=1, ensure_ascii=False).replace("\n", ends).encode("utf-8"))
    line = json.loads(typed(home, "kit/check.py", "--json", str(place.relative_to(home))).splitlines()[-1])
    assert (line["score"], line["max_score"]) == (59 + 18, 61), line


def test_a_path_that_is_none_is_said_on_a_console_without_its_letters(home: Path) -> None:
    assert typed(home, "kit/check.py", "work\\…\\bahdanau.ipynb", status=2) == ""


def test_every_name_in_kit_zip_is_one_that_windows_takes(released: Path) -> None:
    with zipfile.ZipFile(released / "kit.zip") as archive:
        names = archive.namelist()
    parts = {part for name in names for part in name.split("/")}
    assert [part for part in parts if re.search(r'[<>:"|?*\\\x00-\x1f]|[. ]$', part)] == []
    assert [part for part in parts if part.partition(".")[0].lower() in RESERVED] == []
    assert [name for name in names if len(str(PureWindowsPath(name))) > LONGEST] == []
    assert len({name.lower() for name in names}) == len(names)
