"""Collects a class's submissions from a folder or a zip, with their students and assignments, or the errors."""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from autograder.assignment import dropped
from autograder.submissions import zip_files
from autograder.submissions.files import Inbox, Rejected, SubmittedFile, limit_files, list_folder
from autograder.submissions.lms_names import folder_name, has_class, is_junk, is_wrapper, owner_of, sort_key
from autograder.submissions.student import StudentFiles, shown_path

ByStudent = dict[str, list[SubmittedFile]]
ONE_STUDENT = "looks like one student's folder: expected STUDENT/NAME/NAME.ipynb in it. Give the one above."


def read(root: Path, assignments: list[str], one: str = "", out: Path | None = None) -> Inbox:
    """Return the submissions in ROOT/STUDENT/NAME/NAME.ipynb, or in a zip or folder made by Moodle or Canvas.

    The folder `out`, with grading's own files, is left out. All are of the assignment `one`; without it, folders NAME
    decide, else the assignment that most students handed in. Raise ValueError, NotADirectoryError or PermissionError
    where `root` is no class's folder or zip.
    """
    names = ", ".join(assignments)
    expected = f"expected STUDENT/NAME/NAME.ipynb, NAME one of {names}, or a zip from Moodle or Canvas"
    if (root / "gradebook.db").exists() and (root / "records").is_dir():
        raise ValueError(f"{root} is a graded class, with its gradebook: give the folder or zip of what was handed in.")
    if root.is_dir():
        files = list_folder(root, _place(out, root))
    elif root.suffix.lower() == ".ipynb" and root.exists():
        raise ValueError(f"{root} is one notebook: {expected}. For one: python -m autograder score {root}")
    elif root.is_file():
        files = zip_files.list_zip(root)
    else:
        raise NotADirectoryError(f"No folder or zip {root}: {expected}.")
    inbox = _sort_by_student(files, root, assignments, one)
    if not inbox.submissions and not inbox.contested:
        reasons = "".join(f"\n  {rejected.file}: {rejected.error}" for rejected in inbox.rejected[:10])
        if any(file.is_zip and len(file.parts) == 1 for file in files):
            reasons += "\nIt holds zips: grade each of them by itself."
        raise ValueError(f"No submissions in {root}: {expected}.{reasons}")
    return inbox


def _place(out: Path | None, root: Path) -> tuple[str, ...]:
    """Return the path of the gradebook's folder in the class's, () where it lies elsewhere."""
    if out is None or not out.resolve().is_relative_to(root.resolve()):
        return ()
    place = out.resolve().relative_to(root.resolve()).parts
    if not place:
        raise ValueError(f"--out {out} is the class's own folder: give another one, such as {root / 'graded'}.")
    return place


def _sort_by_student(files: list[SubmittedFile], root: Path, assignments: list[str], one: str) -> Inbox:
    files = [file for file in files if not is_junk(file.parts)]
    below = [file.parts for file in files if not file.is_folder and len(file.parts) > 1]
    around = below[0][0] if len({parts[0] for parts in below}) == 1 else ""  # one folder around all
    depth = int(is_wrapper(around))  # of the part with the student's name
    files = _limit_by_student(files, depth)
    _require_class(files, root, assignments)
    inbox = Inbox(one)
    students: ByStudent = defaultdict(list)
    for file in files:
        if owner := owner_of(file.parts[depth:], file.is_folder):
            students[owner.student].append(replace(file, owner=owner))
        elif file.problem or (not file.is_folder and (file.is_notebook or file.is_zip)):
            reason = file.problem or "it lies in no student's folder"
            inbox.rejected.append(Rejected("", shown_path(root, file), reason))
    _add_students(students, root, assignments, inbox)
    if around and not depth and has_class([parts[1:] for parts in below], assignments):
        note = f"{around!r} is taken for a student. If it holds a class, grade that folder itself"
        inbox.submissions = [replace(each, notes=(*each.notes, note)) for each in inbox.submissions]
    inbox.submissions.sort(
        key=lambda submission: (sort_key(submission.student), assignments.index(submission.assignment))
    )
    inbox.rejected.sort(key=lambda rejected: (sort_key(rejected.student), rejected.file))
    return inbox


