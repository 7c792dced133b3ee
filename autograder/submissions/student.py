"""Sorts one student's files by assignment: one notebook counts for each, and the others are rejected."""

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from autograder.submissions import parser_client, zip_files
from autograder.submissions.choice import is_unwritten, newest, notice, of_another, own_path, undecided
from autograder.submissions.files import Inbox, Rejected, Submission, SubmittedFile
from autograder.submissions.lms_names import NOBODY, is_junk
from autograder.submissions.notebook import Unreadable, read_below

LONGEST_BESIDE = 1000  # bytes of nbgrader's files beside a notebook
# Of one student's files: more of them, by mistake or not, must not keep the others waiting.
MOST_ZIPS, MOST_NOTEBOOKS, MOST_REJECTED = 20, 200, 50
MOST_BYTES = 256 << 20  # read to find out which notebook is for which assignment
HAND_IN_LESS = "hand in one notebook for each assignment"


def shown_path(root: Path, file: SubmittedFile) -> str:
    """Return a file's path for messages."""
    return str(root.joinpath(*file.parts))


@dataclass
class StudentFiles:
    """Sorts one student's files into an inbox; `root` is the folder or zip of the class."""

    student: str
    root: Path
    assignments: list[str]
    files: list[SubmittedFile]
    name: str = ""  # the student's name as it was handed in
    dropped: Sequence[str] = ()  # assignments whose chapters are not in this course
    inbox: Inbox = field(default_factory=Inbox)
    _contents: dict[SubmittedFile, tuple[str | None, str | None]] = field(default_factory=dict)  # digest, assignment
    _bytes_read: int = 0

    @property
    def is_by_folder(self) -> bool:
        """Return whether the teacher's folders, STUDENT/NAME/, tell the assignment of a file."""
        return any(self._teachers_folder(each) for each in self.files)

    @property
    def assignments_said(self) -> set[str]:
        """Return the assignments that the notebooks name."""
        names = (self._assignment(each, by_folder=False) for each in self._candidates)
        return {name for name in names if name in self.assignments}

    def sort(self, one: str, by_folder: bool) -> None:
        """Add every notebook to the inbox, as a hand-in or with the reason why it is rejected.

        `one` is the assignment of this run, if it has one; with `by_folder`, the teacher's folders tell each file's.
        """
        by_assignment = self._by_assignment(one, by_folder)
        unknown = by_assignment.pop("", [])
        if one and one not in by_assignment and (readable := [each for each in unknown if not each.problem]):
            by_assignment[one], unknown = readable, [each for each in unknown if each.problem]
        for each in unknown:
            reason = f"it does not say which assignment it is; expected one of {', '.join(self.assignments)}"
            self._reject(each, each.problem or reason)
        for assignment, candidates in by_assignment.items():
            self._add_best(assignment, candidates)
        self._demand_something()
        if one and one not in by_assignment:
            self._add_refused(one)
        self._limit_rejected()

    def _by_assignment(self, one: str, by_folder: bool) -> dict[str, list[SubmittedFile]]:
        """Return the candidates by assignment, under "" those that name none; reject those of another run."""
        folders = {self._teachers_folder(each) for each in self.files} if by_folder else set()
        sorted_files: dict[str, list[SubmittedFile]] = {
            name: [] for name in self.assignments if name in folders and one in ("", name)
        }
        for each in self._candidates:
            assignment = self._assignment(each, by_folder) or ""
            if assignment in self.dropped:
                self._reject(each, f"'{assignment}' is not in this course")
            elif "" in (one, assignment) or assignment == one:
                sorted_files.setdefault(assignment, []).append(each)
            elif not (by_folder and self._teachers_folder(each)):  # there it was handed in for another run
                self._reject(each, of_another(assignment, one))
        return sorted_files

    def _demand_something(self) -> None:
        """Reject the files of a student without any notebook."""
        if self.inbox.submissions or self.inbox.rejected or self.student.startswith("%2E"):
            return
        names = [(each.owner.parts or each.parts)[-1] for each in self.files if not each.is_folder]
        holds = f"it holds {', '.join(names[:5])}" if names else "it is empty"
        self._reject_all(f"there is no notebook: {holds}")

    def _add_refused(self, assignment: str) -> None:
        """Make a submission without a grade of the files of an LMS's student who has no notebook of this assignment.

        So its reason goes wherever grades go: such a student has handed in something.
        """
        first = next((each for each in self.files if each.owner.account), None)
        if first is None or not self.inbox.rejected:
            return
        rejected = self.inbox.rejected.pop(0)
        refused = SubmittedFile((self.student, assignment), bytes, rejected.error)
        submission = Submission(
            self.student, assignment, rejected.file, refused, name=self.name or self.student,
            account=first.owner.account, lms_name=first.owner.lms_name, has_notebook=False,
        )  # fmt: skip
        self.inbox.submissions.append(submission)

    @cached_property
    def _candidates(self) -> list[SubmittedFile]:
        """Return notebooks, those in zips included, and files with a problem.

        Of more than MOST_NOTEBOOKS, only those in their right folders; of more than MOST_ZIPS zips, none.
        """
        zips = sum(each.is_zip and not each.problem for each in self.files)
        if zips > MOST_ZIPS:
            self._reject_all(f"{zips} zips were handed in, at most {MOST_ZIPS} are looked into; {HAND_IN_LESS}")
            unpacked = [each for each in self.files if not each.is_zip]
        else:
            unpacked = [inner for each in self.files for inner in self._unpack(each)]
        notebooks = sum(each.is_notebook for each in unpacked)
        candidates = [each for each in unpacked if each.is_notebook or each.problem]
        if notebooks > MOST_NOTEBOOKS:
            self._reject_all(
                f"{notebooks} notebooks were handed in, at most {MOST_NOTEBOOKS} are looked into; {HAND_IN_LESS}"
            )
            candidates = [each for each in candidates if self._is_in_its_folder(each)]
        return candidates

    def _is_in_its_folder(self, candidate: SubmittedFile) -> bool:
        """Return whether a notebook is NAME/NAME.ipynb: its assignment is known without reading it."""
        parts = candidate.owner.parts
        return len(parts) == 2 and parts[0] in self.assignments and parts[1] == f"{parts[0]}.ipynb"

    def _reject_all(self, error: str) -> None:
        self._reject(self.files[0], error)

    def _limit_rejected(self) -> None:
        """Keep the first MOST_REJECTED of a student's rejected files, and the number of the others."""
        more = len(self.inbox.rejected) - MOST_REJECTED
        if more > 0:
            del self.inbox.rejected[MOST_REJECTED:]
            self._reject_all(f"and {more} files more that are not graded")

    def _unpack(self, zipped: SubmittedFile) -> Iterator[SubmittedFile]:
        """Yield the files in a student's own zip, and any other file itself."""
        if not zipped.is_zip or zipped.problem:
            yield zipped
            return
        try:
            inner_files = [file for file in zip_files.list_inner_zip(zipped) if not is_junk(file.parts)]
        except Unreadable as error:
            yield replace(zipped, problem=str(error))
            return
        for file in inner_files:
            parts = zipped.owner.parts[:-1] + file.parts[len(zipped.parts) - 1 :]
            problem = file.problem or ("a zip in a zip is not looked into" if file.is_zip else "")
            yield replace(file, problem=problem, owner=replace(zipped.owner, parts=parts))

    def _teachers_folder(self, file: SubmittedFile) -> str:
        """Return the NAME of STUDENT/NAME/, "" for a file elsewhere: in an LMS's hand-in students name the folders."""
        name = "" if file.owner.account else "".join(file.owner.parts[:1])
        return name if name in self.assignments or name in self.dropped else ""

    def _assignment(self, candidate: SubmittedFile, by_folder: bool) -> str | None:
        """Return the assignment: by folder, by the notebook's metadata or checks, by file name, by the root's name.

        Unless the teacher's folders decide, the notebook itself comes before a student's folder.
        """
        folder = next((part for part in candidate.owner.parts if part in (*self.assignments, *self.dropped)), None)
        of_content = None if by_folder and folder else self._content(candidate)[1]
        return of_content or folder or self._assignment_in_name(candidate)

    def _content(self, candidate: SubmittedFile) -> tuple[str | None, str | None]:
        """Return a file's digest and the assignment that it declares; files are read once."""
        if candidate not in self._contents:
            self._contents[candidate] = self._read(candidate) if self._bytes_read <= MOST_BYTES else (None, None)
        return self._contents[candidate]

    def _read(self, candidate: SubmittedFile) -> tuple[str | None, str | None]:
        digest = None
        try:
            content = candidate.read()
            self._bytes_read += len(content)
            digest = hashlib.sha256(content).hexdigest()
            return digest, parser_client.assignment(content, [*self.assignments, *self.dropped])
        except Unreadable:
            return digest, None

    def _assignment_in_name(self, candidate: SubmittedFile) -> str | None:
        for name in (*candidate.owner.parts[-1:], self.root.name):
            for assignment in sorted(self.assignments, key=len, reverse=True):
                if re.search(rf"(?<![a-z]){assignment}(?![a-z])", name.lower()):
                    return assignment
        return None

    def _choose(
        self, assignment: str, candidates: list[SubmittedFile]
    ) -> tuple[SubmittedFile | None, dict[SubmittedFile, str]]:
        """Return the candidate that counts, and those with other content, each with the reason against it.

        The rules, in their order: one without an answer never counts beside one with; NAME/NAME.ipynb, unless it came
        from an LMS, where students name the folders; one that declares the assignment; the newest. If different
        contents remain, none counts, and all are returned.
        """
        left = [each for each in candidates if each.is_notebook] or candidates
        why = {each: "" for each in candidates if each not in left}
        place = (assignment, f"{assignment}.ipynb")
        passes: dict[str, Callable[[SubmittedFile], bool]] = {
            "is as it was released": lambda file: not is_unwritten(file, assignment),
            "does not lie where it belongs": lambda file: file.owner.parts[-2:] == place and not file.owner.account,
            "does not say that it is of this assignment": lambda file: self._content(file)[1] == assignment,
            "is older": lambda file: file in newest(left),
        }
        for reason, is_kept in passes.items():
            if not self._are_equal(left):
                kept = [file for file in left if is_kept(file)] or left
                why |= {file: reason for file in left if file not in kept}
                left = kept
        if left and self._are_equal(left):
            return left[0], why
        return None, dict.fromkeys(left, "")

    def _are_equal(self, files: list[SubmittedFile]) -> bool:
        digests = {self._content(each)[0] for each in files[1:]}
        return not digests or digests == {self._content(files[0])[0]} != {None}

    def _add_best(self, assignment: str, candidates: list[SubmittedFile]) -> None:
        """Add the one submission for an assignment to the inbox; reject candidates of other content."""
        chosen, others = self._choose(assignment, candidates)
        owner = next((each.owner for each in self.files), NOBODY)  # one student has one account
        if chosen is None:
            reason = undecided(others) if others else self._missing(assignment)
            whose = replace(owner, parts=(), late=False)
            chosen, others = SubmittedFile((self.student, assignment), bytes, reason, owner=whose), {}
        own_place = (assignment, f"{assignment}.ipynb")
        from_nbgrader = self.root.is_dir() and not chosen.owner.account and chosen.owner.parts == own_place
        folder = chosen.parts[:-1]

        def read_beside(name: str) -> bytes:
            return read_below(self.root, (*folder, name), LONGEST_BESIDE)

        submission = Submission(
            self.student,
            assignment,
            shown_path(self.root, chosen),
            chosen,
            read_beside if from_nbgrader else None,
            ("handed in late, says the LMS",) if chosen.owner.late else (),
            self.name or self.student,
            owner.account,
            chosen.owner.lms_name or owner.lms_name,
            notice(chosen, others),
        )
        self.inbox.submissions.append(submission)
        for each, why in others.items():
            self._reject(each, each.problem or f"not graded: {own_path(chosen)} counts; this one {why}")

    def _missing(self, assignment: str) -> str:
        names = [each.parts[-1] for each in self.files if each.owner.parts[:1] == (assignment,)]
        names = [name for name in names if name != assignment]
        return f"there is no such file; the folder holds {', '.join(names[:5]) if names else 'nothing'}"

    def _reject(self, candidate: SubmittedFile, error: str) -> None:
        self.inbox.rejected.append(Rejected(self.student, shown_path(self.root, candidate), error))
