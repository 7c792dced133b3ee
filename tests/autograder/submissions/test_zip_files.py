"""What an LMS hands over: Moodle's and Canvas's names, zips in zips, and zips that mean harm."""

import io
import re
import stat
import struct
import zipfile
from pathlib import Path

import pytest

from autograder.submissions import collect, zip_files
from autograder.submissions.files import Inbox
from autograder.submissions.notebook import LINK
from tests.autograder.submissions.test_collect import KNOWN, lay, notebook, taken

MOODLE = "assignsubmission_file_"


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as opened:
        for name, content in files.items():
            opened.writestr(name, content)
    return file.getvalue()


def read(folder: Path, files: dict[str, bytes] | bytes) -> Inbox:
    path = folder / "submissions.zip"
    path.write_bytes(files if isinstance(files, bytes) else zipped(files))
    before = sorted(folder.parent.rglob("*"))
    box = collect.read(path, KNOWN)
    taken(box)
    assert sorted(folder.parent.rglob("*")) == before  # nothing is ever written
    return box


def both_ways(folder: Path, files: dict[str, bytes]) -> Inbox:
    """Read the same files from a zip and from a folder, which must say the same."""
    box, unpacked = read(folder, files), collect.read(lay(folder / "unpacked", files), KNOWN)
    assert taken(box) == taken(unpacked)
    assert [(rejected.student, rejected.error) for rejected in box.rejected] == [
        (rejected.student, rejected.error) for rejected in unpacked.rejected
    ]
    return box


def reasons(box: Inbox) -> dict[str, str]:
    return {rejected.file.rpartition("submissions.zip/")[2]: rejected.error for rejected in box.rejected}


def test_moodle_with_a_folder_for_each_and_without(tmp_path: Path) -> None:
    mine = notebook("bahdanau", "mine")
    box = both_ways(
        tmp_path,
        {
            f"Müller Anna_123_{MOODLE}/bahdanau.ipynb": mine,
            f"Smith_Jones Bob_124_{MOODLE}/my work/attention.ipynb": mine,
            f"O'Neil Cy_125_{MOODLE}bahdanau.ipynb": mine,
            "Roe Di_126_assignsubmission_file/x.ipynb": mine,
            "Poe Ed_127_assignsubmission_onlinetext_/onlinetext.html": b"<p>I could not do it",
        },
    )
    names = ["Müller Anna", "Smith_Jones Bob", "O'Neil Cy", "Roe Di"]
    texts = taken(box)
    assert texts.pop(("Poe Ed", "bahdanau")) == "there is no notebook: it holds onlinetext.html"
    assert texts == {(name, "bahdanau"): mine for name in names}
    assert box.rejected == []
    assert all(submission.timestamp() is None for submission in box.submissions)


def test_canvas_with_late_marks_and_what_was_handed_in_again(tmp_path: Path) -> None:
    old, new = notebook("bahdanau", "old"), notebook("bahdanau", "new")
    box = both_ways(
        tmp_path,
        {
            "roeann_11_501_bahdanau.ipynb": new,
            "doebob_late_12_502_bahdanau.ipynb": new,
            "poecy_13_503_bahdanau.ipynb": old,
            "poecy_13_509_bahdanau-1.ipynb": new,
            "moedi_14_504_bahdanau-2.ipynb": new,
            "moedi_14_504_bahdanau-1.ipynb": old,
            "loeed_LATE_15_505_homework 3.ipynb": new,
            "loeed_LATE_15_506_data_set.csv": b"1,2",
        },
    )
    assert taken(box) == {(name, "bahdanau"): new for name in ("roeann", "doebob", "poecy", "moedi", "loeed")}
    assert {submission.student: submission.notes for submission in box.submissions if submission.notes} == {
        "doebob": ("handed in late, says the LMS",),
        "loeed": ("handed in late, says the LMS",),
    }
    assert "poecy_13_509_bahdanau-1.ipynb" in reasons(box)["poecy_13_503_bahdanau.ipynb"]
    assert len(box.rejected) == 2


def test_a_students_own_zip_is_looked_into(tmp_path: Path) -> None:
    mine = notebook("bahdanau", "mine")
    junk = {"__MACOSX/._bahdanau.ipynb": b"x", "work/.ipynb_checkpoints/b.ipynb": b"y", "timestamp.txt": b"1999"}
    box = both_ways(
        tmp_path,
        {
            f"Roe Ann_7_{MOODLE}/hand in.zip": zipped({"work/bahdanau.ipynb": mine, "work/data.csv": b"1"} | junk),
            "doebob_12_502_bahdanau.zip": zipped({"bahdanau.ipynb": mine}),
            f"Poe Cy_9_{MOODLE}/bahdanau.zip": b"no zip at all",
            f"Moe Di_10_{MOODLE}/deep.zip": zipped({"deeper.zip": zipped({"bahdanau.ipynb": mine})}),
        },
    )
    texts = taken(box)
    assert "this is no zip, or a part of one" in str(texts.pop(("Poe Cy", "bahdanau")))
    assert texts.pop(("Moe Di", "bahdanau")) == "a zip in a zip is not looked into"
    assert texts == {(name, "bahdanau"): mine for name in ("Roe Ann", "doebob")}
    assert box.rejected == []


@pytest.mark.parametrize("written", ["{}/bahdanau/", "class/{}/bahdanau/", "{}\\bahdanau\\"])
@pytest.mark.parametrize("coding", ["utf-8", "cp437"])
def test_a_zip_of_a_folder_by_student(tmp_path: Path, written: str, coding: str) -> None:
    """Also with the backslashes of Windows, and with names in UTF-8 without its flag."""
    real_name = "Müller".encode(coding)
    names = ("ann", "x" * len(real_name))
    content = zipped({f"{written.format(name)}bahdanau.ipynb": notebook("bahdanau", name) for name in names})
    content = content.replace(names[1].encode(), real_name)
    assert {student for student, _ in taken(read(tmp_path, content))} == {"ann", "Müller"}


