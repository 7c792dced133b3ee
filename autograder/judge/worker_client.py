"""One worker in the sandbox: requests to it, with a limit on waiting, and answers that may only hold values."""

import math
import secrets
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

from autograder.judge.timing import Limits, TimeBudget
from autograder.kit.calls import codec, frames
from autograder.kit.calls.proxy import MOST_BODY, MOST_HEADER
from autograder.kit.verdict.answer import Failure, Kind
from autograder.sandbox.sandbox import Sandbox

if TYPE_CHECKING:
    from autograder.judge.reference_server import Earlier

Server = Callable[[Any], dict]  # answers questions of the code in the sandbox
ENDED = "the code ended the Python process (exit, a crash in native code, or too much memory)"


Most = tuple[int, int]  # of the largest frame that a worker may send: bytes of arrays, and of text
READY: Most = 0, 100
CELL: Most = 0, 5 << 20  # a cell's outputs are text: a million characters of up to four bytes, and their frame
CALL: Most = 16 << 20, 1 << 20  # a call's are arrays: a check's arguments, gradients and outputs are far smaller
ASKING: Most = max(CALL[0], MOST_BODY), max(CELL[1], MOST_HEADER)  # either, or a question for an earlier function


class NoReply(Exception):
    """No answer: the failure is in words for the student, and `starved` tells if only a busy machine is to blame."""

    def __init__(self, kind: Kind, text: str, replies: Sequence[Any] = (), starved: bool = False) -> None:
        super().__init__(text)
        self.failure, self.starved = Failure(kind, text), starved
        self.replies = list(replies)  # that came before


class WorkerDied(NoReply):
    """The worker is gone."""


class TimedOut(NoReply):
    """The request was interrupted when its time was up; the worker lives."""


class Worker:
    """One worker in the sandbox."""

    def __init__(self, sandbox: Sandbox, limits: Limits, earlier: "Earlier | None" = None) -> None:
        self.grace = limits.grace
        self.earlier = earlier
        self.server: Server | None = None  # answers the questions of the code in the running call
        self.asked = 0
        self.job = sandbox.start_worker(cpu_seconds=10 + math.ceil(limits.total))
        try:
            frames.receive(self.job.link, time.monotonic() + 60, *READY)
        except codec.CodecError as error:
            self._lost("no_worker", f"no worker came up: {error}")
        if earlier:
            self.request(self.budget(60, 60), READY, 1, op="carry", functions=list(earlier.references))

    def budget(self, compute: float, clock: float) -> TimeBudget:
        """Begin to count the worker's time."""
        return TimeBudget(self.job.process.pid, compute, clock)

    def request(self, budget: TimeBudget, most: Most, count: int, **request: Any) -> list[Any]:
        """Return `count` replies; raise TimedOut or WorkerDied when they do not come in time.

        There are fewer if the code sends itself an interrupt, or says that no more come.
        """
        self.asked = secrets.randbits(62)  # no answer can be sent ahead of its request
        replies: list[Any] = []
        try:
            self._send(budget, request)
            self._receive(budget, most, count, replies)
        except frames.TooLate:
            self._interrupt(budget, most, replies, count)
        except (frames.Closed, ConnectionError):
            self._lost("died", ENDED, replies)
        except (codec.CodecError, OSError) as error:
            self._lost("bad_output", f"the code disturbed the grader's connection ({error})", replies)
        return replies

    def _send(self, budget: TimeBudget, message: dict[str, Any]) -> None:
        self.job.link.settimeout(max(0.1, min(budget.until - time.monotonic(), budget.compute)))
        frames.send(self.job.link, {"id": self.asked, **message})

    def _lost(self, kind: Kind, text: str, replies: Sequence[Any] = (), starved: bool = False) -> NoReturn:
        """Kill the rest of the worker, and raise WorkerDied; if the sandbox fell, the notebook is judged again."""
        sandbox_died = self.job.has_sandbox_died()
        self.kill()
        if sandbox_died:
            raise WorkerDied("no_worker", "the grader's sandbox fell", starved=True) from None
        raise WorkerDied(kind, text, replies, starved) from None

    def _receive(self, budget: TimeBudget, most: Most, count: int, replies: list[Any]) -> None:
        """Put `count` replies into the list; an interrupted worker says that no more come."""
        while len(replies) < count and (reply := self._reply(budget, most)) is not None:
            replies.append(reply)

    def _reply(self, budget: TimeBudget, most: Most) -> Any:
        """Return the reply; before it, the worker may ask for values of earlier or served functions."""
        server = self.server or (self.earlier.answer if self.earlier else None)
        most = ASKING if server else most
        while True:
            frame = frames.receive(self.job.link, budget.wait(self.job.link), *most)
            if not isinstance(frame, dict) or frame.get("id") != self.asked:
                raise codec.CodecError("an answer to no question")
            if "reply" in frame:
                return frame["reply"]
            if server is None or "ask" not in frame:
                raise codec.CodecError("an answer to no question")
            self._send(budget, {"answer": server(frame["ask"])})

    def _interrupt(self, budget: TimeBudget, most: Most, replies: list[Any], count: int) -> NoReturn:
        """Send an interrupt like Ctrl-C; kill a worker that ignores it, or that may be asking something."""
        why, starved = budget.why()
        if self.server or self.earlier:
            self._lost("timeout", f"the code {why}", replies, starved)
        with suppress(OSError, codec.CodecError):
            self.job.process.send_signal(signal.SIGINT)
            self._receive(self.budget(self.grace, self.grace), most, count - len(replies), [])
            raise TimedOut("timeout", why, replies, starved)
        self._lost("timeout", f"the code {why} It ignored the interrupt", replies, starved)

    def kill(self) -> None:
        """Kill the worker and every process that it started: it is pid 1 of its namespace."""
        self.job.end()
