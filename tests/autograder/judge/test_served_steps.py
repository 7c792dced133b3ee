"""Steps that a student's function asks for: they are answered, and counted, on the grader's side of the sandbox."""

import numpy as np
import pytest

from autograder.checks import find
from autograder.judge.caller import StepServer, Student
from autograder.judge.session import Session
from autograder.kit.calls.call import call
from autograder.kit.known.table_models import MOST_STEPS, CachedSteps, state_after
from tests.support.sandboxed import QUICK

START, BOS, EOS, MAX_LEN = 3, 1, 0, 6
TABLE = np.random.default_rng(0).normal(size=(11, 7)).astype(np.float32)
TABLE[:, EOS] = -9.0  # it never ends by itself
ARGUMENTS = [START, TABLE, BOS, EOS, MAX_LEN]
RIGHT = """
def greedy_cached(start, step, bos, eos, max_len):
    tokens, token, cache = [], bos, start
    while len(tokens) < max_len:
        logits, cache = step(token, cache)
        token = int(logits.argmax())
        tokens.append(token)
        if token == eos:
            break
    return tokens
"""
FROM_THE_START = """
def greedy_cached(start, step, bos, eos, max_len):
    tokens = []
    while len(tokens) < max_len:
        cache = start
        for token in [bos, *tokens]:
            logits, cache = step(token, cache)
        tokens.append(int(logits.argmax()))
    return tokens
"""
FORGED = (
    """
import autograder.kit.calls.adapter as a
real = a._module

def forged(source):
    names = real(source)
    names["len"] = lambda steps: 6
    return names

a._module = forged
"""
    + FROM_THE_START
)
ADAPTER = find("transformer.greedy_cached").portable_adapter


def expected() -> list[int]:
    tokens, state, token = [], START, BOS
    for _ in range(MAX_LEN):
        state = state_after(state, token, len(TABLE))
        token = int(TABLE[state].argmax())
        tokens.append(token)
    return tokens


def locally(source: str):
    namespace: dict = {}
    exec(source, namespace)
    return call(namespace, "greedy_cached", ARGUMENTS, adapter=ADAPTER)


@pytest.fixture
def sandboxed(built):
    def answer(source: str):
        with Session(built, QUICK, checks=1) as session:
            session.run(source)
            session.begin_check()
            caller = StepServer(
                session, Student(session, adapter=ADAPTER), lambda arguments: CachedSteps(*arguments[:2])
            )
            return caller("greedy_cached", ARGUMENTS), session

    return answer


def test_the_tokens_are_those_of_the_model_and_each_takes_one_step(sandboxed):
    for answer in (locally(RIGHT), sandboxed(RIGHT)[0]):
        tokens, steps = answer.outputs
        assert tokens.tolist() == expected()
        assert steps == MAX_LEN


@pytest.mark.parametrize("source", [FROM_THE_START, FORGED], ids=["as it is", "with a forged count"])
def test_who_begins_from_the_start_each_time_needs_more_steps(sandboxed, source):
    tokens, steps = sandboxed(source)[0].outputs
    assert tokens.tolist() == expected()
    assert steps == MAX_LEN * (MAX_LEN + 1) // 2


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("token, 99", "the cache that start"),
        ("99, cache", "one token"),
        ("[1, 2], cache", "one token"),
        ("None, 0", "one"),
    ],
)
def test_a_step_with_other_arguments_says_what_it_expects(sandboxed, arguments, reason):
    source = RIGHT.replace("step(token, cache)", f"step({arguments})")
    for answer in (locally(source), sandboxed(source)[0]):
        assert "ValueError" in answer.error.text
        assert reason in answer.error.text


def test_a_loop_without_an_end_is_ended_and_the_next_call_is_answered(sandboxed):
    answer, session = sandboxed(RIGHT.replace("len(tokens) < max_len", "True"))
    assert answer.error
    assert str(MOST_STEPS) in answer.error.text or answer.error.kind == "timeout"
    assert session.server is None
