"""The engine of the page computes what PyTorch computes."""

import base64
import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from py_mini_racer import MiniRacer

from book.live import export as live_models
from book.make.models import pins
from lab import corpora
from lab.corpora import grammar
from lab.kinds.language import Sampling, framed
from lab.kinds.pinned import pinned
from lab.text.batches import source_batch
from lab.text.tokenizers import BOS, EOS, Words
from solutions.language_model.attention import next_probabilities
from solutions.self_attention.attention import scaled_dot_product

ATOB = """
globalThis.atob = function (text) {
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  let out = "", bits = 0, count = 0;
  for (const c of text.replace(/=+$/, "")) {
    bits = ((bits << 6) | digits.indexOf(c)) & 0xffff;
    count += 6;
    if (count >= 8) { count -= 8; out += String.fromCharCode((bits >> count) & 255); }
  }
  return out;
};
live = {};
live.received = function (name, model) { live.network = new live[name](model); };
live.forced = (source, words) => JSON.stringify(live.network.forced(source, words).map((scores) => [...scores]));
live.said = (source) => JSON.stringify(live.network.translate(source).map((step) => step.token));
live.continued = function (tokens, count) {
  const cache = live.network.start(), read = (token) => live.best(live.network.step(token, null, cache).logits);
  let next = tokens.map(read).at(-1);
  for (; next !== live.END && count > 0; count--, next = read(next)) tokens.push(next);
  return JSON.stringify(tokens);
};
live.read = function (tokens, hand) {
  const { logits, weights, matrices = {} } = live.network.read(tokens, hand);
  const plain = (rows) => rows.map((row) => [...row]);
  const all = Object.fromEntries(Object.entries(matrices).map(([name, rows]) => [name, plain(rows)]));
  return JSON.stringify({ logits: [...logits], weights: plain(weights), matrices: all });
};
"""
CHAPTERS = {name: live_models.corpus_of(name) for name in live_models.MODELS if "-" not in name}
TRANSLATES = [name for name, corpus in CHAPTERS.items() if corpus == "phrasebook"]
WRITES = [name for name, corpus in CHAPTERS.items() if corpus == "grammar"]
CLASSIFIES = [name for name in CHAPTERS if name not in TRANSLATES + WRITES]


PINS: dict[str, Any] = {pin.name: pin for pin in pins()}


def pinned_as(name: str) -> Any:
    """Return the pinned model of a name."""
    return pinned(PINS[name].solution, PINS[name].variant)


def page(name: str, model: dict) -> MiniRacer:
    """Return what a browser has once the reader has asked for the model: V8 with the engine and the numbers."""
    context = MiniRacer()
    context.eval(ATOB + live_models.engine())
    context.eval(live_models.script(name, model))
    return context


def answered(context: MiniRacer, function: str, *arguments: object) -> Any:
    return json.loads(str(context.eval(f"live.{function}({', '.join(map(json.dumps, arguments))})")))


def fresh(name: str, **changes: Any) -> Any:
    """A model with fresh parameters: what is drawn at random hides no axis that was mixed up."""
    torch.manual_seed(1)
    chosen = PINS[name].solution
    model = chosen.build(replace(chosen.recipes["small"], **changes), 37, 41 if name in TRANSLATES else 5).eval()
    for tensor in model.parameters() if name in WRITES else ():  # as it begins, all words are nearly alike
        tensor.data.add_(torch.randn_like(tensor), alpha=0.3)
    words = [Words([f"w{number}" for number in range(size)]) for size in (37, 41)]
    return SimpleNamespace(model=model, source_text=words[0], target_text=words[1])


@torch.no_grad()
def forced(trained: Any, source: list[int], words: list[int]) -> np.ndarray:
    inputs = torch.tensor([words])
    real = torch.ones_like(inputs, dtype=torch.bool)
    return trained.model(torch.tensor([source]), torch.ones(1, len(source), dtype=torch.bool), inputs, real).numpy()


