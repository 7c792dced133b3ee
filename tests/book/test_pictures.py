"""What the chapters' pictures compute: gates, changed words, links off the diagonal, windows, turns, caches."""

import re
from dataclasses import asdict
from types import SimpleNamespace

import pytest
import torch
from torch import nn

import book.bahdanau.pictures as pictures_bahdanau
import book.encoder_decoder.pictures as pictures_encoder_decoder
import book.language_model.figures as figures_language_model
from book.self_attention.example import W_K, W_Q, W_V, WORDS, X
from book.show import pictures_of_ideas, pictures_of_steps
from lab.corpora import Pair
from lab.text.batches import collate
from solutions.language_model.model import Decoder
from solutions.language_model.recipe import Recipe

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


def test_a_bell_ends_at_the_edge_of_its_window() -> None:
    assert "D = 2: a 0, b .14, c .61, d 1.00." in pictures_of_ideas.window_bars("a b c d".split(), 3, (2,)).described


def test_the_parts_of_a_drawn_gru_add_up_to_the_taught_step() -> None:
    kept, written, state = re.findall(
        r"(\d\.\d{3})(?: is kept|, is written|\.$)", pictures_of_ideas.gru_cell().described
    )
    assert float(kept) + float(written) == pytest.approx(float(state), abs=0.0011)
    assert float(state) == pytest.approx(0.609)


def test_a_word_moves_to_the_sum_that_the_chapter_has_by_hand() -> None:
    drawing = pictures_of_ideas.moving_sum(WORDS, X, (0, 2), features=("person", "greeting"))
    assert drawing.described.endswith("It moves from 1, 1 to 0.89, 1.48.")


def test_the_verb_alone_answers_you() -> None:
    scores = X @ W_Q.T @ (X @ W_K.T).T
    assert scores[0].tolist() == [0, 4, 0, 0, 0]
    drawing = pictures_of_steps.self_attention_steps(X, W_Q, W_K, W_V, WORDS)
    assert drawing.described.endswith("its largest weight, .81, is on had.")


@pytest.mark.parametrize("changes", [{}, {"kv_heads": 2}, {"kv_heads": 1}, {"latent": 6}], ids=str)
def test_the_numbers_that_are_kept_of_a_token_are_those_in_the_caches(changes) -> None:
    recipe = Recipe(d_model=16, d_ff=12, heads=4, layers=3, **changes)
    _, caches, _ = Decoder(recipe, 9).read(torch.zeros(1, 5, dtype=torch.int64))
    assert figures_language_model.numbers_a_token(asdict(recipe)) == sum(cache.numel() for cache in caches) / 5
