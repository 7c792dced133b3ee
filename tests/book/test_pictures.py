"""What the chapters' pictures compute: gates, changed words, links off the diagonal, windows, turns, caches."""

import json
import re
from dataclasses import asdict
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

from book import (
    figures_language_model,
    key_width,
    pictures_bahdanau,
    pictures_encoder_decoder,
    pictures_language_model,
    pictures_luong_windows,
    pictures_of_ideas,
)
from lab.batches import collate
from lab.corpora import Pair
from solutions.language_model.model import Decoder
from solutions.language_model.recipe import Recipe
from solutions.transformer.attention import split_heads

CROSSED = Pair("a b c d", "w x y z", frozenset({(0, 0), (1, 1), (3, 2), (2, 3)}))


def test_the_update_gates_are_those_that_move_pytorchs_state() -> None:
    torch.manual_seed(1)
    network = nn.GRU(3, 5, batch_first=True, bidirectional=True)
    inputs = torch.randn(7, 3)
    with torch.no_grad():
        states = network(inputs[None])[0][0, :, :5]
        gates = pictures_encoder_decoder.update_gates(network, inputs)
        of_x, of_h = inputs @ network.weight_ih_l0.T + network.bias_ih_l0, network.bias_hh_l0
        reset = torch.sigmoid(of_x[0, :5] + of_h[:5])  # at the first step the state before is 0
        proposal = torch.tanh(of_x[0, 10:] + reset * of_h[10:])
    assert gates.shape == (7, 5)
    assert torch.allclose(states[0], (1 - gates[0]) * proposal, atol=1e-6)
    with torch.no_grad():
        network.bias_hh_l0[5:10] += 50.0
        assert pictures_encoder_decoder.update_gates(network, inputs).min() > 0.999


class Remembers(nn.Module):
    """Its forward half is the number of the last word, its backward half that of the first."""

    def encode(self, source, mask):
        last = source[torch.arange(len(source)), mask.sum(dim=1) - 2]  # the end mark is behind it
        return {"context": torch.stack([last, source[:, 0]], dim=1).float()}, {}


def remembering():
    words = [f"w{number}" for number in range(300)]
    text = SimpleNamespace(words=words, encode=lambda sentence: [4 + words.index(word) for word in sentence.split()])
    return SimpleNamespace(source_text=text, model=Remembers())


def test_a_changed_word_moves_the_half_that_has_just_read_it() -> None:
    kept = pictures_encoder_decoder.changed_words(remembering(), ["w1 w2 w3 w4", "w9 w8 w7 w6"], reach=4)
    for half in (kept.forward, kept.backward):
        assert half[0] > 0
        assert half[1:] == [0.0, 0.0, 0.0]


def test_a_projection_tells_the_distances_of_orders_and_of_verbs() -> None:
    groups = {"one": ("w1 w2", "w1 w2 w2"), "two": ("w2 w1", "w2 w2 w1")}
    projected = pictures_encoder_decoder.projection(remembering(), groups)
    assert projected.orders == pytest.approx(2**0.5)  # both numbers change by one
    assert projected.verbs == 0
    assert projected.shares[0] == pytest.approx(1)
    (_, x, _), (_, same, _) = projected.places["one"]
    assert x == pytest.approx(same)


