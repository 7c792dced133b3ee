"""Calls asked for at once are answered one by one: what comes before a loop, a death or an interrupt counts."""

import numpy as np
import pytest

from autograder.judge.session import Session
from autograder.judge.worker_client import ENDED
from autograder.kit.verdict.answer import Answer, Call, Failure
from tests.support.sandboxed import DOUBLE, still_answers, text

ARGUMENTS = [np.full(2 + n, n, np.float32) for n in range(5)]
STOPS = "def stops(x):\n    if len(x) == 4:\n        {}\n    return 2 * x"  # at the third call


def asked(session: Session, function: str) -> list[Answer]:
    session.begin_check()
    return session.call_many(function, [Call([each]) for each in ARGUMENTS])


def right(answers: list[Answer]) -> list[bool]:
    return [
        answer.error is None and np.array_equal(answer.outputs[0], 2 * each)
        for answer, each in zip(answers, ARGUMENTS, strict=False)
    ]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("while True: pass", "timeout"),
        ("import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n        while True: pass", "timeout"),
        ("import os; os._exit(0)", "died"),
        ("import ctypes; ctypes.string_at(0)", "died"),
    ],
    ids=["loop", "ignores interrupts", "exit", "crash"],
)
def test_what_came_before_the_end_counts(session: Session, body: str, kind: str) -> None:
    session.run(DOUBLE)
    session.run(STOPS.format(body))
    answers = asked(session, "stops")
    assert right(answers) == [True, True, False, False, False]
    assert [answer.error and answer.error.kind for answer in answers] == [None, None, kind, kind, kind]
    assert kind != "died" or answers[2].error == Failure("died", ENDED)
    assert still_answers(session)


def test_the_worker_of_a_loop_goes_on(session: Session) -> None:
    """What a cell left in it is still there, and no late reply is taken for the answer to another question."""
    session.run(STOPS.format("while True: pass"))
    session.run("import os, time\npid = os.getpid(), time.monotonic_ns()")
    before = text(session.run("pid"))
    asked(session, "stops")
    assert text(session.run("pid")) == before


def test_an_error_is_one_calls_own(session: Session) -> None:
    session.run(STOPS.format("raise ValueError('three')"))
    answers = asked(session, "stops")
    assert right(answers) == [True, True, False, True, True]
    assert answers[2].error.text.startswith("ValueError: three")


@pytest.mark.parametrize("then", ["", "; time.sleep(0.2)"])
def test_who_interrupts_the_process_gets_no_more_calls(session: Session, then: str) -> None:
    session.run(DOUBLE)
    session.run("import os, signal, time")
    session.run(STOPS.format(f"os.kill(os.getpid(), signal.SIGINT){then}"))
    answers = asked(session, "stops")
    assert right(answers) == [True, True, False, False, False]
    assert {answer.error.kind for answer in answers[2:]} == {"raised"}
    assert still_answers(session)


@pytest.mark.parametrize(
    "trick",
    [
        "import signal\nh = signal.getsignal(signal.SIGINT)\n"
        "type(h).interrupted = property(lambda self: True, lambda self, value: None)",
        "import gc\nfrom autograder.kit.calls import frames\n"
        "j = next(o for o in gc.get_objects() if type(o).__name__ == '_JudgeLink')\n"
        "frames.send(j.link, {'id': j.request, 'reply': None})",
    ],
    ids=["always interrupted", "says that no reply comes"],
)
def test_who_disturbs_the_replies_to_cells_disturbs_no_judge(session: Session, trick: str) -> None:
    session.run(DOUBLE)
    session.run(trick)
    session.run("a = 1")
    asked(session, "double")
    session.run("print(a)")


def test_tensors_are_kept_by_the_number_of_the_call(session: Session) -> None:
    """A function that changes its argument finds it changed the second time, until another one is checked."""
    session.run("def add(x):\n    x += 1\n    return x")
    session.run("def plus(x):\n    return x + 1")
    ones = [np.ones(n, np.float32) for n in (2, 3)]
    session.begin_check()
    calls = [Call([each], number=number) for number, each in enumerate(ones)]
    for value in (2, 3):
        assert [answer.outputs[0].max() for answer in session.call_many("add", calls)] == [value, value]
    session.call_many("plus", calls)
    assert [answer.outputs[0].max() for answer in session.call_many("add", calls)] == [2, 2]


def test_a_cell_that_is_not_shown_runs_all_the_same(session: Session) -> None:
    """No value, plot or traceback is made; what it defines and prints is there, and the next cell is shown."""
    session.run("class Loud:\n    def __repr__(self):\n        print('repr')\n        return 'loud'")
    plot = "import matplotlib.pyplot as plt\nplt.plot([0, 1])\nplt.show()"
    assert session.run(f"a = 7\n{plot}\nprint('said')\nLoud()", is_shown=False) == [
        {"output_type": "stream", "name": "stdout", "text": "said\n"}
    ]
    assert session.run("a += 1\n1 / 0", is_shown=False) == []
    assert text(session.run("print(a)\nLoud()")) == "8\nrepr\n{'text/plain': 'loud'}"
    assert "ZeroDivisionError" in text(session.run("1 / 0"))
