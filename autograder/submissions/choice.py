"""The choice among several notebooks of one student, and the notice about the others."""

from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta

from autograder.assignment import template
from autograder.submissions import parser_client
from autograder.submissions.files import SubmittedFile
from autograder.submissions.notebook import Unreadable

APART = timedelta(minutes=10)  # some Moodles give each file the time of the download: those are seconds apart
MOST_NAMED = 5  # files in one sentence


def is_unwritten(candidate: SubmittedFile, assignment: str) -> bool:
    """Return whether a notebook is known to hold no answer."""
    with suppress(Unreadable):
        return parser_client.is_unwritten(candidate.read(), template(assignment))
    return False


def newest(left: list[SubmittedFile]) -> list[SubmittedFile]:
    """Return the newest by the LMS's count, else by the zip's times where those are far enough apart."""
    attempts = [each.owner.attempt for each in left if each.owner.attempt]
    if attempts:
        return [each for each in left if each.owner.attempt == max(attempts)]
    times = [each.time for each in left if each.time]
    if len(times) < len(left) or any(timedelta(0) < max(times) - time < APART for time in times):
        return []
    return [each for each in left if each.time == max(times)]


def own_path(candidate: SubmittedFile) -> str:
    """Return a file's path below its student's folder, or its whole name where Canvas counts uploads in it."""
    return candidate.path if candidate.owner.attempt else "/".join(candidate.owner.parts)


def notice(chosen: SubmittedFile, others: dict[SubmittedFile, str]) -> str:
    """Return the notice for a student who handed in several notebooks, "" for one who did not."""
    reasons = [f"{own_path(each)}, which {why}" for each, why in others.items() if why][:MOST_NAMED]
    return f"Graded: {own_path(chosen)}. Not graded: {'; '.join(reasons)}." if reasons else ""


def undecided(candidates: Iterable[SubmittedFile]) -> str:
    """Return the reason why none of several notebooks is graded, with advice."""
    names = ", ".join(own_path(each) for each in list(candidates)[:MOST_NAMED])
    return (
        f"several notebooks were handed in for it, and nothing tells which one counts: {names}. Hand in only one; "
        "a teacher can delete the others from the unpacked zip and grade that folder"
    )


def of_another(assignment: str, expected: str) -> str:
    """Return the reason why a notebook of another assignment than the run's is not graded."""
    stays = f"a grade in '{assignment}' stays as it is"
    return f"this is the notebook of '{assignment}', expected that of '{expected}'; {stays}"
