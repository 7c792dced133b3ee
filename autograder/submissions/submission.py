"""What a class handed in, as plain records: one Submission for each submission, one Rejected for what gets no grade."""

from collections.abc import Callable
from dataclasses import dataclass, field

from autograder.submissions.files import SubmittedFile
from autograder.submissions.notebook import Unreadable


@dataclass(frozen=True)
class Submission:
    """One submission: whose, of which assignment, and where its bytes are, or the reason why there are none.

    `file` is its path in messages. `name` and `account` are the student's name as it was handed in, and the LMS's
    number where there is one; `lms_name` is the folder's or file's whole name as the LMS made it, else "".
    `read_beside` reads what nbgrader keeps beside the notebook, given a file name. `notice` tells the student which of
    several files was graded, and why.
    """

    student: str
    assignment: str
    file: str
    source: SubmittedFile = field(compare=False)
    read_beside: Callable[[str], bytes] | None = field(default=None, compare=False)
    notes: tuple[str, ...] = ()
    name: str = field(default="", compare=False)
    account: str = field(default="", compare=False)
    lms_name: str = field(default="", compare=False)
    notice: str = ""

    def content(self) -> bytes:
        """Return the bytes that were handed in; raise Unreadable where there are none."""
        return self.source.read()

    def timestamp(self) -> bytes | None:
        """Return nbgrader's timestamp.txt: b"" where there is none, None where the hand-in came without nbgrader.

        A zip's entries carry the time of the LMS's own file, which is not always that of the hand-in.
        """
        if self.read_beside is None:
            return None
        try:
            return self.read_beside("timestamp.txt")
        except Unreadable:
            return b""


@dataclass(frozen=True)
class Rejected:
    """Something that was handed in and gets no grade; `error` says why."""

    student: str
    file: str
    error: str


@dataclass
class Inbox:
    """All that a class handed in."""

    submissions: list[Submission] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    contested: list[Rejected] = field(default_factory=list)  # of the rejected, those of students who share a name
