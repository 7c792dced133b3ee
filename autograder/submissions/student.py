"""What one student handed in, sorted by assignment: one notebook counts for each, and what is beside it is said."""

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from autograder.submissions import limited, zip_files
from autograder.submissions.files import Found
from autograder.submissions.lms_names import Owner, is_junk
from autograder.submissions.notebook import Unreadable, read_below

LONGEST_BESIDE = 1000  # bytes of what nbgrader keeps beside a notebook
# Of one student's: whoever hands in more, by mistake or not, keeps nobody waiting.
MOST_ZIPS, MOST_NOTEBOOKS, MOST_STRAYS = 20, 200, 50
MOST_BYTES = 256 << 20  # read to tell which notebook is for which assignment
LESS = "hand in one notebook for each assignment"


@dataclass(frozen=True)
class HandIn:
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
class Rejected:
    """Something that was handed in and gets no grade; says why."""

    student: str
    file: str
    error: str


@dataclass
class Inbox:
    """All that was handed in."""

    handed: list[HandIn] = field(default_factory=list)
    strays: list[Rejected] = field(default_factory=list)
    contested: list[Rejected] = field(default_factory=list)  # of the strays, those of students who share a name


@dataclass(frozen=True)
class CandidateFile:
    """A file of a student's, and where it lies below theirs."""

    found: Found
    claim: Owner


def _beside(place: Path, folder: tuple[str, ...], name: str) -> bytes:
    return read_below(place, (*folder, name), LONGEST_BESIDE)


def where(place: Path, found: Found) -> str:
    """Return a file's path as it is said to people."""
    return str(place.joinpath(*found.parts))