@pytest.mark.parametrize(
    "name",
    ["../evil.ipynb", "/etc/evil.ipynb", "a/../../evil.ipynb", "..\\..\\evil.ipynb", "C:\\evil.ipynb", "c:/evil.ipynb"],
)
def test_a_name_that_leads_out_is_refused_and_the_others_are_graded(tmp_path: Path, name: str) -> None:
    box = read(tmp_path, {name: notebook("bahdanau"), "ann/bahdanau/bahdanau.ipynb": notebook()})
    assert list(taken(box)) == [("ann", "bahdanau")]
    assert ["leads out of the zip" in rejected.error for rejected in box.rejected] == [True]


def link() -> tuple[zipfile.ZipInfo, bytes]:
    info = zipfile.ZipInfo("eve/bahdanau/bahdanau.ipynb")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info, b"/etc/passwd"


def test_links_huge_files_and_odd_packing_have_no_points_and_the_reason(tmp_path: Path) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr(*link())
        opened.writestr("huge/bahdanau/bahdanau.ipynb", bytes(65 << 20))
        opened.writestr("lzma/bahdanau/bahdanau.ipynb", notebook(), zipfile.ZIP_LZMA)
        opened.writestr("ann/bahdanau/bahdanau.ipynb", notebook())
    texts = taken(read(tmp_path, file.getvalue()))
    assert texts.pop(("ann", "bahdanau")) == notebook()
    reasons = {"eve": LINK, "huge": "65 MB", "lzma": "packed with method 14"}
    assert {student for student, _ in texts} == set(reasons)
    for student, reason in reasons.items():
        assert reason in str(texts[student, "bahdanau"])


def dated(files: dict[str, tuple[bytes, str]]) -> bytes:
    """Return a zip whose entries have these times: "day hour:minute" of a November."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, (content, when) in files.items():
            day, hour, minute = map(int, re.split("[ :]", when))
            opened.writestr(zipfile.ZipInfo(name, (2026, 11, day, hour, minute, 0)), content)
    return file.getvalue()


def test_of_two_files_the_one_that_is_clearly_newer_counts_and_else_none(tmp_path: Path) -> None:
    """Some Moodles give each file the time of the download: seconds apart say nothing."""
    old, new = notebook("bahdanau", "old"), notebook("bahdanau", "new")
    names = [f"{name}_{number}_{MOODLE}" for number, name in enumerate(["Roe Ann", "Poe Bo", "Moe Cy"], 101)]
    box = read(
        tmp_path,
        dated(
            {
                f"{names[0]}/bahdanau.ipynb": (old, "18 12:00"),
                f"{names[0]}/bahdanau_v2.ipynb": (new, "19 9:00"),
                f"{names[1]}/bahdanau.ipynb": (old, "20 12:00"),
                f"{names[1]}/bahdanau_v2.ipynb": (new, "20 12:01"),
                f"{names[2]}/bahdanau/bahdanau.ipynb": (new, "20 12:00"),
                f"{names[2]}/v2.zip": (zipped({"bahdanau.ipynb": old, "copy.ipynb": old}), "19 12:00"),
            }
        ),
    )
    texts = taken(box)
    undecided = str(texts.pop(("Poe Bo", "bahdanau")))
    assert "nothing tells which one counts: bahdanau.ipynb, bahdanau_v2.ipynb." in undecided
    assert texts == {("Roe Ann", "bahdanau"): new, ("Moe Cy", "bahdanau"): new}
    assert reasons(box)[f"{names[0]}/bahdanau.ipynb"] == "not graded: bahdanau_v2.ipynb counts; this one is older"


def patched(content: bytes, offset: int, fields: bytes, signature: bytes = b"PK\x01\x02") -> bytes:
    """Return a zip with other bytes in its one entry of the table of contents."""
    place = content.index(signature) + offset
    return content[:place] + fields + content[place + len(fields) :]


def test_an_entry_that_lies_about_its_size_or_is_encrypted_is_refused(tmp_path: Path) -> None:
    whole = zipped({"ann/bahdanau/bahdanau.ipynb": notebook() * 50})
    cases = {
        "cannot be unpacked": patched(whole, 24, struct.pack("<L", 100)),
        "without a password": patched(whole, 8, struct.pack("<H", 1)),
        "as the zip says|cannot be unpacked": patched(whole, 24, struct.pack("<L", 1 << 19)),
        "cannot be unpacked ": whole[:45] + b"\xff" * 20 + whole[65:],
    }
    for reasons, content in cases.items():
        [reason] = taken(read(tmp_path, content)).values()
        assert any(each.strip() in str(reason) for each in reasons.split("|")), reason


def test_a_zip_that_would_fill_the_memory_or_is_none_is_said(tmp_path: Path, monkeypatch) -> None:
    many = {f"{number}/bahdanau/bahdanau.ipynb": notebook() for number in range(200)}
    path = tmp_path / "submissions.zip"
    for content in (b"PK nothing", zipped(many)[:-500], b""):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="cannot be graded"):
            collect.read(path, KNOWN)
    path.write_bytes(zipped(many))
    monkeypatch.setattr(zip_files, "MOST_ENTRIES", 199)
    with pytest.raises(ValueError, match="200 entries, at most 199"):
        collect.read(path, KNOWN)
    monkeypatch.setattr(zip_files, "MOST_ENTRIES", 9)
    with pytest.raises(ValueError, match="table of contents has"):
        collect.read(path, KNOWN)