def test_links_are_counted_by_their_distance_from_the_diagonal() -> None:
    diagonal = [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert pictures_bahdanau.found_by_distance([CROSSED], [diagonal]) == [(0, 100.0), (1, 0.0)]
    assert pictures_bahdanau.found_by_distance([CROSSED], [[[3, 2], [0, 0]]]) == [(0, 50.0), (1, 50.0)]


class Copies(nn.Module):
    """Its score of a target word depends on the source word at the same place alone."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.ModuleDict({"embedding": nn.Embedding(304, 8)})
        self.readout = nn.Linear(8, 304)

    def forward(self, source, mask, inputs, real):
        return self.readout(self.encoder["embedding"](source)[:, : inputs.shape[1]]).flatten(0, 1)


def test_a_gradient_arrives_at_the_words_that_a_score_has_read() -> None:
    torch.manual_seed(1)
    network, model = Copies(), remembering()
    model.target_text = model.source_text
    pairs = [Pair("w1 w2 w3", "w4 w5 w6", frozenset({(0, 0), (1, 1)})), Pair("w7 w8 w9", "w1", frozenset({(1, 0)}))]
    batch = collate([(model.source_text.encode(pair.source), model.target_text.encode(pair.target)) for pair in pairs])
    norms = pictures_bahdanau.reached(network, batch)
    assert norms.shape == (2, 4, 4)
    assert ((norms > 0) == torch.eye(4, dtype=torch.bool) * (batch.targets > 0)[..., None]).all()
    shares, of_true_words = pictures_bahdanau.shares_reached(model, network, pairs)
    assert shares == pytest.approx([100 * words / 6 for words in (2, 2, 1, 1)])  # of six target words, </s> included
    assert of_true_words == pytest.approx(200 / 3)  # two of the three links are at the same place


def test_a_position_is_within_so_many_words_of_the_true_one() -> None:
    shares = dict(pictures_luong_windows.within([CROSSED], [[0.0, 2.5, 1.0, 2.0]]))
    assert (shares[1], shares[2]) == (50.0, 100.0)
    assert pictures_luong_windows.counted(Pair("a b", "w x y z"), shared=True) == [0.0, 0.5, 1.0, 1.5]


def test_a_bell_ends_at_the_edge_of_its_window() -> None:
    assert "D = 2: a 0, b .14, c .61, d 1.00." in pictures_of_ideas.window_bars("a b c d".split(), 3, (2,)).described


def test_a_histogram_is_of_the_undivided_scores_and_as_wide_as_their_spread() -> None:
    measured = {(d, False): {"scores": d**0.5 * torch.tensor([[-1.0, 1.0], [1.0, -1.0]])} for d in (4, 64)}
    picture = key_width.histograms(measured, widths=(4, 64), reach=10.0)
    assert picture.alt.endswith("d_k = 4: standard deviation 2.0; d_k = 64: standard deviation 8.0.")
    for axes, height in zip(picture.figure.axes, (2.0, 8.0), strict=True):
        drawn = {round(bar.get_x()) for bar in axes.patches if bar.get_height() > 0}
        assert drawn == {-height, height}


def test_the_parts_of_a_drawn_gru_add_up_to_the_taught_step() -> None:
    kept, written, state = re.findall(
        r"(\d\.\d{3})(?: is kept|, is written|\.$)", pictures_of_ideas.gru_cell().described
    )
    assert float(kept) + float(written) == pytest.approx(float(state), abs=0.0011)
    assert float(state) == pytest.approx(0.609)


def test_a_word_moves_to_the_sum_that_the_chapter_has_by_hand() -> None:
    X = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 2]], dtype=float)
    drawing = pictures_of_ideas.moving_sum("you had me at hello".split(), X, (0, 2))
    assert drawing.described.endswith("It moves from 1, 1 to 0.89, 1.48.")


def test_the_drawn_shapes_are_those_of_the_taught_heads() -> None:
    described = pictures_of_ideas.residual_stream(2, (5, 7), 8, 2, 16, 14).described
    for length in (5, 7):
        assert str(tuple(split_heads(torch.zeros(2, length, 8), 2).shape)) in described


@pytest.mark.parametrize("changes", [{}, {"kv_heads": 2}, {"kv_heads": 1}, {"latent": 6}], ids=str)
def test_the_numbers_that_are_kept_of_a_token_are_those_in_the_caches(changes) -> None:
    recipe = Recipe(d_model=16, d_ff=12, heads=4, layers=3, **changes)
    _, caches, _ = Decoder(recipe, 9).read(torch.zeros(1, 5, dtype=torch.int64))
    assert figures_language_model.numbers_a_token(asdict(recipe)) == sum(cache.numel() for cache in caches) / 5


def test_turned_arrows_have_the_product_of_the_chapter_by_hand() -> None:
    described = pictures_language_model.turned_arrows(((5, 3), (7, 5), (4, 4))).described
    assert re.findall(r"between them (\d+), the product is (\d\.\d\d)", described) == [
        ("60", "0.50"),
        ("60", "0.50"),
        ("0", "1.00"),
    ]


def test_words_are_kept_as_the_chapter_has_it_by_hand() -> None:
    described = pictures_language_model.kept_words((0.5, 0.25, 0.15, 0.1), "a b c d".split(), 0.5, 3, 0.7).described
    assert "Top k = 3: a .56, b .28, c .17, d 0." in described
    assert described.endswith("Top p = .70: a .67, b .33, c 0, d 0.")


def test_what_has_not_run_is_said_and_what_has_is_drawn(monkeypatch, tmp_path) -> None:
    def run(seed: int, layers: int) -> dict:
        history = [{"step": step, "again": 3.0, "scores": [[0.1, step / 9]], "pairs": {"2": 1.0}} for step in (0, 9)]
        return {"seed": seed, "layers": layers, "history": history}

    monkeypatch.setattr(figures_language_model, "results_folder", lambda name: tmp_path)
    figures = figures_language_model
    drawn = (figures.recall, lambda: figures.copying("loss"), lambda: figures.copying("score"))
    assert all("No run yet" in figure().data for figure in drawn)
    runs = {"runs": [run(1, 1), run(1, 2), run(2, 2)]}
    (tmp_path / "induction.json").write_text(json.dumps(runs), encoding="utf-8")
    recalled, loss, score = (figure().alt for figure in drawn)
    assert "two layers, first to last of each seed: 100 to 100, 100 to 100." in recalled
    assert "one layer, first to last of each seed: 3 to 3;" in loss
    assert "one layer, first to last of each seed: 0.1 to 1;" in score
