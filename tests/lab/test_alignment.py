"""Tests of alignments read off attention: the pieces of a word are taken together, and no weight gets lost."""

from typing import Any

import pytest
import torch
from torch import Tensor

from lab.corpora import Pair, Parallel
from lab.evaluation import alignment, translation_results
from lab.text import tokenizers

LINES = [f"der mann nummer {n} fährt fahrrad durch den schnee" for n in range(40)]


def weights(rows: int, columns: int) -> Tensor:
    return torch.rand(rows, columns, generator=torch.Generator().manual_seed(5)).softmax(dim=1)


def test_no_weight_is_lost_and_the_end_mark_keeps_its_own() -> None:
    result = alignment.merged(weights(5, 7), source=[2, 1, 3], target=[1, 4])
    assert result.shape == (2, 4)
    torch.testing.assert_close(result.sum(dim=1), torch.ones(2))
    torch.testing.assert_close(result[0, -1], weights(5, 7)[0, -1])
    torch.testing.assert_close(result[1, 2], weights(5, 7)[1:5, 3:6].sum() / 4)


def test_the_pieces_of_a_text_are_those_of_its_words() -> None:
    subwords = tokenizers.Subwords.learn(LINES, 45)
    for line in LINES[:3]:
        assert sum(alignment.counts(subwords, line)) == len(subwords.encode(line))
        assert max(alignment.counts(subwords, line)) > 1
    assert alignment.counts(tokenizers.Words.learn(LINES), "der mann") == [1, 1]


class Letters(tokenizers.Words):
    """Every letter is a piece."""

    def encode(self, text: str) -> list[int]:
        return [ord(letter) for letter in text.replace(" ", "")]


class Looking:
    """A model that reads letters and looks at the letter of the same place; both languages are the same text."""

    source_text = target_text = Letters([])

    def alignments(self, pairs: list[Pair]) -> list[Tensor]:
        return [torch.eye(len(pair.source.replace(" ", "")) + 1) for pair in pairs]


def test_possible_links_are_no_errors_and_no_omissions() -> None:
    sure, unsure = frozenset({(0, 0), (1, 1)}), frozenset({(0, 0), (1, 1), (2, 2), (2, 0)})
    pairs = [Pair("ab c defg", "ab c defg", sure, unsure)]
    plain = [Pair("ab", "ab")]
    corpus = Parallel("made", "en", "fr", plain, plain, {"gold": pairs, "plain": plain}, tokenised=True)
    model: Any = Looking()
    outputs = alignment.alignments(model, corpus)
    assert outputs == {"links": {"gold": {"argmax": [[(0, 0), (1, 1), (2, 2)]]}}}
    translations = {
        split: {"greedy": [pair.target for pair in split_pairs]} for split, split_pairs in corpus.tests.items()
    }
    scores = translation_results.score({"translations": translations, **outputs}, corpus)
    assert scores["gold"]["alignment"]["argmax"]["aer"]["value"] == 0
    assert "alignment" not in scores["plain"]


def test_the_threshold_is_chosen_with_possible_links_as_no_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = torch.tensor([[0.60, 0.36, 0.04], [0.60, 0.36, 0.04], [0.36, 0.35, 0.29]])  # the last column is </s>
    monkeypatch.setattr(alignment, "of_words", lambda trained, pairs: [looks] * len(pairs))
    sure = frozenset({(0, 0), (0, 1), (1, 2)})  # of 0.60, 0.60 and 0.35
    every = frozenset((source, target) for source in range(2) for target in range(3))
    model: Any = None
    assert alignment.threshold(model, [Pair("a b", "c d e", sure, every)]) <= 0.35
    assert alignment.threshold(model, [Pair("a b", "c d e", sure)]) >= 0.4
