"""Tests of classification: padding changes nothing, an empty text has a label, a training resumes where it stopped."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from lab import corpora
from lab.cli import classification
from lab.corpora import Document, Labelled
from lab.evaluation.__main__ import rescored
from lab.evaluation.result_files import read_json
from lab.kinds.classification import Classifying, Run, Trained, train
from lab.text.batches import text_batch
from lab.train.training import Training
from solutions.pooling.model import HAN, SOLUTION, AttBLSTM
from solutions.pooling.recipe import Recipe

TRAINING = Training(tokens=40, epochs=3, rate=2e-2, ema=0.9, precision="fp32")
TINY = Recipe(embedding_dim=6, units=5, hidden=4, states_dropout=0.1, word_dropout=0.1, training=TRAINING)
BOTH = {"att_blstm": AttBLSTM, "han": HAN}
TEXTS = [[[4, 5, 6], [7]], [[8]], [], [[5, 4, 9, 7, 6], [], [8, 4], [5]]]


def net(kind: str):
    torch.manual_seed(0)
    return BOTH[kind](TINY, 12, 3).eval()


def documents(count: int = 60) -> list[Document]:
    """Return texts of which the label is whether they hold the word good; it is the evidence."""
    texts = []
    for number in range(count):
        word = ("good", "bad")[number % 2]
        fill = " ".join("abcdefg"[(number * k) % 7] for k in range(1, 2 + number % 4))
        evidence = frozenset({(1, 1)})
        texts.append(Document((fill, f"so {word} .", "the end")[: 2 + number % 2], word, evidence))
    return texts


LETTERS = Labelled("reviews", ("bad", "good"), documents(), documents(20), {"test": documents(30)})


def run_of(folder: Path, kind: str = "att_blstm", **changes) -> Trained:
    run = Run("pooling", "reviews", "tiny")
    recipe = replace(TINY, model=kind)
    return train(SOLUTION, run, recipe, folder=folder, corpus=LETTERS, quiet=True, **changes)


@pytest.mark.parametrize("kind", BOTH)
def test_padding_never_changes_a_prediction(kind: str) -> None:
    model = net(kind)
    together = model(*text_batch(TEXTS, model.nested))
    for row, text in enumerate(TEXTS):
        torch.testing.assert_close(model(*text_batch([text], model.nested))[0], together[row])
    tokens, mask = text_batch(TEXTS, model.nested)
    wider = [0, 3] if not model.nested else [0, 2, 0, 1]
    more, hidden = (torch.nn.functional.pad(part, wider) for part in (tokens, mask))
    torch.testing.assert_close(model(more, hidden), together)
    torch.testing.assert_close(model(torch.where(hidden, more, 11), hidden), together)  # whatever is there


@pytest.mark.parametrize("kind", BOTH)
def test_an_empty_text_has_a_label_and_no_weights(kind: str) -> None:
    model = net(kind)
    tokens, mask = text_batch([[], [[]]], model.nested)
    assert not mask.any()
    scores = model(tokens, mask)
    assert torch.isfinite(scores).all()
    torch.testing.assert_close(scores[0], model.labels.bias)
    weights = model.attention_weights(tokens, mask)
    assert all((part == 0).all() for part in (weights if isinstance(weights, tuple) else (weights,)))
    scores.sum().backward()
    assert all(p.grad is None or torch.isfinite(p.grad).all() for p in model.parameters())


def test_every_text_is_in_one_batch_and_no_table_is_too_large() -> None:
    examples = [([[1] * (1 + n % 5)] * (1 + n % 3), n % 2) for n in range(70)]
    for nested in (True, False):
        task = Classifying(examples, TRAINING, nested)
        groups = task.groups(3)
        assert sorted(map(str, (e for g in groups for e in g))) == sorted(map(str, examples))
        assert all(text_batch([text for text, _ in group], nested)[0].numel() <= 40 for group in groups)
        assert task.groups(3) == groups != task.groups(4)


@pytest.mark.parametrize("kind", BOTH)
def test_labels_and_looks_come_in_the_order_of_the_texts(tmp_path: Path, kind: str) -> None:
    trained = run_of(tmp_path, kind)
    texts: Sequence[Sequence[str]] = [*(d.sentences for d in documents(12)), (), ("",), ("never seen", "so good .")]
    alone = torch.cat([trained.probabilities([text]) for text in texts])
    torch.testing.assert_close(trained.probabilities(texts), alone)
    for text, look in zip(texts, trained.attention_weights(texts), strict=True):
        words = sum(len(sentence.split()) for sentence in text)
        assert look.words.shape == (1, words)
        assert float(look.words.sum()) == pytest.approx(1 if words else 0, abs=1e-5)


@pytest.fixture
def place(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(corpora, "load", lambda *_: LETTERS)
    return here


def refused(capsys: pytest.CaptureFixture, *words: str) -> str:
    with pytest.raises(SystemExit) as stop:
        classification.main(SOLUTION, list(words))
    assert stop.value.code == 2
    return capsys.readouterr().err


RUN = "--corpus reviews --recipe small --variant tiny".split()
SHORT = [*RUN, *"--units 5 --embedding-dim 6 --epochs 2 --tokens 60".split()]


def test_train_evaluate_and_classify_hold_together(place: Path, capsys: pytest.CaptureFixture) -> None:
    classification.main(SOLUTION, ["train", *SHORT])
    assert "score" in capsys.readouterr().out
    classification.main(SOLUTION, ["evaluate", *RUN])
    path = place / "solutions/pooling/results/reviews-small-tiny-seed1.json"
    result = read_json(path)
    of_evidence = {"evidence", "evidence_top", "evidence_uniform", "entropy", "entropy_uniform"}
    assert set(result["scores"]["test"]) == {"accuracy", "macro_f1"} | of_evidence
    assert rescored(path) == result["scores"]
    capsys.readouterr()
    classification.main(SOLUTION, ["classify", "--corpus", "reviews", "So good. Zzz."])
    printed = capsys.readouterr().out
    assert printed.split()[0] in LETTERS.labels
    assert "read as <unk>, for training had no such word: zzz" in printed
    assert "an empty text has no label" in refused(capsys, "classify", "--corpus", "reviews", " ")
    classification.main(SOLUTION, ["classify", "--run", "reviews-small-tiny", "Good."])  # no sentence of the default's
    assert capsys.readouterr().out.split()[0] in LETTERS.labels
    assert "seed 1" in refused(capsys, "evaluate", *RUN, "--seed", "0")


def test_the_linear_baseline_is_a_result_like_others(place: Path) -> None:
    classification.main(SOLUTION, "evaluate --corpus reviews --recipe linear".split())
    path = place / "solutions/pooling/results/reviews-linear-seed1.json"
    result = read_json(path)
    assert result["scores"]["test"]["accuracy"]["value"] == 1  # one word tells the label
    assert rescored(path) == result["scores"]
