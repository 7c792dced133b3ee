"""Which of one student's notebooks for an assignment counts, and why the others do not."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from autograder.assignment import template
from autograder.submissions import parser_client
from autograder.submissions.files import SubmittedFile
from autograder.submissions.notebook import Unreadable

APART = timedelta(minutes=10)  # some Moodles give each file the time of the download: those are seconds apart
MOST_NAMED = 5  # files in one sentence


@dataclass(frozen=True)
class Choice:
    """The choice among the notebooks for one assignment; `content` returns a file's digest and what it declares."""

    assignment: str
    content: Callable[[SubmittedFile], tuple[str | None, str | None]]

    def of(self, candidates: list[SubmittedFile]) -> tuple[SubmittedFile | None, dict[SubmittedFile, str]]:
        """Return the one that counts, and each of other content with what is wrong with it.

        The rules, in their order: one without an answer never counts beside one with; NAME/NAME.ipynb, unless it came
        from an LMS, where students name the folders; what declares the assignment; the newest. Where different
        contents are left, none counts, and they are returned.
        """
        left = [each for each in candidates if each.is_notebook] or candidates
        why = {each: "" for each in candidates if each not in left}
        rules = {
            "is as it was released": self._answered,
            "does not lie where it belongs": self._in_its_place,
            "does not say that it is of this assignment": self._declaring,
            "is older": self._newest,
        }
        for reason, rule in rules.items():
            if not self._are_equal(left):
                kept = rule(left) or left
                why |= {each: reason for each in left if each not in kept}
                left = kept
        if left and self._are_equal(left):
            return left[0], why
        return None, dict.fromkeys(left, "")

    def _are_equal(self, files: list[SubmittedFile]) -> bool:
        digests = {self.content(each)[0] for each in files[1:]}
        return not digests or digests == {self.content(files[0])[0]} != {None}

    def _answered(self, left: list[SubmittedFile]) -> list[SubmittedFile]:
        answered = []
        for each in left:
            with suppress(Unreadable):
                if parser_client.is_unwritten(each.read(), template(self.assignment)):
                    continue
            answered.append(each)  # also one of which nobody knows
        return answered

    def _in_its_place(self, left: list[SubmittedFile]) -> list[SubmittedFile]:
        place = (self.assignment, f"{self.assignment}.ipynb")
        return [each for each in left if each.owner.parts[-2:] == place and not each.owner.account]

    def _declaring(self, left: list[SubmittedFile]) -> list[SubmittedFile]:
        return [each for each in left if self.content(each)[1] == self.assignment]

    def _newest(self, left: list[SubmittedFile]) -> list[SubmittedFile]:
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
    """Return what a student is told who handed in several notebooks, "" to one who did not."""
    reasons = [f"{own_path(each)}, which {why}" for each, why in others.items() if why][:MOST_NAMED]
    return f"Graded: {own_path(chosen)}. Not graded: {'; '.join(reasons)}." if reasons else ""


def undecided(candidates: Iterable[SubmittedFile]) -> str:
    """Return why none of several notebooks is graded, and what to do."""
    names = ", ".join(own_path(each) for each in list(candidates)[:MOST_NAMED])
    return (
        f"several notebooks were handed in for it, and which one counts cannot be told: {names}. Hand in one alone; "
        "a teacher deletes the others from the unpacked zip and grades that folder"
    )
