"""How much memory a call takes is measured from outside, and costs the points for it alone."""

import functools
import inspect
import math

import numpy as np
import pytest
import torch

from autograder.checks import find
from autograder.judge.caller import StepServer, Student, differing
from autograder.judge.session import Limits, Session
from autograder.kit.calls.call import call
from autograder.kit.verdict.answer import Call
from autograder.kit.verdict.grading import grade
from tests.answers.language_model import right
from tests.answers.luong import right_starred
from tests.answers.self_attention import right_layers
from tests.support.sandboxed import QUICK

MOST = 16 << 20
LESS_MEMORY = "the memory"  # the demand that anyone who takes too much does not meet
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
            calls = [Call([count], most=MOST) for count in (1 << 20, 20 << 20, 1 << 20)]
            return [answer for call in calls for answer in Student(session).call_many("makes", [call])]

    return answer


@pytest.mark.parametrize("source", [MAKES, HOARDS], ids=["one tensor", "many small ones"])
@pytest.mark.parametrize("before", ["", "numbers = torch.ones(100 << 20)\ndel numbers"], ids=["at once", "after more"])
def test_a_call_that_takes_too_much_has_an_error_and_its_answer(measured, source, before):
    few, many, again = measured(source, before)
    assert few.error is again.error is None
    assert many.error.kind == "wrong"
    assert many.outputs[0].tolist() == few.outputs[0].tolist() == [2.0]


def test_here_the_largest_tensor_is_looked_at():
    from autograder.kit.calls.peak import within

    namespace: dict = {"torch": torch}
    exec(MAKES, namespace)
    errors = [within(functools.partial(call, namespace), "makes", [count], MOST).error for count in (1 << 20, 20 << 20)]
    assert errors[0] is None
    assert "more than 16 MB" in errors[1].text


CHUNKED, WINDOWED = "self_attention.chunked_attention", "luong.windowed_attention"
LATENT = "language_model.latent_step"


@functools.cache
def cases(check_id: str, seed: int) -> list:
    return find(check_id).draw(np.random.default_rng(seed))


def judged(built, source: str, seed: int, check_id: str = CHUNKED):
    check, drawn = find(check_id), cases(check_id, seed)
    with Session(built, Limits(), checks=1) as session:
        session.run(IMPORTS)
        session.run(source)
        session.begin_check()
        caller = Student(session, adapter=check.portable_adapter, cases=len(drawn))
        verdict = grade(check_id, drawn, check.criteria, caller)
        assert len(caller.first) == len(drawn)
    return verdict


@pytest.mark.parametrize("source", [WHOLE, IN_PLACE], ids=["all scores", "all scores, in place"])
def test_who_builds_all_scores_loses_the_points_for_the_memory_alone(built, source):
    verdict = judged(built, source, 0)
    assert [name for name, points, got in verdict.criteria if got < points] == [LESS_MEMORY]
    assert "128 queries, 65,536 keys" in verdict.hint
    assert not math.isclose(verdict.score, 0)


STYLES = [value for name, value in vars(right_layers).items() if name.startswith("chunked_")]


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.__name__)
def test_every_right_style_stays_far_below(built, style):
    source = "\n".join(inspect.getsource(each) for each in (right_layers._masks, style))
    assert judged(built, source.replace(style.__name__, "chunked_attention"), 0).hint is None


SOFTMAX = """
def masked_softmax(scores, mask):
    return scores.masked_fill(~mask, -1e30).softmax(-1) * mask
"""
PARTS = (right_starred._bell, right_starred._places)
WINDOW_STYLES = [value for name, value in vars(right_starred).items() if name.startswith("window_")]


@pytest.mark.parametrize("style", WINDOW_STYLES, ids=lambda style: style.__name__)
def test_every_right_window_stays_below(built, style):
    source = SOFTMAX + "\n".join(inspect.getsource(each) for each in (*PARTS, style))
    assert judged(built, source.replace(style.__name__, "windowed_attention"), 0, WINDOWED).hint is None


TURNS = (right.rope_rotate_half, right.rope_complex, right.rope_pairs)
LATENT_STYLES = [value for name, value in vars(right).items() if name.startswith("latent_")]


def of_latent(style) -> str:
    source = "\n".join(inspect.getsource(each) for each in (*TURNS, style))
    return source.replace(style.__name__, "latent_step")


@pytest.mark.parametrize("style", LATENT_STYLES, ids=lambda style: style.__name__)
def test_every_right_step_from_the_latent_cache_stays_below(built, style):
    assert judged(built, of_latent(style), 0, LATENT).hint is None


def test_who_builds_the_keys_of_one_head_at_a_time_loses_the_points_for_that_alone(built):
    absorbed, keys = "latent @ (query @ up_k[i])[..., None]", "(latent @ up_k[i].T) @ query[..., None]"
    source = of_latent(right.latent_loop)
    assert absorbed in source
    verdict = judged(built, source.replace(absorbed, keys), 0, LATENT)
    assert [name for name, points, got in verdict.criteria if got < points] == ["no keys and values of the heads"]


def of_two_runs(built, source: str, check_id: str) -> list[str]:
    """Return the functions that are said to answer otherwise in a second run."""
    check, drawn = find(check_id), cases(check_id, 0)
    with Session(built, Limits(), checks=1) as session:
        session.run(IMPORTS)
        session.run(source)
        session.begin_check()
        student = Student(session, adapter=check.portable_adapter, cases=len(drawn))
        caller = StepServer(session, student, check.steps) if check.steps else student
        grade(check_id, drawn, check.criteria, caller)
        assert len(student.first) == len(drawn)
    return differing(built, Limits(), [*session.ran, (check.function, student)], math.inf)


BAND = """
def sliding_window(query, key, value, window, sinks=0):
    back = torch.arange(query.shape[1])[:, None] - torch.arange(query.shape[1])
    seen = (back >= 0) & ((back < window) | (torch.arange(query.shape[1]) < sinks))
    scores = query @ key.mT / query.shape[-1] ** 0.5
    return scores.masked_fill(~seen, -torch.inf).softmax(-1) @ value
"""
DRAWN = "import os\ncoin = int.from_bytes(os.urandom(4))\n" + BAND.replace("@ value", "@ value + coin")


@pytest.mark.parametrize(("source", "differs"), [(BAND, False), (DRAWN, True)], ids=["the same", "drawn"])
def test_who_takes_too_much_memory_is_said_to_answer_otherwise_only_if_the_numbers_differ(built, source, differs):
    assert bool(of_two_runs(built, source, "long_context.sliding_window")) == differs


def test_who_asks_for_steps_answers_the_same_in_a_second_run(built):
    right = inspect.getsource(find("transformer.greedy_cached").reference)
    assert of_two_runs(built, right, "transformer.greedy_cached") == []
