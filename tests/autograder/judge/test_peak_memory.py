"""How much memory a call takes is measured from outside, and costs the points for it alone."""

import functools
import inspect
import math

import numpy as np
import pytest
import torch

from autograder.checks import find
from autograder.judge.caller import Student
from autograder.judge.runs import FirstCalls
from autograder.judge.session import Limits, Session
from autograder.kit.call import call
from autograder.kit.grading import grade
from tests.answers.self_attention import right_layers, wrong_layers
from tests.support.sandboxed import QUICK

MOST = 16 << 20
IMPORTS = "import math\nimport torch\nimport torch.nn.functional as F\n"
MAKES = "def makes(count):\n    numbers = torch.ones(count)\n    return numbers[:1] + 1\n"
HOARDS = (
    "def makes(count):\n    parts = [torch.ones(1 << 18) for _ in range(count >> 18)]\n    return parts[0][:1] + 1\n"
)
WHOLE = """
def chunked_attention(Q, K, V, chunk, mask=None):
    scores = Q @ K.mT / Q.shape[-1] ** 0.5
    scores = scores if mask is None else scores.masked_fill(~mask, -1e9)
    return scores.softmax(-1) @ V
"""
IN_PLACE = """
def chunked_attention(Q, K, V, chunk, mask=None):
    if Q.requires_grad:
        grown = Q @ K.mT / Q.shape[-1] ** 0.5
        grown = grown if mask is None else grown.masked_fill(~mask, -1e9)
        return grown.softmax(-1) @ V
    grown = (Q / Q.shape[-1] ** 0.5) @ K.mT
    if mask is not None:
        grown.masked_fill_(~mask, -1e9)
    grown.sub_(grown.amax(-1, keepdim=True)).exp_()
    return grown @ V / grown.sum(-1, keepdim=True)
"""


@pytest.fixture
def measured(built):
    def answer(source: str, before: str = ""):
        with Session(built, QUICK, checks=1) as session:
            session.run(IMPORTS + before)
            session.run(source)
            session.begin_check()
            return [Student(session).measured("makes", [count], MOST) for count in (1 << 20, 20 << 20, 1 << 20)]

    return answer


@pytest.mark.parametrize("source", [MAKES, HOARDS], ids=["one tensor", "many small ones"])
@pytest.mark.parametrize("before", ["", "numbers = torch.ones(100 << 20)\ndel numbers"], ids=["at once", "after more"])
def test_a_call_that_takes_too_much_has_an_error_and_its_answer(measured, source, before):
    few, many, again = measured(source, before)
    assert few.error is again.error is None
    assert "more than 16 MB" in many.error.text
    assert many.outputs[0].tolist() == few.outputs[0].tolist() == [2.0]


def test_here_the_largest_tensor_is_looked_at():
    from autograder.kit.peak import within

    namespace: dict = {"torch": torch}
    exec(MAKES, namespace)
    errors = [within(functools.partial(call, namespace), "makes", [count], MOST).error for count in (1 << 20, 20 << 20)]
    assert errors[0] is None
    assert "more than 16 MB" in errors[1].text


@functools.cache
def cases(seed: int) -> list:
    return find("self_attention.chunked_attention").draw(np.random.default_rng(seed))


def judged(built, source: str, seed: int):
    check, drawn = find("self_attention.chunked_attention"), cases(seed)
    with Session(built, Limits(), checks=1) as session:
        session.run(IMPORTS)
        session.run(source)
        session.begin_check()
        caller = FirstCalls(Student(session), check.function, len(drawn))
        verdict = grade("self_attention.chunked_attention", drawn, check.criteria, caller)
        assert len(caller.calls) == len(drawn)
    return verdict


@pytest.mark.parametrize("source", [WHOLE, IN_PLACE], ids=["all scores", "all scores, in place"])
def test_who_builds_all_scores_loses_the_points_for_the_memory_alone(built, source):
    verdict = judged(built, source, 0)
    assert [name for name, points, got in verdict.criteria if got < points] == ["the memory"]
    assert "128 queries, 65,536 keys" in verdict.hint
    assert not math.isclose(verdict.score, 0)


STYLES = [value for name, value in vars(right_layers).items() if name.startswith("chunked_")]


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.__name__)
def test_every_right_style_stays_far_below(built, style):
    source = "\n".join(inspect.getsource(each) for each in (right_layers._masks, style))
    for seed in (0, 1):
        assert judged(built, source.replace(style.__name__, "chunked_attention"), seed).hint is None


@pytest.mark.parametrize("wrong", [wrong_layers.chunked_whole_in_parts, wrong_layers.chunked_queries])
def test_other_ways_to_hold_all_scores_are_seen_too(built, wrong):
    source = inspect.getsource(wrong).replace(wrong.__name__, "chunked_attention")
    product = "def scaled_dot_product(Q, K, V, mask=None):\n    s = Q @ K.mT / Q.shape[-1] ** 0.5\n"
    product += "    s = s if mask is None else s.masked_fill(~mask, -1e9)\n    return s.softmax(-1) @ V, s\n"
    verdict = judged(built, product + source, 0)
    assert [name for name, points, got in verdict.criteria if got < points] == ["the memory"]
