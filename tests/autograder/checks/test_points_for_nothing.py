"""Points for nothing: an answer that has nothing of the idea gets no more than a fifth of a part's points."""

import inspect
from collections.abc import Callable, Iterator

import pytest
import torch

from autograder.checks import Check, checks, find
from autograder.kit.verdict.grading import FREE
from tests.answers import check_ids, edited
from tests.support.verdicts import plainly_graded


def adds_without_reading(state, key, value, beta, alpha):
    return state + beta[:, None, None] * key[:, :, None] * value[:, None]


def softmax_alone(logits, temperature, top_k, top_p):
    return (logits / temperature).softmax(-1)


def without_windows(tokens, layers, kv_heads, head_dim, local_layers, window, bytes_a_number):
    return 2 * tokens * layers * kv_heads * head_dim * bytes_a_number


def without_a_sink(part, sink):
    return part[2] / part[1][..., None]


def interpolated(head_dim, base, factor, trained, slow, fast):
    return base ** (-2 * torch.arange(head_dim // 2) / head_dim) / factor, 1.0


def everything_read(query, key, value, index_query, index_key, index_weight, count):
    return torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)


STUBS = {
    "long_context.with_sink": without_a_sink,
    "long_context.stretched": interpolated,
    "long_context.chosen_attention": everything_read,
    "long_context.delta_step": adds_without_reading,
    "language_model.next_probabilities": softmax_alone,
    "long_context.kv_bytes": without_windows,
}  # what stands in the text before the idea of the part
CALLED = [
    check_id for check_id in check_ids() if find(check_id).arguments and inspect.isfunction(find(check_id).reference)
]


def _zero(result: object) -> object:
    if isinstance(result, tuple | list):
        return type(result)(map(_zero, result))
    if isinstance(result, set):
        return set()
    return torch.zeros(result.shape, dtype=result.dtype) if isinstance(result, torch.Tensor) else 0


def _handed_back(check: Check) -> Iterator[tuple[str, Callable]]:
    """Yield what gives each argument back, in the place of every output, and the first arguments in their order."""
    count = len(check.outputs)
    for i, name in enumerate(inspect.signature(check.reference).parameters):
        yield name, lambda *given, i=i: given[i] if count == 1 else (given[i],) * count
    if count > 1:
        yield "the first arguments", lambda *given: given[:count]


def _earlier(check_id: str) -> Iterator[tuple[str, Callable]]:
    """Yield the functions that stand before this one in its notebook, where its arguments have their names.

    To a bug hunt the right function is no answer, as the repair may change one statement alone.
    """
    name, _, function = check_id.partition(".")
    known, names = checks(name), list(inspect.signature(find(check_id).reference).parameters)
    for other in list(known)[: list(known).index(function)]:
        right = known[other].reference
        wanted = list(inspect.signature(right).parameters)
        if not find(check_id).hunt and not known[other].hunt and wanted and set(wanted) <= set(names):
            yield (
                other,
                lambda *given, right=right, wanted=wanted: right(*(given[names.index(each)] for each in wanted)),
            )


@pytest.mark.parametrize("check_id", CALLED)
def test_what_has_nothing_of_the_idea_gets_a_fifth_at_most(check_id):
    check = find(check_id)
    nothing = dict(_handed_back(check)) | dict(_earlier(check_id))
    nothing |= {"stub": STUBS[check_id]} if check_id in STUBS else {}
    if not check.steps:  # whose steps the reference would ask for
        nothing["zeros"] = lambda *given: _zero(check.reference(*given))
    for what, function in nothing.items():
        verdict = plainly_graded(check_id, 0, function)
        paid = [name for name, _, got in verdict.criteria if got]
        assert verdict.score <= FREE * verdict.max_score, (what, paid)


def _named(check_id: str) -> dict[str, Callable]:
    chapter = check_id.partition(".")[0]
    return {each.__name__: each for each in (*find(check_id).mistakes, *edited(chapter)[check_id])}


@pytest.mark.parametrize(
    ("check_id", "mistake", "least", "most"),
    [
        ("long_context.flash_forward", "all_scores_at_once", 0.5, 0.6),
        ("long_context.flash_forward", "tiles_of_keys_alone", 0.75, 0.8),
        ("long_context.flash_forward", "without_logarithm", 0.75, 0.8),
        ("long_context.sliding_window", "dense", 0.5, 0.65),
    ],
)
def test_what_a_part_is_about_is_worth_most_and_one_line_little(check_id, mistake, least, most):
    verdict = plainly_graded(check_id, 0, _named(check_id)[mistake])
    assert least <= verdict.score / verdict.max_score <= most
