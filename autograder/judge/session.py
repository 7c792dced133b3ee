"""The trusted end of a notebook's run: its workers one after the other, and the time left."""

import math
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from autograder.judge.pictures import is_picture
from autograder.judge.timing import Limits, TimeBudget
from autograder.judge.worker_client import (
    CALL,
    CELL,
    NoReply,
    Server,
    TimedOut,
    Worker,
    WorkerDied,
)
from autograder.kit.calls.adapter import Adapter
from autograder.kit.calls.peak import exceeded
from autograder.kit.verdict.answer import OWN_KINDS, Answer, Call, Failure, clean_answer, clean_text
from autograder.sandbox.memory_watchdog import PeakMemory
from autograder.sandbox.sandbox import Sandbox

if TYPE_CHECKING:
    from autograder.judge.reference_server import Earlier

__all__ = ["Limits", "Session"]


@dataclass(frozen=True)
class _Finished:
    """A cell that ran to its end: a fresh worker runs it again."""

    source: str
    own: bool
    seconds: float


@dataclass
class Session:
    """One notebook's run: its workers, one after the other, and the time left.

    The student's own cells have the notebook's seconds. Released cells, and those that define a graded function, have
    time beyond that; each check to come keeps a part of it, which no cell and no other check can take. Waiting for a
    worker or a sandbox is not charged.
    """

    sandbox: Sandbox
    limits: Limits = field(default_factory=Limits)
    earlier: "Earlier | None" = None  # answers in place of the student's earlier functions
    checks: int = 0  # to come
    until: float = math.inf  # a deadline of the caller's own
    starved: bool = False  # something was stopped because it had to wait its turn
    ran: list[str] = field(default_factory=list)  # the cells that ended by themselves, those with an error too
    stopped: Failure | None = None  # why the last cell did not end by itself
    trouble: Failure | None = None  # why the last check got no more answers
    server: Server | None = None  # answers the questions of the student's function in a call
    _worker: Worker | None = None
    _finished: list[_Finished] = field(default_factory=list)
    _budget: TimeBudget | None = None  # the running check's
    _slow: bool = False  # a cell had to wait its turn

    def __post_init__(self) -> None:
        now = time.monotonic()
        self.until = min(self.until, now + self.limits.total)
        self._own_until = now + self.limits.notebook
        self._share = self.limits.check / self.checks if self.checks else 0.0

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        if self._worker:
            self._worker.kill()
            self._worker = None

    def run(self, source: str, own: bool = True, is_shown: bool = True) -> list[dict[str, Any]]:
        """Run one of the notebook's cells and return its outputs, cleaned; `own` is a cell that the student added.

        Outputs that are not shown are not made either: to print a tensor takes longer than to compute it.
        """
        self.stopped = None
        if (left := self._left(own)) <= 0:
            self.starved |= self._slow
            self.stopped = self._over()
            return [error_output("Not run", self.stopped.text)]
        try:
            budget = self._alive().budget(self.limits.cell, min(left, self.limits.cell * self.limits.patience))
            replies = self._alive().request(budget, CELL, 1, op="cell", source=source, is_shown=is_shown)
        except NoReply as error:
            self.stopped = self._no_reply(error, "this cell")
            return [error_output("Stopped", self.stopped.text)]
        reply = replies[0] if replies else None  # a worker may send that no reply comes
        took = budget.used
        self._slow |= took.has_waited_for_cpu
        self.ran.append(source)
        if isinstance(reply, dict) and reply.get("finished") is True:
            self._finished.append(_Finished(source, own, took.clock))
        return clean_outputs(reply.get("outputs") if isinstance(reply, dict) else None)

    def begin_check(self) -> None:
        """Start the clock of the next check, once a worker has run the finished cells."""
        self.trouble = self._budget = None
        self.checks -= 1
        until = time.monotonic() + max(self._share if self.checks >= 0 else 0.0, self._left())
        if until <= time.monotonic():
            self.trouble = self._over()
            return
        try:
            worker = self._alive()
            clock = max(until - time.monotonic(), self._share / 4)
            self._budget = worker.budget(self.limits.check, min(clock, self.limits.check * self.limits.patience))
        except WorkerDied as error:
            self.trouble = self._no_reply(error, "the check")

    def call_many(self, function: str, calls: list[Call], adapter: Adapter | None = None) -> list[Answer]:
        """Return the answers to calls made one after the other; if it stops answering, those before count.

        A call with bounded memory is made alone.
        """
        most = calls[0].most if len(calls) == 1 else None
        peak = PeakMemory(self._worker.job.process.pid) if most and self._worker else None
        answers = self._answers(function, calls, adapter)
        if most and peak and not answers[0].error and peak.taken() > most:
            return [exceeded(answers[0], most)]
        return answers

    def _answers(self, function: str, calls: list[Call], adapter: Adapter | None) -> list[Answer]:
        if self.trouble is not None or self._budget is None:
            return [Answer(error=self.trouble) for _ in calls]
        about = {"op": "call", "function": function, "served": self.server is not None, "adapter": adapter}
        try:
            replies = self._alive().request(self._budget, CALL, len(calls), **about, calls=calls)
        except NoReply as error:
            replies, self.trouble = error.replies, self._no_reply(error, "the check")
        if len(replies) < len(calls) and self.trouble is None:
            self.trouble = Failure("raised", "the code interrupted itself")
        answers = [clean_answer(reply, OWN_KINDS) for reply in replies]
        return answers + [Answer(error=self.trouble) for _ in calls[len(answers) :]]

    def _no_reply(self, error: NoReply, what: str) -> Failure:
        """Return the failure for a missing answer, and remember whether only a busy machine was to blame."""
        self.starved |= error.starved
        if isinstance(error, TimedOut):
            return replace(error.failure, text=f"{what} {error.failure.text}")
        self._worker = None
        return error.failure

    def _over(self) -> Failure:
        text = (
            f"the notebook's time is over: the cells that you added have {self.limits.notebook:g} seconds together, "
            f"everything {self.limits.total:g}"
        )
        return Failure("timeout", text)

    def _left(self, own: bool = False) -> float:
        """Return the seconds left for a cell or check, without those reserved for the checks to come."""
        kept = self.until - self._share * max(0, self.checks)
        return (min(kept, self._own_until) if own else kept) - time.monotonic()

    def _alive(self) -> Worker:
        """Return the worker; a fresh one first runs the cells that had finished."""
        self._worker = self._worker or self._fresh()
        self._worker.server = self.server
        return self._worker

    def _fresh(self) -> Worker:
        began = time.monotonic()
        worker = Worker(self.sandbox, self.limits, self.earlier)
        waited = time.monotonic() - began  # which is not the student's time
        self.until, self._own_until = self.until + waited, self._own_until + waited
        try:
            budget = worker.budget(self.limits.notebook, max(self._share, self._left()))
            for cell in self._to_replay():
                worker.request(budget, CELL, 1, op="cell", source=cell.source, is_shown=False)
        except TimedOut as error:
            worker.kill()
            text = "the cells before this one did not end in time when they were run again"
            raise WorkerDied("timeout", text, starved=error.starved) from None
        return worker

    def _to_replay(self) -> list[_Finished]:
        """Return the finished cells to run again, without the student's own slow ones if they took long."""
        if sum(cell.seconds for cell in self._finished) <= self.limits.check:
            return self._finished
        return [cell for cell in self._finished if not cell.own or cell.seconds < self.limits.check / 10]


