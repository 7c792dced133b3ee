"""What one student handed in, sorted by assignment: one notebook counts for each, and what is beside it is said."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from autograder import zips
from autograder.found import Found
from autograder.lms import Claim, is_junk
from autograder.normal import assignment_of
from autograder.reading import Unreadable, parse, read_below

LONGEST_BESIDE = 1000  # bytes of what nbgrader keeps beside a notebook


@dataclass(frozen=True)
class Handed:
    """One submission: whose, of what, and where its bytes are, or the reason why there are none.

    `name` and `account` are the student's name as it was found, and the LMS's number where there is one.
    """

    student: str
    assignment: str
    file: str
    source: Found = field(compare=False)
    beside: Callable[[str], bytes] | None = field(default=None, compare=False)  # reads what nbgrader keeps beside it
    notes: tuple[str, ...] = ()
    name: str = field(default="", compare=False)
    account: str = field(default="", compare=False)

    def content(self) -> bytes:
        """Return the bytes that were handed in."""
        return self.source.read()

    def timestamp(self) -> bytes | None:
        """Return what nbgrader keeps of when it was handed in: b"" that nobody knows, None that nothing is said.

        An LMS's zip says nothing: its entries carry the time of the LMS's own file, which is not always the hand-in.
        """
        if self.beside is None:
            return None
        try:
            return self.beside("timestamp.txt")
        except Unreadable:
            return b""


@dataclass(frozen=True)
class Stray:
    """Something that was handed in and gets no grade; says why."""

    student: str
    file: str
    error: str


@dataclass
class Inbox:
    """All that was handed in."""

    handed: list[Handed] = field(default_factory=list)
    strays: list[Stray] = field(default_factory=list)
    contested: list[Stray] = field(default_factory=list)  # of the strays, those of students who share a name


@dataclass(frozen=True)
class Piece:
    """A file of a student's, and where it lies below theirs."""

    found: Found
    claim: Claim


def _beside(place: Path, folder: tuple[str, ...], name: str) -> bytes:
    return read_below(place, (*folder, name), LONGEST_BESIDE)


def where(place: Path, found: Found) -> str:
    """Return a file's path as it is said to people."""
    return str(place.joinpath(*found.parts))


