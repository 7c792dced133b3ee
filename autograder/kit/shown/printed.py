"""The printed output of a student's function during its check: a few lines of one call, below the verdict."""

import contextlib
import io
from collections.abc import Iterator
from dataclasses import dataclass, field

from autograder.kit.shown.history import shell
from autograder.kit.verdict.answer import Answer, Caller

MOST_LINES, LONGEST = 12, 160  # that are shown, and the characters of one


class Kept(io.TextIOBase):
    """A stream that keeps the first lines and counts the others: an endless loop may print without an end."""

    def __init__(self) -> None:
        self.text, self.lines = "", 0

    def write(self, text: str) -> int:
        self.lines += text.count("\n")
        self.text += text[: max(0, MOST_LINES * LONGEST - len(self.text))]
        return len(text)


@dataclass
class Prints:
    """Calls a student's function, and keeps the printed output of each call."""

    calls: list[tuple[Kept, bool]] = field(default_factory=list)  # the printed output, and whether the call failed

    def of(self, caller: Caller) -> Caller:
        """Return a caller that keeps the printed output of its calls."""

        def listened(function: str, arguments: list, cotangents: list | None = None) -> Answer:
            kept, failed = Kept(), True
            try:
                with contextlib.redirect_stdout(kept), contextlib.redirect_stderr(kept), _without_pictures():
                    answer = caller(function, arguments, cotangents)
                failed = answer.error is not None
            finally:
                self.calls.append((kept, failed))
            return answer

        return listened

    def text(self, last: bool) -> str:
        """Return the printed output of the last call, or of the first that failed, and the count of all other lines."""
        heard = [call for call in self.calls if call[0].text.strip()]
        if not heard:
            return ""
        chosen = heard[-1] if last else next((call for call in heard if call[1]), heard[0])
        lines = chosen[0].text.rstrip().splitlines()[:MOST_LINES]
        more = sum(kept.lines for kept, _ in heard) - len(lines)
        what = "on the example" if last else "in the call that fails" if chosen[1] else "in the first call of the check"
        rows = [f"Your function prints, {what}:", *(f"    {line[:LONGEST]}" for line in lines)]
        return "\n".join([*rows, *([f"    ({more} more lines, of all calls)"] if more > 0 else [])])


@contextlib.contextmanager
def _without_pictures() -> Iterator[None]:
    """Keep a function's displays out of the notebook: a plot for each call would bury the verdict."""
    if shell() is None:
        yield
        return
    from IPython.utils.capture import capture_output

    with capture_output(stdout=False, stderr=False, display=True):
        yield