def error_output(name: str, text: str) -> dict[str, Any]:
    """Return an error as a notebook's cell shows it."""
    return {"output_type": "error", "ename": name, "evalue": text, "traceback": [f"{name}: {text}"]}


def clean_outputs(outputs: Any) -> list[dict[str, Any]]:
    """Return the outputs that a notebook may hold: text and pictures, no HTML, no scripts."""
    cleaned = [_clean_output(item) for item in outputs] if isinstance(outputs, list) else []
    return [item for item in cleaned if item is not None]


def _clean_output(item: Any) -> dict[str, Any] | None:
    kind = item.get("output_type") if isinstance(item, dict) else None
    if kind == "stream":
        return {
            "output_type": "stream",
            "name": "stdout" if item.get("name") == "stdout" else "stderr",
            "text": clean_text(item.get("text"), 1 << 20),
        }
    if kind == "error":
        lines = item.get("traceback")
        lines = [clean_text(line, 2000) for line in lines[:300]] if isinstance(lines, list) else []
        return {
            "output_type": "error",
            "ename": clean_text(item.get("ename"), 200),
            "evalue": clean_text(item.get("evalue"), 2000),
            "traceback": lines,
        }
    if kind in ("display_data", "execute_result") and isinstance(item.get("data"), dict):
        data = {
            mime: value for mime, value in item["data"].items() if isinstance(value, str) and _is_passive(mime, value)
        }
        output = {
            "output_type": kind,
            "data": {mime: clean_text(value, 2 << 20) for mime, value in data.items()},
            "metadata": {},
        }
        return output | ({"execution_count": None} if kind == "execute_result" else {})
    return None


def _is_passive(mime: str, value: str) -> bool:
    """Return whether an output is passive: plain text, or base64 and nothing else."""
    if mime == "text/plain":
        return True
    return mime in ("image/png", "image/jpeg") and value.isascii() and is_picture(mime, value.replace("\n", ""))
