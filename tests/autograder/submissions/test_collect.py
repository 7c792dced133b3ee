"""What was handed in, in folders: everything is found or said, and a path is only ever a path."""

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from autograder.grade.cache import submission_key
from autograder.places import released_notebook
from autograder.submissions import collect
from autograder.submissions.choice import of_another
from autograder.submissions.files import Inbox
from autograder.submissions.lms_names import display_name, folder_name
from autograder.submissions.notebook import FOLDER, LINK, Unreadable

KNOWN = ["encoder_decoder", "bahdanau"]


def notebook(says: str | None = None, text: str = "") -> bytes:
    """Return a small notebook that says which assignment it is, or not."""
    metadata = {"attention_workbook": {"assignment": says}} if says else {}
    cells = [{"cell_type": "markdown", "metadata": {}, "source": text}]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}).encode()


def lay(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def taken(box: Inbox) -> dict[tuple[str, str], bytes | str]:
    """Return what is to be graded: the bytes, or why there are none."""
    texts = {}
    for submission in box.submissions:
        try:
            texts[submission.student, submission.assignment] = submission.content()
        except Unreadable as error:
            texts[submission.student, submission.assignment] = str(error)
    assert len(texts) == len(box.submissions)
    return texts


def errors(box: Inbox, folder: Path) -> dict[str, str]:
    return {os.path.relpath(rejected.file, folder): rejected.error for rejected in box.rejected}


def test_a_misfiled_notebook_is_taken_where_it_is_clear_what_it_is(tmp_path: Path) -> None:
    mine = {name: notebook("bahdanau", name) for name in ("loose", "named", "renamed", "deep", "other")}
    lay(tmp_path, {"loose/bahdanau.ipynb": mine["loose"], "named/Bahdanau (1).ipynb": notebook(None, "named")})
    lay(tmp_path, {"renamed/homework.ipynb": mine["renamed"], "deep/my/work/x.ipynb": mine["deep"]})
    lay(tmp_path, {"other/bahdanau/attention final.ipynb": mine["other"], "other/bahdanau/data.csv": b"1"})
    lay(tmp_path, {"both/a.ipynb": notebook("bahdanau"), "both/b.ipynb": notebook("encoder_decoder")})
    box = collect.read(tmp_path, KNOWN)
    assert taken(box) == {(name, "bahdanau"): content for name, content in mine.items()} | {
        ("named", "bahdanau"): notebook(None, "named"),
        ("both", "bahdanau"): notebook("bahdanau"),
    }
    assert errors(box, tmp_path) == {"both/b.ipynb": of_another("encoder_decoder", "bahdanau")}


def test_a_notebook_of_a_chapter_that_was_dropped_has_a_row_that_says_so(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(collect, "dropped", lambda: ["luong"])
    lay(tmp_path, {"ada/luong/luong.ipynb": notebook(), "bo/homework.ipynb": notebook("luong")})
    lay(tmp_path, {"bo/bahdanau/bahdanau.ipynb": notebook()})
    box = collect.read(tmp_path, KNOWN)
    assert list(taken(box)) == [("bo", "bahdanau")]
    sentence = "'luong' is not in this course"
    assert errors(box, tmp_path) == {"ada/luong/luong.ipynb": sentence, "bo/homework.ipynb": sentence}


def test_what_counts_among_several_is_clear_or_said(tmp_path: Path) -> None:
    right, other = notebook("bahdanau", "right"), notebook("bahdanau", "other")
    lay(tmp_path, {"filed/bahdanau/bahdanau.ipynb": right, "filed/bahdanau/draft.ipynb": other})
    lay(tmp_path, {"twice/bahdanau.ipynb": right, "twice/copy/bahdanau.ipynb": right})
    lay(tmp_path, {"named/bahdanau.ipynb": right, "named/old.ipynb": other})
    lay(tmp_path, {"torn/bahdanau/a.ipynb": right, "torn/bahdanau/b.ipynb": other})
    lay(tmp_path, {"said/bahdanau/a.ipynb": right, "said/bahdanau/b.ipynb": notebook("encoder_decoder")})
    box = collect.read(tmp_path, KNOWN)
    texts = taken(box)
    for student, names in {"torn": "bahdanau/a.ipynb, bahdanau/b.ipynb", "named": "bahdanau.ipynb, old.ipynb"}.items():
        undecided = str(texts.pop((student, "bahdanau")))
        assert "several notebooks were handed in for it" in undecided
        assert f"{names}. Hand in only one" in undecided
    assert texts == {(name, "bahdanau"): right for name in ("filed", "twice", "said")}
    reasons = errors(box, tmp_path)
    assert set(reasons) == {"filed/bahdanau/draft.ipynb", "said/bahdanau/b.ipynb"}
    assert reasons["filed/bahdanau/draft.ipynb"] == (
        "not graded: bahdanau/bahdanau.ipynb counts; this one does not lie where it belongs"
    )


@pytest.mark.parametrize("place", ["", "bahdanau/"])
@pytest.mark.parametrize("older_release", [False, True])
def test_a_notebook_as_released_never_counts_beside_a_written_one(
    tmp_path: Path, place: str, older_release: bool
) -> None:
    stub = released_notebook("bahdanau").read_bytes()
    if older_release:
        stub = stub.replace(b"raise NotImplementedError()", b"raise NotImplementedError")
    first, _, last = stub.partition(b"def masked_softmax")
    written = first + b"def masked_softmax" + last.replace(b"raise NotImplementedError", b"return scores #", 1)
    lay(tmp_path, {f"two/{place}bahdanau.ipynb": stub, f"two/{place}x.ipynb": written, "one/bahdanau.ipynb": stub})
    box = collect.read(tmp_path, KNOWN)
    assert taken(box) == {("two", "bahdanau"): written, ("one", "bahdanau"): stub}
    why = f"not graded: {place}x.ipynb counts; this one is as it was released"
    assert errors(box, tmp_path) == {f"two/{place}bahdanau.ipynb": why}
    [graded] = [submission.notice for submission in box.submissions if submission.student == "two"]
    assert graded == f"Graded: {place}x.ipynb. Not graded: {place}bahdanau.ipynb, which is as it was released."


def test_nothing_vanishes(tmp_path: Path) -> None:
    lay(tmp_path, {"ada/bahdanau/bahdanau.ipynb": notebook(), "ada/.ipynb_checkpoints/bahdanau.ipynb": b"old"})
    lay(tmp_path, {"pdf/report.pdf": b"%PDF", "riddle/untitled.ipynb": notebook(), "loose.ipynb": notebook()})
    lay(tmp_path, {"none/bahdanau/essay.txt": b"", "broken/untitled.ipynb": b"{", "readme.txt": b""})
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "ada")
    box = collect.read(tmp_path, KNOWN)
    assert taken(box) == {
        ("ada", "bahdanau"): notebook(),
        ("none", "bahdanau"): "there is no such file; the folder holds essay.txt",
    }
    reasons = errors(box, tmp_path)
    assert {rejected.student for rejected in box.rejected} == {"pdf", "riddle", "broken", "empty", ""}
    assert "does not say which assignment" in reasons["riddle/untitled.ipynb"]
    assert reasons["broken/untitled.ipynb"] == reasons["riddle/untitled.ipynb"]
    assert reasons["link"] == LINK
    assert "no student's folder" in reasons["loose.ipynb"]
    assert (
        next(error for error in reasons.values() if "report.pdf" in error)
        == "there is no notebook: it holds report.pdf"
    )
    assert reasons["empty"] == "there is no notebook: it is empty"


def test_a_folder_with_a_name_as_canvas_gives_files_is_one_students(tmp_path: Path) -> None:
    lay(tmp_path, {"roe_1_2_final/bahdanau.ipynb": notebook()})
    box = collect.read(tmp_path, KNOWN)
    assert (taken(box), errors(box, tmp_path)) == ({("roe_1_2_final", "bahdanau"): notebook()}, {})


def test_links_and_folders_in_a_notebooks_place_are_refused(tmp_path: Path) -> None:
    lay(tmp_path, {"mia/bahdanau/bahdanau.ipynb": notebook()})
    for student in ("thief", "robber", "odd"):
        (tmp_path / student).mkdir()
    (tmp_path / "thief/bahdanau").mkdir()
    (tmp_path / "thief/bahdanau/bahdanau.ipynb").symlink_to(tmp_path / "mia/bahdanau/bahdanau.ipynb")
    (tmp_path / "robber/bahdanau").symlink_to(tmp_path / "mia/bahdanau")
    (tmp_path / "odd/bahdanau/bahdanau.ipynb").mkdir(parents=True)
    (tmp_path / "mia/bahdanau/data").symlink_to(tmp_path)
    box = collect.read(tmp_path, KNOWN)
    texts = taken(box)
    assert texts["mia", "bahdanau"] == notebook()
    assert errors(box, tmp_path) == {"mia/bahdanau/data": "this is a symbolic link; hand in the file itself"}
    assert texts["thief", "bahdanau"] == texts["robber", "bahdanau"] == LINK
    assert texts["odd", "bahdanau"] == FOLDER


@pytest.mark.parametrize(
    "name", "a [b] *é?|o'neil; --x|-rf|x{y}z|.hidden|..|a/b|a\\b|%2E|50%|50%25|tab\there|日本 语".split("|")
)
def test_every_name_becomes_a_folders_and_comes_back(name: str) -> None:
    folder = folder_name(name)
    assert display_name(folder) == name
    assert "/" not in folder
    assert "\\" not in folder
    assert not folder.startswith(".")
    assert folder.isprintable()


def test_odd_names_of_folders_lose_nobody(tmp_path: Path) -> None:
    names = ["a[b]", "*", "-rf", ".dot", "x" * 130, os.fsdecode(b"caf\xe9")]
    lay(tmp_path, {f"{name}/bahdanau/bahdanau.ipynb": notebook("bahdanau", ascii(name)) for name in names})
    box = collect.read(tmp_path, KNOWN)
    assert taken(box) == {
        (student, "bahdanau"): notebook("bahdanau", ascii(name))
        for student, name in {"*": "*", "-rf": "-rf", "a[b]": "a[b]", "%2Edot": ".dot", "caf%E9": names[-1]}.items()
    }
    assert ["130 characters" in rejected.error for rejected in box.rejected] == [True]
    assert len({folder_name(name) for name in ("..", "%2E.", "%252E.")}) == 3
    for name in ("", " ", "x" * 129, "語" * 100):
        with pytest.raises(ValueError, match="the student's name"):
            folder_name(name)


def test_one_students_folder_one_file_and_none_are_told_from_a_class(tmp_path: Path) -> None:
    lay(
        tmp_path,
        {"class/ada/bahdanau/bahdanau.ipynb": notebook(), "other/bahdanau/bahdanau/bahdanau.ipynb": notebook()},
    )
    lay(tmp_path, {"class/ada/Roe Ann_7_assignsubmission_file_/bahdanau.ipynb": notebook()})
    with pytest.raises(ValueError, match="one student's folder"):
        collect.read(tmp_path / "class" / "ada", KNOWN)
    with pytest.raises(ValueError, match=r"is one notebook: expected STUDENT/NAME.*autograder score"):
        collect.read(tmp_path / "class/ada/bahdanau/bahdanau.ipynb", KNOWN)
    with pytest.raises(ValueError, match=r"expected STUDENT/NAME/NAME.ipynb, NAME one of .*bahdanau"):
        collect.read(lay(tmp_path / "empty", {"ada/x.txt": b""}), KNOWN)
    with pytest.raises(NotADirectoryError, match="No folder or zip"):
        collect.read(tmp_path / "none", KNOWN)
    assert list(taken(collect.read(tmp_path / "other", KNOWN))) == [("bahdanau", "bahdanau")]


def test_only_the_folder_that_nbgrader_writes_says_when(tmp_path: Path) -> None:
    """Elsewhere a timestamp is a student's own file."""
    lay(tmp_path, {"a/bahdanau/bahdanau.ipynb": notebook(), "a/bahdanau/timestamp.txt": b"2026-11-21 12:00:00 UTC\n"})
    lay(tmp_path, {"b/bahdanau/bahdanau.ipynb": notebook(), "c/bahdanau.ipynb": notebook(), "c/timestamp.txt": b"x"})
    moodle = "d_7_assignsubmission_file_/bahdanau"
    lay(tmp_path, {f"{moodle}/bahdanau.ipynb": notebook(), f"{moodle}/timestamp.txt": b"1999"})
    stamps = {submission.student: submission.timestamp() for submission in collect.read(tmp_path, KNOWN).submissions}
    assert stamps == {"a": b"2026-11-21 12:00:00 UTC\n", "b": b"", "c": None, "d": None}


def test_what_may_not_be_read_keeps_nobody_waiting(tmp_path: Path, monkeypatch) -> None:
    """As for one who may not open everything; root could."""
    lay(tmp_path, {f"{student}/bahdanau/bahdanau.ipynb": notebook() for student in ("abe", "ann", "zoe")})
    opened, closed = os.open, {str(tmp_path / "abe"), str(tmp_path / "ann/bahdanau/bahdanau.ipynb")}

    def refuses(path: Any, *rest: Any, dir_fd: int | None = None, **named: Any) -> int:
        folder = Path(f"/proc/self/fd/{dir_fd}").readlink() if dir_fd is not None else Path()
        if str(folder / path) in closed:
            raise PermissionError(errno.EACCES, "Permission denied")
        return opened(path, *rest, dir_fd=dir_fd, **named)

    monkeypatch.setattr(os, "open", refuses)
    box = collect.read(tmp_path, KNOWN)
    assert [submission.student for submission in box.submissions] == ["ann", "zoe"]
    assert "Permission denied" in errors(box, tmp_path)["abe"]
    assert len({submission_key(submission) for submission in box.submissions}) == 2
    with pytest.raises(Unreadable, match="permissions"):
        box.submissions[0].content()
