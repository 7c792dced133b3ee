"""Tests of the taught functions: what must hold for any right implementation, checked on the one that is shown."""

import itertools

import pytest
import torch
from torch import Tensor

from solutions.bahdanau.attention import additive_attention, masked_softmax
from solutions.encoder_decoder.attention import beam_search, greedy_decode, last_states

B, S, QUERY, KEY, VALUE, HIDDEN = 3, 5, 4, 6, 7, 2


def example(dtype: torch.dtype = torch.float32) -> dict[str, Tensor]:
    torch.manual_seed(0)
    shapes = {
        "query": (B, QUERY),
        "keys": (B, S, KEY),
        "values": (B, S, VALUE),
        "W_q": (HIDDEN, QUERY),
        "W_k": (HIDDEN, KEY),
        "v": (HIDDEN,),
    }
    return {name: torch.randn(shape, dtype=dtype) for name, shape in shapes.items()}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64])
def test_masked_softmax_rows_sum_to_one_and_empty_rows_to_zero(dtype: torch.dtype) -> None:
    scores = torch.randn(2, B, S).to(dtype) * 30
    mask = torch.rand(2, B, S) < 0.6
    mask[0, 0] = False
    weights = masked_softmax(scores, mask)
    torch.testing.assert_close(weights.sum(-1), mask.any(-1).to(dtype), rtol=0, atol=2e-2)
    assert (weights[~mask] == 0).all()


def test_masked_softmax_without_padding_is_torchs_own() -> None:
    scores = torch.randn(2, B, S)
    torch.testing.assert_close(masked_softmax(scores), torch.softmax(scores, dim=-1))
    torch.testing.assert_close(masked_softmax(scores, torch.ones(2, B, S, dtype=torch.bool)), scores.softmax(-1))


def test_additive_attention_is_the_formula_word_by_word() -> None:
    """The sums of the paper, written with loops over sentences and words."""
    e = example()
    context, weights = additive_attention(*e.values())
    for b in range(B):
        scores = [e["v"] @ torch.tanh(e["W_q"] @ e["query"][b] + e["W_k"] @ e["keys"][b, j]) for j in range(S)]
        alpha = torch.stack(scores).softmax(dim=0)
        torch.testing.assert_close(weights[b], alpha)
        torch.testing.assert_close(context[b], sum(alpha[j] * e["values"][b, j] for j in range(S)))


def test_last_states_agree_with_the_final_state_of_torchs_own_network() -> None:
    units, lengths = 3, torch.tensor([2, 5, 1, 4])
    network = torch.nn.GRU(QUERY, units, bidirectional=True, batch_first=True)
    packed = torch.nn.utils.rnn.pack_padded_sequence(
        torch.randn(4, S, QUERY), lengths, batch_first=True, enforce_sorted=False
    )
    outputs, final = network(packed)
    outputs, _ = torch.nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True)
    torch.testing.assert_close(last_states(outputs, lengths), torch.cat([final[0], final[1]], dim=-1))


BOS, EOS, PAD, VOCABULARY = 5, 3, 1, 6


def table_step(seed: int, vocabulary: int = VOCABULARY):
    """Return log-probabilities that depend on the whole prefix, the same for the same prefix."""

    def one(prefix: tuple[int, ...]) -> Tensor:
        generator = torch.Generator().manual_seed(hash((seed, prefix)) % 2**31)
        scores = torch.randn(vocabulary, generator=generator)
        scores[[token for token in (PAD, BOS) if token < vocabulary]] = -30.0
        return scores.log_softmax(dim=-1)

    return lambda prefixes: torch.stack([one(tuple(row)) for row in prefixes.tolist()])


def every_sentence(step, max_len: int):
    """Yield all sentences with their log-probability: exhaustive search."""
    alive = [((), 0.0)]
    for length in range(1, max_len + 1):
        grown = []
        for tokens, log_p in alive:
            row = step(torch.tensor([[BOS, *tokens]]))[0]
            grown += [((*tokens, y), log_p + row[y].item()) for y in range(VOCABULARY)]
        done = [item for item in grown if item[0][-1] == EOS or length == max_len]
        yield from done
        alive = [item for item in grown if item[0][-1] != EOS]


@pytest.mark.parametrize(("seed", "alpha"), list(itertools.product(range(4), (0.0, 0.6, 1.0))))
def test_beam_search_with_a_beam_wide_enough_is_exhaustive_search(seed: int, alpha: float) -> None:
    step, max_len = table_step(seed), 4
    tokens, score = beam_search(step, BOS, EOS, VOCABULARY**max_len, max_len, alpha)
    best = max(every_sentence(step, max_len), key=lambda item: item[1] / len(item[0]) ** alpha)
    assert tuple(tokens) == best[0]
    assert score == pytest.approx(best[1] / len(best[0]) ** alpha, abs=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_beam_search_of_width_one_is_greedy(seed: int) -> None:
    step = table_step(seed)

    def scores_at_every_place(prefix: Tensor) -> Tensor:
        return step(prefix)[:, None].expand(-1, prefix.shape[1], -1)

    tokens, _ = beam_search(step, BOS, EOS, 1, 7, 1.0)
    greedy = greedy_decode(scores_at_every_place, 1, BOS, EOS, PAD, 7)
    assert tokens == greedy[0].tolist()


def test_greedy_rows_do_not_disturb_each_other_and_hold_only_pad_after_the_end() -> None:
    limits = [3, 1, 6]

    def step(prefix: Tensor) -> Tensor:
        scores = torch.zeros(*prefix.shape, VOCABULARY)
        scores[..., 4] = 1.0
        for row, limit in enumerate(limits):
            if prefix.shape[1] >= limit:
                scores[row, -1, EOS] = 2.0
        return scores

    tokens = greedy_decode(step, 3, BOS, EOS, PAD, 9)
    assert tokens.tolist() == [[4] * (n - 1) + [EOS] + [PAD] * (6 - n) for n in limits]
