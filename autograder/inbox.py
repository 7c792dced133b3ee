"""What a class handed in, in a folder or a zip: who, which assignment, and what cannot be told; nothing vanishes."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from autograder import zips
from autograder.desk import Desk, Handed, Inbox, Piece, Stray, where
from autograder.found import Found, bounded, walked
from autograder.lms import Claim, around, claimed, folder_name, is_junk, lone_wrapper

__all__ = ["Handed", "Inbox", "Stray", "read"]


def read(place: Path, known: list[str]) -> Inbox:
    """Return what lies in FOLDER/STUDENT/NAME/NAME.ipynb, or in a zip or folder as Moodle and Canvas make them."""
    names = ", ".join(known)
    expected = f"expected STUDENT/NAME/NAME.ipynb, NAME one of {names}, or a zip from Moodle or Canvas"
    if place.is_dir():
        files = walked(place)
    elif place.suffix.lower() == ".ipynb" and place.exists():
        raise ValueError(f"{place} is one notebook: {expected}. For one: python -m autograder score {place}")
    elif place.is_file():
        files = zips.listed(place)
    else:
        raise NotADirectoryError(f"No folder or zip {place}: {expected}.")
    inbox = _sorted_out(files, place, known)
    if not inbox.handed:
        said = "".join(f"\n  {stray.file}: {stray.error}" for stray in inbox.strays[:10])
        raise ValueError(f"No submissions in {place}: {expected}.{said}")
    return inbox


def _sorted_out(files: list[Found], place: Path, known: list[str]) -> Inbox:
    files = _bounded([found for found in files if not is_junk(found.parts)])
    depth = 0 if place.is_dir() else around([found.parts for found in files if not found.folder], known)
    _demand_class(files, place, known)
    inbox, students = Inbox(), defaultdict(list)
    lone = lone_wrapper([found.parts for found in files if not found.folder])
    for found in files:
        claim = claimed(found.parts, depth, lone)
        if claim:
            students[claim.student].append(Piece(found, claim))
        elif found.trouble and found.folder and len(found.parts) == depth + 1:
            students[found.parts[-1]].append(Piece(found, Claim(found.parts[-1], ())))
        elif found.trouble or (not found.folder and found.parts[-1].lower().endswith((".ipynb", ".zip"))):
            inbox.strays.append(Stray("", where(place, found), found.trouble or "it lies in no student's folder"))
        elif found.folder and len(found.parts) == depth + 1 and not lone:
            students.setdefault(found.parts[-1], [])
    for name, pieces in _told_apart(students):
        try:
            student = folder_name(name)
        except ValueError as error:
            inbox.strays += [
                Stray("", where(place, piece.found), str(error)) for piece in pieces if not piece.found.folder
            ]
            continue
        Desk(student, place, known, inbox).take(pieces)
    inbox.handed.sort(key=lambda handed: (handed.student, known.index(handed.assignment)))
    inbox.strays.sort(key=lambda stray: (stray.student, stray.file))
    return inbox


def _bounded(files: list[Found]) -> list[Found]:
    """Return the files, those of a student who handed in too many in one sentence: a zip was not bounded so far."""
    depth = 1 if len({found.parts[0] for found in files if len(found.parts) > 1}) > 1 else 2
    parts = defaultdict(list)
    for found in files:
        parts[found.parts[:depth]].append(found)
    return [found for place, held in parts.items() for found in bounded(held, place)]


def _demand_class(files: list[Found], place: Path, known: list[str]) -> None:
    tops = {found.parts[0] for found in files if len(found.parts) > 1}
    if tops and tops <= set(known) and all(len(found.parts) <= 2 for found in files if found.notebook):
        raise ValueError(
            f"{place} looks like one student's folder: expected STUDENT/NAME/NAME.ipynb in it. Give the one above."
        )


def _told_apart(students: dict[str, list[Piece]]) -> Iterator[tuple[str, list[Piece]]]:
    """Two people of one name are told apart by the LMS's number; one name in two spellings of Unicode is one."""
    for name in sorted(students):
        accounts = sorted({piece.claim.account for piece in students[name]})
        if len(accounts) < 2:
            yield name, students[name]
        else:
            for account in accounts:
                yield f"{name}_{account}", [piece for piece in students[name] if piece.claim.account == account]