def _add_students(students: ByStudent, root: Path, assignments: list[str], inbox: Inbox) -> None:
    """Add each student's files to the inbox; reject names that no folder may have, and names of two students."""
    by_folder: dict[str, list[tuple[str, list[SubmittedFile]]]] = defaultdict(list)
    for name, files in _split_by_account(students):
        try:
            by_folder[folder_name(name)].append((name, files))
        except ValueError as error:
            inbox.rejected += [Rejected("", shown_path(root, each), str(error)) for each in files if not each.is_folder]
    alone: list[StudentFiles] = []
    dropped_assignments = dropped()
    for student, namesakes in by_folder.items():
        if len(namesakes) == 1:
            [(name, files)] = namesakes
            alone.append(StudentFiles(student, root, assignments, files, name, dropped_assignments))
            continue
        names = " and ".join(ascii(name) for name, _ in namesakes)
        reason = f"nobody is graded as {student!r}: {names} are the same name; if they are two people, rename one"
        for _, files in namesakes:
            inbox.contested.append(Rejected(student, shown_path(root, files[0]), reason))
    inbox.rejected += inbox.contested
    is_by_folder = _is_by_folder(alone)
    if not is_by_folder:
        inbox.assignment = inbox.assignment or _of_most(alone, root)
    for each in alone:
        each.sort(inbox.assignment, is_by_folder)
        inbox.submissions += each.inbox.submissions
        inbox.rejected += each.inbox.rejected


def _is_by_folder(students: list[StudentFiles]) -> bool:
    """Return whether a class lies in STUDENT/NAME/: a quarter of it is enough, others may have put theirs elsewhere."""
    with_notebooks = [each for each in students if any(file.is_notebook for file in each.files)] or students
    by_folder = sum(each.is_by_folder for each in with_notebooks)
    return by_folder > 0 and 4 * by_folder >= len(with_notebooks)


def _of_most(students: list[StudentFiles], root: Path) -> str:
    """Return the assignment that most students handed in, each of them one; "" where no notebook names any.

    Raise ValueError where several have as many.
    """
    each_said = [names for each in students if (names := each.assignments_said)]
    count = Counter(name for names in each_said for name in names)
    alone = Counter(name for names in each_said if len(names) == 1 for name in names)
    name, most = (alone or count or Counter([""])).most_common(1)[0]
    if len(count) < 2 or (2 * most > len(each_said) and alone):
        return name
    by_number = sorted(count.items(), key=lambda each: (-each[1], each[0]))  # the same sentence at each run
    numbers = ", ".join(f"{name} of {number}" for name, number in by_number)
    raise ValueError(
        f"{root} holds notebooks of several assignments, by number of students: {numbers}. Grade it once for each, "
        "with --assignment NAME; or sort them into STUDENT/NAME/."
    )


def _limit_by_student(files: list[SubmittedFile], depth: int) -> list[SubmittedFile]:
    """Return the files, with a single entry for each student who has too many; a zip has had no limit so far."""
    by_folder = defaultdict(list)
    for file in files:
        by_folder[file.parts[: depth + 1]].append(file)
    return [file for folder, inside in by_folder.items() for file in limit_files(inside, folder)]


def _require_class(files: list[SubmittedFile], root: Path, assignments: list[str]) -> None:
    """Raise ValueError for one student's folder: names like an LMS's in it would be the student's own invention."""
    files = [file for file in files if len(file.parts) > 1 and not owner_of(file.parts[:1])]  # of no LMS's name
    tops = {file.parts[0] for file in files}
    if tops and tops <= set(assignments) and all(len(file.parts) <= 2 for file in files if file.is_notebook):
        raise ValueError(f"{root} {ONE_STUDENT}")


def _split_by_account(students: ByStudent) -> Iterator[tuple[str, list[SubmittedFile]]]:
    """Yield names and their files; two people of one name become NAME_ACCOUNT, by the LMS's numbers.

    With one number of the LMS's, two spellings in Unicode are one name.
    """
    same: dict[str, list[str]] = defaultdict(list)
    for name in sorted(students):
        is_numbered = all(each.owner.account for each in students[name])
        same[unicodedata.normalize("NFC", name) if is_numbered else name].append(name)
    for names in same.values():
        files = [file for name in names for file in students[name]]
        accounts = sorted({each.owner.account for each in files})
        if len(accounts) < 2:
            yield names[0], files
            continue
        for account in accounts:
            own = [each for each in files if each.owner.account == account]
            yield f"{own[0].owner.student}_{account}", own
