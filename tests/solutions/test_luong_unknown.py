"""Tests of unknown words that are replaced: which source word is taken, what the lexicon does, what stays."""

import torch

from solutions.luong.attention import replaced_unknowns
from solutions.luong.unknown import replace_unknown

UNK, T, S, COLUMNS, V = 1, 7, 4, 6, 11


def test_replaced_words_are_those_of_a_loop_over_the_translation() -> None:
    torch.manual_seed(0)
    tokens = torch.tensor([UNK, 5, UNK, 3, UNK, UNK, 8])
    weights, source = torch.rand(T, COLUMNS), torch.tensor([6, 2, UNK, 9])
    weights[0, 1], weights[2, 3], weights[4, 2], weights[5, 0], weights[:, S:] = 2, 2, 2, 2, 5
    lexicon = torch.arange(V).flip(0)
    lexicon[9] = lexicon[UNK] = -1
    before = tokens.clone()
    expected = []
    for token, row in zip(tokens.tolist(), weights.tolist(), strict=True):
        word = int(source[row.index(max(row[:S]))])
        expected.append(token if token != UNK else word if lexicon[word] < 0 else int(lexicon[word]))
    assert replaced_unknowns(tokens, weights, source, lexicon, UNK).tolist() == expected
    assert expected[0] == 8
    assert expected[2] == 9
    assert expected[4] == UNK
    assert torch.equal(tokens, before)


def test_an_unknown_word_becomes_the_word_that_was_looked_at() -> None:
    weights = torch.tensor([[0.9, 0.1, 0.0], [0.1, 0.2, 0.7]])
    assert replace_unknown(["he", "<unk>"], weights, ["il", "danse"]) == ["he", "danse"]  # not </s>, however much
    assert replace_unknown(["he", "<unk>"], weights, ["il", "danse"], {"danse": "dances"}) == ["he", "dances"]
    assert replace_unknown(["<unk>"], weights[:1], []) == ["<unk>"]


def test_words_are_replaced_by_the_function_that_is_handed_in() -> None:
    words = replace_unknown(["he", "<unk>"], torch.eye(2), ["il", "danse"], replaced=lambda tokens, *_: tokens.flip(0))
    assert words == ["<unk>", "he"]
