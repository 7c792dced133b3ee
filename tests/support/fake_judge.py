"""A judge of no sandbox for the tests of pools: it gives points by student name, and does what the name says."""

import os
import signal
import time
from dataclasses import replace
from multiprocessing.connection import Connection
from unittest import mock

from autograder.assignment import Template, template
from autograder.judge import process
from autograder.judge.assess import Outcome, Task, without_points
from autograder.judge.judge import Judged, refused
from autograder.judge.process import JudgeSettings


class StandIn:
    """Gives everybody the same points, and dies, hangs or fails where a student is called so."""

    def notebook(self, notebook, form: Template, content: bytes, student: str, is_first: bool) -> Judged:
        if student.startswith("killer"):
            os.kill(os.getpid(), signal.SIGKILL)
        if student.startswith("sleeper"):
            time.sleep(600)
        if student.startswith("cut"):
            mock.patch.object(Connection, "_send", _die_halfway).start()
        if student.startswith("faulty"):
            raise ZeroDivisionError("of the grader")
        judged = refused(form, "")
        judged.error = None
        for verdict in judged.verdicts.values():
            verdict.hint, verdict.score = None, verdict.max_score
        return judged


def _die_halfway(self: Connection, message: bytes) -> None:
    os.write(self.fileno(), bytes(message)[: len(message) // 2])
    os.kill(os.getpid(), signal.SIGKILL)


def judged(settings: JudgeSettings, task: Task) -> Outcome:
    """Judge as a judging process does, without a sandbox; `once NAME` is killed at its first try only."""
    mark = task.content.decode() if task.content and task.student.startswith("once") else ""
    if mark and not os.path.exists(mark):  # noqa: PTH110
        os.close(os.open(mark, os.O_CREAT))
        os.kill(os.getpid(), signal.SIGKILL)
    if mark:
        return without_points(template(task.assignment), "the second time")
    with mock.patch.object(process, "judge_for", return_value=StandIn()):  # other tests' tasks may come here too
        return process.judged(settings, task)


def sleeping(settings: JudgeSettings, task: Task) -> Outcome:
    """Judge nobody for a while."""
    time.sleep(3)
    raise AssertionError("nobody waits for this")


def crowded(settings: JudgeSettings, task: Task) -> Outcome:
    """Judge on a busy machine: a file named in the submission tells who begins and ends when."""
    mark = (task.content or b"").decode()
    for word in ("begins", "ends"):
        with open(mark, "a") as file:  # noqa: PTH123
            file.write(f"{task.student} {word}\n")
        time.sleep(0.2)
    return replace(without_points(template(task.assignment), ""), starved=task.student.startswith("starved"))
