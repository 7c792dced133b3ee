"""What a class handed in, in a folder or a zip: who, which assignment, and what cannot be told; nothing vanishes."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from autograder.assignment import dropped
from autograder.submissions import zip_files
from autograder.submissions.files import Found, bounded, walked
from autograder.submissions.lms_names import (
    Owner,
    claimed,
    folder_name,
    has_lms_name,
    is_junk,
    is_wrapper,
    likeness,
    wraps_folders,
    wraps_lms,
)
from autograder.submissions.student import CandidateFile, HandIn, Inbox, Rejected, StudentFiles, where

__all__ = ["HandIn", "Inbox", "Rejected", "read"]


def read(place: Path, known: list[str]) -> Inbox:
    """Return what lies in FOLDER/STUDENT/NAME/NAME.ipynb, or in a zip or folder as Moodle and Canvas make them."""
    names = ", ".join(known)
    expected = f"expected STUDENT/NAME/NAME.ipynb, NAME one of {names}, or a zip from Moodle or Canvas"
    if place.is_dir():
        files = walked(place)
    elif place.suffix.lower() == ".ipynb" and place.exists():
        raise ValueError(f"{place} is one notebook: {expected}. For one: python -m autograder score {place}")
    elif place.is_file():
        files = zip_files.listed(place)
    else:
        raise NotADirectoryError(f"No folder or zip {place}: {expected}.")
    inbox = _sorted_out(files, place, known)
    if not inbox.handed and not inbox.contested:
        said = "".join(f"\n  {stray.file}: {stray.error}" for stray in inbox.strays[:10])
        raise ValueError(f"No submissions in {place}: {expected}.{said}")
    return inbox


def _sorted_out(files: list[Found], place: Path, known: list[str]) -> Inbox:
    files = _bounded([found for found in files if not is_junk(found.parts)])
    _demand_class(files, place, known)
    paths = [found.parts for found in files if not found.folder]
    wrapper = next((parts[0] for parts in paths if len(parts) > 1), "")
    depth = int(not place.is_dir() and is_wrapper(wrapper) and wraps_folders(paths, known))
    lone = is_wrapper(wrapper) and wraps_lms(paths)
    inbox, students = Inbox(), defaultdict(list)
    for found in files:
        claim = claimed(found.parts, depth, lone)
        if claim:
            students[claim.student].append(CandidateFile(found, claim))
        elif found.trouble and found.folder and len(found.parts) == depth + 1:
            students[found.parts[-1]].append(CandidateFile(found, Owner(found.parts[-1], ())))
        elif found.trouble or (not found.folder and found.parts[-1].lower().endswith((".ipynb", ".zip"))):
            inbox.strays.append(Rejected("", where(place, found), found.trouble or "it lies in no student's folder"))
        elif found.folder and len(found.parts) == depth + 1 and not lone:
            students.setdefault(found.parts[-1], [])
    _take(students, place, known, inbox)
    if not depth and not lone and (wraps_lms(paths) or (not place.is_dir() and wraps_folders(paths, known))):
        _note(
            inbox, lambda student: f"{wrapper!r} is taken for a student. If it holds a class, grade that folder itself"
        )
    inbox.handed.sort(key=lambda handed: (handed.student, known.index(handed.assignment)))
    inbox.strays.sort(key=lambda stray: (stray.student, stray.file))
    return inbox


def _take(students: dict[str, list[CandidateFile]], place: Path, known: list[str], inbox: Inbox) -> None:
    """Enter what each student handed in; names that are none, and names that are one and the same, are refused."""
    by_folder: dict[str, list[tuple[str, list[CandidateFile]]]] = defaultdict(list)
    for name, pieces in _told_apart(students):
        try:
            by_folder[folder_name(name)].append((name, pieces))
        except ValueError as error:
            inbox.strays += [
                Rejected("", where(place, piece.found), str(error)) for piece in pieces if not piece.found.folder
            ]
    not_here = dropped()
    for student, claims in by_folder.items():
        if len(claims) == 1:
            StudentFiles(student, place, known, inbox, claims[0][0], not_here).take(claims[0][1])
        for name, pieces in claims if len(claims) > 1 else ():
            said = " and ".join(ascii(other) for other, _ in claims)
            reason = (
                f"nobody is graded as {student!r}: {said} are one and the same name; rename the one that is another's"
            )
            inbox.contested.append(Rejected(student, _top(place, name, pieces), reason))
    inbox.strays += inbox.contested
    alike = defaultdict(list)
    for student in by_folder:
        alike[likeness(student)].append(student)
    others = {student: [ascii(one) for one in names if one != student] for names in alike.values() for student in names}
    _note(inbox, lambda student: f"its name looks like {', '.join(others[student])}" if others[student] else "")


def _top(place: Path, name: str, pieces: list[CandidateFile]) -> str:
    """Return the folder or file that makes somebody a student, as it is said to people."""
    if not pieces:
        return str(place / name)
    parts, inside = pieces[0].found.parts, pieces[0].claim.inside
    return str(place.joinpath(*parts[: max(1, len(parts) - len(inside))]))


def _note(inbox: Inbox, said: Callable[[str], str]) -> None:
    """Add a note to what each student handed in, where there is one."""
    inbox.handed[:] = [
        replace(handed, notes=(*handed.notes, note)) if (note := said(handed.student)) else handed
        for handed in inbox.handed
    ]


def _bounded(files: list[Found]) -> list[Found]:
    """Return the files, those of a student who handed in too many in one sentence: a zip was not bounded so far."""
    tops = {found.parts[0] for found in files if len(found.parts) > 1}
    depth = 2 if len(tops) == 1 and is_wrapper(*tops) else 1
    parts = defaultdict(list)
    for found in files:
        parts[found.parts[:depth]].append(found)
    return [found for place, held in parts.items() for found in bounded(held, place)]


def _demand_class(files: list[Found], place: Path, known: list[str]) -> None:
    """Refuse one student's folder: an LMS's names in it would be of their own making."""
    files = [found for found in files if len(found.parts) > 1 and not has_lms_name(found.parts[0])]
    tops = {found.parts[0] for found in files}
    if tops and tops <= set(known) and all(len(found.parts) <= 2 for found in files if found.notebook):
        raise ValueError(
            f"{place} looks like one student's folder: expected STUDENT/NAME/NAME.ipynb in it. Give the one above."
        )


def _told_apart(students: dict[str, list[CandidateFile]]) -> Iterator[tuple[str, list[CandidateFile]]]:
    """Yield names and what lies under each: two people of one name are told apart by the LMS's number."""
    for name in sorted(students):
        accounts = sorted({piece.claim.account for piece in students[name]})
        if len(accounts) < 2:
            yield name, students[name]
        else:
            for account in accounts:
                yield f"{name}_{account}", [piece for piece in students[name] if piece.claim.account == account]
