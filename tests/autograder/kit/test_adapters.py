"""How a check uses what is no plain function from tensors to tensors."""

import numpy as np
import pytest
import torch

from autograder.kit.calls.adapters import as_set
from autograder.kit.calls.call import arrays, call
from autograder.kit.verdict.by_hand import without_autograd
from exercises.bahdanau.adapters import sorted_links
from exercises.transformer.adapters import counted_decoding


def by_autograd(scores):
    scores = scores.clone().requires_grad_()
    scores.square().sum().backward()
    return scores.grad


def test_who_asks_for_a_gradient_where_autograd_is_off_reads_that_it_is_off():
    with pytest.raises(RuntimeError, match="autograd is switched off"):
        without_autograd(by_autograd, torch.ones(2))


def decoded(as_token):
    """Return a function that hands every token in as `as_token` makes it, of a model that says 2 and then ends."""

    def greedy_cached(start, step, bos, eos, max_len):
        return [as_token(token) for token in (2, eos)]

    return lambda: counted_decoding(greedy_cached, 0, torch.zeros(3, 4), 0, 1, 5)[0].tolist()


@pytest.mark.parametrize("as_token", [str, float, torch.tensor, lambda token: [token], lambda _: None])
def test_tokens_that_are_no_whole_numbers_are_named(as_token):
    assert decoded(np.int64)() == [2, 1]
    with pytest.raises(TypeError, match="expected a list of whole numbers, got"):
        decoded(as_token)()


def test_a_number_that_is_put_into_a_dictionary_is_a_changed_argument():
    def adds(weights):
        weights["heads"] = 2
        return weights["W"]

    before = [{"W": np.ones(2, np.float32)}]
    after = call({"adds": adds}, "adds", before).inputs_after
    assert len(list(arrays(before))) == 1
    assert len(after) == 2


@pytest.mark.parametrize(("adapter", "arguments"), [(as_set, ()), (sorted_links, (None, None))])
def test_who_returns_a_list_for_a_set_reads_that_the_type_is_wrong_and_how_to_change_it(adapter, arguments):
    with pytest.raises(TypeError, match=r"the type is wrong: expected a set.*, got a list; `set\(…\)`"):
        adapter(lambda *_: [(0, 1)], *arguments)