@dataclass
class Desk:
    """Sorts what one student handed in by assignment."""

    student: str
    place: Path
    known: list[str]
    inbox: Inbox
    name: str = ""  # as it was found

    def take(self, pieces: list[Piece]) -> None:
        """Enter every notebook as a submission or as a stray."""
        before = len(self.inbox.handed) + len(self.inbox.strays)
        slots: dict[str, list[Piece]] = {}
        for piece in pieces:
            if piece.claim.account == "" and piece.claim.inside[:1] and piece.claim.inside[0] in self.known:
                slots.setdefault(piece.claim.inside[0], [])
        for piece in self._unpacked(pieces):
            if piece.found.notebook or piece.found.trouble:
                assignment = self._assignment(piece)
                if assignment:
                    slots.setdefault(assignment, []).append(piece)
                else:
                    self._stray(piece, piece.found.trouble or self._unknown())
        for assignment, candidates in slots.items():
            self._enter(assignment, candidates, pieces)
        if before == len(self.inbox.handed) + len(self.inbox.strays) and not self.student.startswith("%2E"):
            files = [piece.found.parts[-1] for piece in pieces if not piece.found.folder]
            holds = f"it holds {', '.join(files[:5])}" if files else "it is empty"
            place = where(self.place, pieces[0].found) if pieces else str(self.place / self.student)
            self.inbox.strays.append(Stray(self.student, place, f"there is no notebook: {holds}"))

    def _unpacked(self, pieces: list[Piece]) -> Iterator[Piece]:
        """Return the files, those in a student's own zip in its stead."""
        for piece in pieces:
            if piece.found.parts[-1].lower().endswith(".zip") and not piece.found.trouble:
                yield from self._unzipped(piece)
            else:
                yield piece

    def _unzipped(self, piece: Piece) -> Iterator[Piece]:
        try:
            inner = [found for found in zips.inside(piece.found) if not is_junk(found.parts)]
        except Unreadable as error:
            yield Piece(replace(piece.found, trouble=str(error)), piece.claim)
            return
        for found in inner:
            path = piece.claim.inside[:-1] + found.parts[len(piece.found.parts) - 1 :]
            deeper = found.parts[-1].lower().endswith(".zip")
            trouble = found.trouble or ("a zip in a zip is not looked into" if deeper else "")
            yield Piece(replace(found, trouble=trouble), replace(piece.claim, inside=path))

    def _assignment(self, piece: Piece) -> str | None:
        """Return the assignment: by folder, by what the notebook says, by file name, by the inbox's name."""
        folders = [part for part in piece.claim.inside if part in self.known]
        return (folders[0] if folders else None) or self._says(piece) or self._named(piece)

    def _says(self, piece: Piece) -> str | None:
        try:
            return assignment_of(parse(piece.found.read()), self.known)
        except Unreadable:
            return None

    def _named(self, piece: Piece) -> str | None:
        for name in (*piece.claim.inside[-1:], self.place.name):
            for assignment in sorted(self.known, key=len, reverse=True):
                if re.search(rf"(?<![a-z]){assignment}(?![a-z])", name.lower()):
                    return assignment
        return None

    def _enter(self, assignment: str, candidates: list[Piece], pieces: list[Piece]) -> None:
        """Enter the one submission of an assignment; what is beside it is said."""
        chosen, reason = self._chosen(assignment, candidates)
        if chosen is None:
            source = Found((self.student, assignment), bytes, reason or self._nothing(assignment, pieces))
            self._hand(Handed(self.student, assignment, where(self.place, source), source), pieces)
            return
        inside = chosen.claim.inside
        filed = self.place.is_dir() and not chosen.claim.account and inside == (assignment, f"{assignment}.ipynb")
        beside = partial(_beside, self.place, chosen.found.parts[:-1]) if filed else None
        notes = ("handed in late, says the LMS",) if chosen.claim.late else ()
        handed = Handed(self.student, assignment, where(self.place, chosen.found), chosen.found, beside, notes)
        self._hand(handed, pieces)
        for piece in candidates:
            if piece is not chosen and not self._same(piece, chosen):
                beside = f"not graded: {chosen.found.path} is the one that counts for '{assignment}'"
                self._stray(piece, piece.found.trouble or beside)

    def _hand(self, handed: Handed, pieces: list[Piece]) -> None:
        account = next((piece.claim.account for piece in pieces), "")  # of one student there is but one
        self.inbox.handed.append(replace(handed, name=self.name or self.student, account=account))

    def _chosen(self, assignment: str, candidates: list[Piece]) -> tuple[Piece | None, str]:
        """Return the candidate that counts, or None and why there is none."""
        candidates = [piece for piece in candidates if piece.found.notebook] or candidates
        filed = [piece for piece in candidates if piece.claim.inside[-2:] == (assignment, f"{assignment}.ipynb")]
        named = [piece for piece in candidates if piece.claim.inside[-1:] == (f"{assignment}.ipynb",)]
        dated = [piece for piece in candidates if piece.claim.attempt]
        newest = [piece for piece in dated if piece.claim.attempt == max(one.claim.attempt or (0, 0) for one in dated)]
        saying = [piece for piece in candidates if self._says(piece) == assignment] if len(candidates) > 1 else []
        for some in (filed, newest, named, saying, candidates):
            if some and all(self._same(some[0], other) for other in some[1:]):
                return some[0], ""
        if not candidates:
            return None, ""
        paths = ", ".join(piece.found.path for piece in candidates[:5])
        return None, f"several notebooks were handed in for it, and which one counts is not to be told: {paths}"

    @staticmethod
    def _same(one: Piece, other: Piece) -> bool:
        try:
            return one.found.read() == other.found.read()
        except Unreadable:
            return False

    def _nothing(self, assignment: str, pieces: list[Piece]) -> str:
        files = [piece.found.parts[-1] for piece in pieces if piece.claim.inside[:1] == (assignment,)]
        files = [name for name in files if name != assignment]
        return f"there is no such file; the folder holds {', '.join(files[:5]) if files else 'nothing'}"

    def _unknown(self) -> str:
        return f"it does not say which assignment it is; expected one of {', '.join(self.known)}"

    def _stray(self, piece: Piece, error: str) -> None:
        self.inbox.strays.append(Stray(self.student, where(self.place, piece.found), error))
