"""The made grammar knows the entropy of what it says, and the probability of each sentence."""

import pytest
import torch

from lab.corpora import grammar
from solutions.language_model.inside import inside


def test_the_entropy_of_a_grammar_is_the_mean_of_what_its_sentences_cost() -> None:
    rules = grammar.rules()
    assert all(sum(options.values()) == pytest.approx(1) for options in rules.values())
    expected, sentences = grammar.expected(rules), grammar.generate(6000, 7)
    costs = torch.tensor([-log_p for _, log_p in sentences])
    words = torch.tensor([float(len(sentence.split())) for sentence, _ in sentences])
    for sample, value in ((costs, expected.entropy), (words, expected.words)):
        assert abs(sample.mean() - value) < 4 * sample.std() / 6000**0.5
    # By hand: a coin that says a word and goes on, or says the last one: H = 2 log 2, 2 words.
    coin = {"s": {("w", "s"): 0.5, "end": 0.5}, "w": {"more": 1.0}}
    assert grammar.expected(coin, "s").entropy == pytest.approx(2 * torch.tensor(2.0).log().item())
    assert grammar.expected(coin, "s").words == pytest.approx(2)
    with pytest.raises(ValueError, match="need not end"):
        grammar.expected({"s": {("s", "s"): 0.5, "end": 0.5}}, "s")


def test_each_sentence_has_one_tree() -> None:
    """The sum over all trees is the probability of the one that made it."""
    symbols, words, *tables = grammar.tables()
    binary, emission = (torch.from_numpy(table) for table in tables)
    assert symbols[0] == grammar.START
    index = {word: number for number, word in enumerate(words)}
    sentences = [each for each in grammar.generate(400, 3) if 8 <= len(each[0].split()) <= 14][:20]
    for sentence, log_p in sentences:
        numbers = torch.tensor([index[word] for word in sentence.split()])
        assert inside(numbers, binary, emission).log().item() == pytest.approx(log_p)


def test_the_corpus_knows_the_probability_of_its_test_sentences() -> None:
    corpus = grammar.load()
    assert {split: len(texts) for split, texts in corpus.tests.items()} == {"test": grammar.SIZES["test"]}
    tokens = sum(len(sentence.split()) + 1 for sentence in corpus.tests["test"])
    assert -sum(corpus.known["test"]) / tokens == pytest.approx(corpus.entropy, rel=0.02)
