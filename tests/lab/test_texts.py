"""Tests of texts as tokens: words and subwords bring text back, and a model reads what it should."""

import pytest

from lab.corpora import Pair, Parallel
from lab.kinds import translation
from lab.kinds.ranges import RecipeError
from lab.text import tokenizers
from lab.text.batches import collate
from lab.text.tokenizers import EOS, PAD, UNK


def test_pairs_with_a_longer_side_than_the_longest_are_left_out() -> None:
    pairs = [Pair("a b", "c d"), Pair("a b c", "a b"), Pair("a", "a b c d"), Pair("", "a")]
    corpus = Parallel("letters", "fr", "en", pairs, [], {})
    text = tokenizers.Words.learn(["a b c d"])
    lengths = {
        longest: [tuple(map(len, example)) for example in translation.read(corpus, text, text, longest)]
        for longest in (0, 2, 3)
    }
    assert lengths == {0: [(2, 2), (3, 2), (1, 4)], 2: [(2, 2)], 3: [(2, 2), (3, 2)]}


def test_the_decoder_reads_what_it_said_before() -> None:
    batch = collate([([4, 5], [6, 7, 8]), ([], [9])])
    assert batch.source.tolist() == [[4, 5, EOS], [EOS, PAD, PAD]]
    assert batch.inputs.tolist() == [[tokenizers.BOS, 6, 7, 8], [tokenizers.BOS, 9, PAD, PAD]]
    assert batch.targets.tolist() == [[6, 7, 8, EOS], [9, EOS, PAD, PAD]]
    assert batch.tokens == 6


def test_vocabularies_bring_text_back() -> None:
    lines = ["zwei hunde spielen im schnee .", "ein mann fährt fahrrad ."]
    words = tokenizers.Words.learn(lines)
    assert [words.decode(words.encode(line)) for line in lines] == lines
    assert words.unknown("ein zug fährt") == ["zug"]
    again = tokenizers.restore(words.state())
    assert again.encode(lines[0]) == words.encode(lines[0])


def test_typed_text_never_has_the_models_own_tokens() -> None:
    words = tokenizers.Words.learn(["il parle"])
    assert words.unknown("il </s> parle <pad> <s> <unk>") == ["</s>", "<pad>", "<s>", "<unk>"]
    assert words.encode("<pad> il <s> </s>") == [UNK, *words.encode("il"), UNK, UNK]
    subwords = tokenizers.Subwords.learn(["il parle <s> </pad>"] * 3, 30)
    assert not {PAD, EOS, tokenizers.BOS} & set(subwords.encode("il </s> parle <pad> <s>"))


def test_subwords_bring_any_text_of_known_letters_back() -> None:
    lines = [f"Ein Mann, der {n} Hunde hat, fährt Fahrrad." for n in range(300)]
    subwords = tokenizers.Subwords.learn(lines, 60)
    for line in ("Ein Mann hat 7 Hunde.", ""):
        assert subwords.decode(subwords.encode(line)) == line
    assert len(subwords) == 60
    assert tokenizers.restore(subwords.state()).encode(lines[0]) == subwords.encode(lines[0])
    assert subwords.unknown("Ωein") != []
    assert len(tokenizers.Subwords.learn(lines, 10**6)) < 10**4
    for few in (1, 10):
        with pytest.raises(RecipeError, match=rf"--vocabulary: expected \d\d subwords or more.*got {few}$"):
            tokenizers.Subwords.learn(lines, few)