@pytest.mark.parametrize("name", TRANSLATES)
@pytest.mark.parametrize("length", [1, 9])
def test_the_scores_of_every_next_word_are_those_of_pytorch(name, length):
    rng, trained = np.random.default_rng(length), fresh(name)
    source, words = [*rng.integers(4, 37, length).tolist(), EOS], [BOS, *rng.integers(4, 41, length + 2).tolist()]
    given = answered(page(name, live_models.exported(trained, "float32")), "forced", source, words)
    np.testing.assert_allclose(given, forced(trained, source, words), atol=1e-4)


@torch.no_grad()
@pytest.mark.parametrize("kv_heads", [0, 2, 1])
def test_the_scores_of_a_language_model_are_those_of_pytorch(kv_heads):
    trained, tokens = (
        fresh("language_model", kv_heads=kv_heads),
        [BOS, *np.random.default_rng(1).integers(4, 37, 20).tolist()],
    )
    given = answered(page("language_model", live_models.exported(trained, "float32")), "forced", [], tokens)
    np.testing.assert_allclose(given, trained.model(torch.tensor([tokens]))[0].numpy(), atol=1e-4)


@torch.no_grad()
def classified(model: Any, tokens: list[int]) -> tuple[np.ndarray, np.ndarray]:
    table, mask = torch.tensor([tokens]), torch.ones(1, len(tokens), dtype=torch.bool)
    output = model(table, mask)
    scores = output[0] if isinstance(output, tuple) else output
    return scores[0].numpy(), model.attention_weights(table, mask)[0].numpy()


@pytest.mark.parametrize("name", CLASSIFIES)
@pytest.mark.parametrize("length", [1, 12])
def test_labels_and_weights_are_those_of_pytorch(name, length):
    tokens = np.random.default_rng(length).integers(4, 37, length).tolist()
    trained = fresh(name)
    given = answered(page(name, live_models.exported(trained, "float32")), "read", tokens, {})
    scores, weights = classified(trained.model, tokens)
    np.testing.assert_allclose(given["logits"], scores, atol=1e-4)
    if name == "self_attention":  # PyTorch's are the rollout of its one block: half the word, half what it attends to
        given["weights"] = (np.array(given["weights"]) + np.eye(length)).mean(axis=0) / 2
    np.testing.assert_allclose(np.squeeze(given["weights"]), np.squeeze(weights), atol=1e-5)


def test_labels_that_are_lists_of_answers_have_the_scores_of_pytorch():
    chosen, tokens = PINS["structured"].solution, [5, 9, 31, 4]
    torch.manual_seed(1)
    model = chosen.build(replace(chosen.recipes["small"], answers=2, options=3), 37, 9).eval()
    given = answered(
        page("structured", live_models.exported(SimpleNamespace(model=model), "float32")), "read", tokens, {}
    )
    np.testing.assert_allclose(given["logits"], classified(model, tokens)[0], atol=1e-4)


@torch.no_grad()
def test_the_matrices_of_self_attention_are_those_of_the_taught_function():
    tokens, trained = [4, 9, 5, 31], fresh("self_attention")
    given = answered(page("self_attention", live_models.exported(trained, "float32")), "read", tokens, {})["matrices"]
    X = torch.cat([trained.model.words(torch.tensor(tokens)), trained.model.places[: len(tokens)]], dim=1)
    W = dict(trained.model.named_parameters())
    expected = {"X": X} | {part: X @ W[f"blocks.0.W_{part.lower()}"].T for part in "QKV"}
    expected["scores"] = expected["Q"] @ expected["K"].T / X.shape[1] ** 0.5
    C, weights = scaled_dot_product(*(expected[part][None] for part in "QKV"))
    for name, table in (expected | {"weights": weights[0], "C": C[0]}).items():
        np.testing.assert_allclose(given[name], table.numpy(), atol=1e-4, err_msg=name)


@pytest.mark.parametrize("name", live_models.MODELS)
def test_the_page_runs_the_very_numbers_that_are_pinned(name):
    for _, tensor in live_models.apart(pinned_as(name).model.named_parameters()):
        of_page = unpacked(live_models.stored(tensor)).reshape(tensor.shape)
        torch.testing.assert_close(of_page, tensor, rtol=1e-6, atol=0)


