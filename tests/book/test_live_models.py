"""The engine of the page computes what PyTorch computes."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from py_mini_racer import MiniRacer

from book import live_models
from lab import corpora, metrics, model_cache
from lab.batches import source_batch
from lab.tokenizers import BOS, EOS, Words
from lab.translation import Trained
from solutions.transformer.fast import SOLUTION, FastTransformer
from solutions.transformer.recipe import RECIPES

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
live.forced = function (source, words) {
  const memory = live.network.encode(source), cache = live.network.start();
  return JSON.stringify(words.map((word) => [...live.network.step(word, memory, cache).logits]));
};
live.said = (source) => JSON.stringify(live.network.translate(source).map((step) => step.token));
live.received = function (model) { live.network = new live.Transformer(model); };
"""


def page(model: dict) -> MiniRacer:
    """Return what a browser has once the reader has asked for the model: V8 with the engine and the numbers."""
    context = MiniRacer()
    context.eval(ATOB)
    for name in live_models.SCRIPTS[:2]:
        context.eval((live_models.ENGINE / name).read_text(encoding="utf-8"))
    context.eval(live_models.script(model))
    return context


def answered(context: MiniRacer, function: str, *arguments: object):
    return json.loads(context.eval(f"live.{function}({', '.join(map(json.dumps, arguments))})"))


@pytest.fixture(scope="module")
def fresh() -> Trained:
    """A Transformer with fresh weights: what is drawn at random hides no axis that was mixed up."""
    torch.manual_seed(1)
    words = [Words([f"w{number}" for number in range(size)]) for size in (37, 41)]
    model = FastTransformer(RECIPES["small"], 37, 41).eval()
    return SimpleNamespace(model=model, source_text=words[0], target_text=words[1])  # pyright: ignore


@pytest.mark.parametrize("length", [1, 5, 17])
def test_the_scores_of_every_next_word_are_those_of_pytorch(fresh, length):
    rng = np.random.default_rng(length)
    source, words = [*rng.integers(4, 37, length).tolist(), EOS], [BOS, *rng.integers(4, 41, length + 2).tolist()]
    table, mask = torch.tensor([source]), torch.ones(1, len(source), dtype=torch.bool)
    inputs = torch.tensor([words])
    with torch.no_grad():
        expected = fresh.model(table, mask, inputs, torch.ones_like(inputs, dtype=torch.bool))
    given = answered(page(live_models.transformer(fresh, "float32")), "forced", source, words)
    np.testing.assert_allclose(given, expected.numpy(), atol=1e-4)


def test_a_row_of_eight_bit_numbers_is_within_half_a_step_of_its_scale():
    table = torch.randn(7, 12) * torch.logspace(-3, 3, 7)[:, None]
    context = MiniRacer()
    context.eval(ATOB + (live_models.ENGINE / "tensors.js").read_text(encoding="utf-8"))
    stored = json.dumps(live_models.stored(table))
    unpacked = np.array(json.loads(context.eval(f"JSON.stringify([...live.unpack({stored}).data])"))).reshape(7, 12)
    steps = table.abs().amax(dim=1, keepdim=True).numpy() / 127
    assert (np.abs(unpacked - table.numpy()) <= 0.51 * steps).all()


@pytest.mark.slow
@pytest.mark.parametrize(("precision", "points"), [("float32", 0.0), ("int8", 0.5)])
def test_it_translates_the_test_sentences_as_pytorch_does(precision, points):
    trained = model_cache.trained(SOLUTION, quiet=True)
    pairs = corpora.load("phrasebook").tests["test"][:200]
    expected = trained.translate([pair.source for pair in pairs])
    context, said = page(live_models.transformer(trained, precision)), []
    for pair in pairs:
        table, _ = source_batch([trained.source_text.encode(pair.source)])
        said.append(trained.target_text.decode(answered(context, "said", table[0].tolist())))
    if precision == "float32":
        assert said == expected
    truth = [pair.target for pair in pairs]
    assert abs(metrics.bleu(said, truth).value - metrics.bleu(expected, truth).value) <= points


def test_the_engine_is_small_and_each_kind_of_layer_can_be_read():
    scripts = [live_models.ENGINE / name for name in live_models.SCRIPTS]
    assert sum(path.stat().st_size for path in scripts) < 20_000


@pytest.mark.browser
def test_the_cover_translates_what_a_reader_types(browser):
    page = live_models.ENGINE.parents[1] / "build" / "_build" / "html" / "index.html"
    if not page.is_file():
        pytest.skip("build/_build is not there: make book")
    opened = browser.new_page()
    opened.goto(page.as_uri())
    assert opened.evaluate("performance.getEntriesByType('resource').every((each) => !each.name.includes('model'))")
    opened.click(".live-begin")
    opened.fill("#live-sentence", "Il m’a entarté")
    assert opened.inner_text(".live-output").split() == [*"he hit me with a pie".split(), "</s>"]
    opened.fill("#live-sentence", "il a mangé une pizza")
    assert "pizza" in opened.inner_text(".live-notes")
    opened.locator(".live-heads input").nth(1).uncheck()
    opened.wait_for_url("**/index.html#live=*off=2")
    opened.close()