@dataclass
class StudentFiles:
    """Sorts what one student handed in by assignment."""

    student: str
    place: Path
    known: list[str]
    inbox: Inbox
    name: str = ""  # as it was found
    dropped: Sequence[str] = ()  # assignments whose chapters are not in this course
    _looks: dict[CandidateFile, tuple[str | None, str | None]] = field(default_factory=dict)
    _said: dict[str, str | None] = field(default_factory=dict)
    _bytes: int = 0

    def take(self, pieces: list[CandidateFile]) -> None:
        """Enter every notebook as a submission or as a stray."""
        handed, strays = len(self.inbox.handed), len(self.inbox.strays)
        slots: dict[str, list[CandidateFile]] = {}
        for piece in pieces:
            if piece.claim.account == "" and piece.claim.inside[:1] and piece.claim.inside[0] in self.known:
                slots.setdefault(piece.claim.inside[0], [])
        for piece in self._few(pieces):
            assignment = self._assignment(piece)
            if assignment in self.dropped:
                self._stray(piece, f"'{assignment}' is not in this course: book/_toc.yml does not list its chapter")
            elif assignment:
                slots.setdefault(assignment, []).append(piece)
            else:
                self._stray(piece, piece.found.trouble or self._unknown())
        for assignment, candidates in slots.items():
            self._enter(assignment, candidates, pieces)
        nothing = handed == len(self.inbox.handed) and strays == len(self.inbox.strays)
        if nothing and not self.student.startswith("%2E"):
            files = [piece.found.parts[-1] for piece in pieces if not piece.found.folder]
            holds = f"it holds {', '.join(files[:5])}" if files else "it is empty"
            self._stray_of_all(pieces, f"there is no notebook: {holds}")
        self._cut_short(pieces, strays)

    def _few(self, pieces: list[CandidateFile]) -> list[CandidateFile]:
        """Return the notebooks and what is wrong; of too many to be looked into, those that lie where they belong."""
        zipped = sum(piece.found.zipped and not piece.found.trouble for piece in pieces)
        if zipped > MOST_ZIPS:
            self._stray_of_all(pieces, f"{zipped} zips were handed in, at most {MOST_ZIPS} are looked into; {LESS}")
            unpacked = [piece for piece in pieces if not piece.found.zipped]
        else:
            unpacked = list(self._unpacked(pieces))
        notebooks = sum(piece.found.notebook for piece in unpacked)
        few = [piece for piece in unpacked if piece.found.notebook or piece.found.trouble]
        if notebooks > MOST_NOTEBOOKS:
            reason = f"{notebooks} notebooks were handed in, at most {MOST_NOTEBOOKS} are looked into; {LESS}"
            self._stray_of_all(pieces, reason)
            few = [piece for piece in few if self._filed(piece)]
        return few

    def _filed(self, piece: CandidateFile) -> bool:
        """Return whether a notebook lies where it belongs: nobody needs to look into it to know what it is."""
        inside = piece.claim.inside
        return len(inside) == 2 and inside[0] in self.known and inside[1] == f"{inside[0]}.ipynb"

    def _stray_of_all(self, pieces: list[CandidateFile], error: str) -> None:
        place = where(self.place, pieces[0].found) if pieces else str(self.place / self.student)
        self.inbox.strays.append(Rejected(self.student, place, error))

    def _cut_short(self, pieces: list[CandidateFile], before: int) -> None:
        """Leave of a student's strays so many as a person reads."""
        more = len(self.inbox.strays) - before - MOST_STRAYS
        if more > 0:
            del self.inbox.strays[before + MOST_STRAYS :]
            self._stray_of_all(pieces, f"and {more} files more that are not graded")

    def _unpacked(self, pieces: list[CandidateFile]) -> Iterator[CandidateFile]:
        """Return the files, those in a student's own zip in its stead."""
        for piece in pieces:
            if piece.found.zipped and not piece.found.trouble:
                yield from self._unzipped(piece)
            else:
                yield piece

    def _unzipped(self, piece: CandidateFile) -> Iterator[CandidateFile]:
        try:
            inner = [found for found in zip_files.inside(piece.found) if not is_junk(found.parts)]
        except Unreadable as error:
            yield CandidateFile(replace(piece.found, trouble=str(error)), piece.claim)
            return
        for found in inner:
            path = piece.claim.inside[:-1] + found.parts[len(piece.found.parts) - 1 :]
            trouble = found.trouble or ("a zip in a zip is not looked into" if found.zipped else "")
            yield CandidateFile(replace(found, trouble=trouble), replace(piece.claim, inside=path))

    def _assignment(self, piece: CandidateFile) -> str | None:
        """Return the assignment: by folder, by what the notebook says, by file name, by the inbox's name."""
        folders = [part for part in piece.claim.inside if part in self.known or part in self.dropped]
        return (folders[0] if folders else None) or self._says(piece) or self._named(piece)

    def _says(self, piece: CandidateFile) -> str | None:
        return self._look(piece)[1]

    def _look(self, piece: CandidateFile) -> tuple[str | None, str | None]:
        """Return a file's digest and the assignment that it says it is: each file is read once, each content once."""
        if piece not in self._looks:
            try:
                self._looks[piece] = self._read(piece)
            except Unreadable:
                self._looks[piece] = None, None
        return self._looks[piece]

    def _read(self, piece: CandidateFile) -> tuple[str | None, str | None]:
        if self._bytes > MOST_BYTES:
            return None, None
        content = piece.found.read()
        self._bytes += len(content)
        digest = hashlib.sha256(content).hexdigest()
        if digest not in self._said:
            try:
                self._said[digest] = limited.assignment(content, [*self.known, *self.dropped])
            except Unreadable:
                self._said[digest] = None
        return digest, self._said[digest]

    def _named(self, piece: CandidateFile) -> str | None:
        for name in (*piece.claim.inside[-1:], self.place.name):
            for assignment in sorted(self.known, key=len, reverse=True):
                if re.search(rf"(?<![a-z]){assignment}(?![a-z])", name.lower()):
                    return assignment
        return None

    def _enter(self, assignment: str, candidates: list[CandidateFile], pieces: list[CandidateFile]) -> None:
        """Enter the one submission of an assignment; what is beside it is said."""
        chosen, reason = self._chosen(assignment, candidates)
        if chosen is None:
            source = Found((self.student, assignment), bytes, reason or self._nothing(assignment, pieces))
            self._hand(HandIn(self.student, assignment, where(self.place, source), source), pieces)
            return
        inside = chosen.claim.inside
        filed = self.place.is_dir() and not chosen.claim.account and inside == (assignment, f"{assignment}.ipynb")
        beside = partial(_beside, self.place, chosen.found.parts[:-1]) if filed else None
        notes = ("handed in late, says the LMS",) if chosen.claim.late else ()
        handed = HandIn(self.student, assignment, where(self.place, chosen.found), chosen.found, beside, notes)
        self._hand(handed, pieces)
        for piece in candidates:
            if piece is not chosen and not self._same(piece, chosen):
                beside = f"not graded: {chosen.found.path} is the one that counts for '{assignment}'"
                self._stray(piece, piece.found.trouble or beside)

    def _hand(self, handed: HandIn, pieces: list[CandidateFile]) -> None:
        account = next((piece.claim.account for piece in pieces), "")  # of one student there is but one
        self.inbox.handed.append(replace(handed, name=self.name or self.student, account=account))

    def _chosen(self, assignment: str, candidates: list[CandidateFile]) -> tuple[CandidateFile | None, str]:
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

    def _same(self, one: CandidateFile, other: CandidateFile) -> bool:
        digest = self._look(one)[0]
        return digest is not None and digest == self._look(other)[0]

    def _nothing(self, assignment: str, pieces: list[CandidateFile]) -> str:
        files = [piece.found.parts[-1] for piece in pieces if piece.claim.inside[:1] == (assignment,)]
        files = [name for name in files if name != assignment]
        return f"there is no such file; the folder holds {', '.join(files[:5]) if files else 'nothing'}"

    def _unknown(self) -> str:
        return f"it does not say which assignment it is; expected one of {', '.join(self.known)}"

    def _stray(self, piece: CandidateFile, error: str) -> None:
        self.inbox.strays.append(Rejected(self.student, where(self.place, piece.found), error))