@pytest.mark.slow
@pytest.mark.parametrize("name", TRANSLATES)
def test_it_translates_the_test_sentences_as_pytorch_does(name):
    trained = pinned_as(name)
    context = page(name, live_models.exported(trained, "float32"))
    for pair in corpora.load("phrasebook").tests["test"][:200]:
        table = source_batch([trained.source_text.encode(pair.source)])[0][0].tolist()
        words = [BOS, *trained.target_text.encode(pair.target)]
        np.testing.assert_allclose(answered(context, "forced", table, words), forced(trained, table, words), atol=1e-4)
        assert [trained.target_text.decode(answered(context, "said", table))] == trained.translate([pair.source])


@pytest.mark.slow
@torch.no_grad()
def test_it_continues_test_sentences_as_pytorch_does():
    trained = pinned_as("language_model")
    sentences, beginnings, given = corpora.load("grammar").tests["test"], [], []
    context = page("language_model", live_models.exported(trained, "float32"))
    for sentence in sentences[:200]:
        tokens = framed(trained.text, sentence)[:-1]
        expected = trained.model(torch.tensor([tokens]))[0].numpy()
        np.testing.assert_allclose(answered(context, "forced", [], tokens), expected, atol=1e-4)
        given.append(trained.text.decode(answered(context, "continued", tokens[: len(tokens) // 2 + 1], 20)))
        beginnings.append(trained.text.decode(tokens[: len(tokens) // 2 + 1]))
    assert given == trained.write(beginnings, 20, Sampling(next_probabilities, top_k=1))


def test_the_grammar_of_the_page_gives_each_sentence_its_probability():
    """The product of the next words' probabilities, </s> among them, is that of the one tree."""
    context, corpus = figures(), corpora.load("grammar")
    data = {symbol: list(options.items()) for symbol, options in grammar.rules().items()}
    context.eval(f"rules = {json.dumps(data)}")
    for sentence, log_p in zip(corpus.tests["test"][:200], corpus.known["test"], strict=False):
        words = [*sentence.split(), "</s>"]
        given = context.eval(
            f"{json.dumps(words)}.reduce((sum, word, at, words) =>"
            " sum + Math.log(live.grammatical(rules, words.slice(0, at)).get(word)), 0)"
        )
        assert given == pytest.approx(log_p)
    assert context.eval('live.grammatical(rules, ["the", "cats", "sleeps"]).size') == 0


@pytest.mark.parametrize(("temperature", "k", "p"), [(1.0, 0, 1.0), (0.3, 0, 0.9), (3.0, 5, 1.0), (1.5, 7, 0.6)])
def test_words_are_drawn_by_the_taught_probabilities(temperature, k, p):
    logits = torch.randn(99, generator=torch.Generator().manual_seed(1)) * 3
    script = f"JSON.stringify([...live.chances(new Float32Array({logits.tolist()}), {temperature}, {k}, {p})])"
    expected = next_probabilities(logits, temperature, k, p)
    np.testing.assert_allclose(json.loads(str(figures().eval(script))), expected.numpy(), atol=1e-6)


def figures() -> MiniRacer:
    """Return V8 with the engine and the figures, but no page."""
    context = MiniRacer()
    context.eval(ATOB + live_models.engine() + live_models.joined(live_models.FIGURES))
    return context


def unpacked(stored: dict) -> torch.Tensor:
    """What the engine unpacks."""
    kind = np.int8 if "scales" in stored else np.float32
    table = np.frombuffer(base64.b64decode(stored["data"]), kind).astype(np.float32)
    if "scales" not in stored:
        return torch.from_numpy(table)
    return torch.from_numpy(table.reshape(-1, stored["cols"]) * read_scales(stored)[:, None])


def read_scales(stored: dict) -> np.ndarray:
    return np.frombuffer(base64.b64decode(stored["scales"]), np.float32)


def test_the_engine_is_small():
    assert len(live_models.engine().encode()) < 21_500
