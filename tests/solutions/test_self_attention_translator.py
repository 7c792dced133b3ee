"""Tests of Bahdanau's translator with self-attention in its encoder."""

from dataclasses import replace

import pytest
import torch

from lab.cli import classification, translation
from lab.text.batches import collate
from solutions.bahdanau.model import Bahdanau
from solutions.self_attention import __main__ as command
from solutions.self_attention.attention import self_attention
from solutions.self_attention.translator import RECIPES, Recipe, SelfAttentiveTranslator

SMALL = Recipe(embedding_dim=6, units=10, hidden=7, maxout=5)
BATCH = collate([([4, 5, 6, 7, 8], [4, 5, 6]), ([9, 8, 7], [5, 4, 7, 9])])
every = pytest.mark.parametrize("blocks", [1, 2, 3])


def model(**changes: object) -> SelfAttentiveTranslator:
    torch.manual_seed(0)
    return SelfAttentiveTranslator(replace(SMALL, **changes), 12, 11).eval()


def test_an_annotation_is_a_word_with_its_place_and_the_same_with_the_context_of_the_taught_function() -> None:
    encoder = model().encoder
    states, (weights,) = encoder.read(BATCH.source, BATCH.mask)
    X, block = encoder.placed(BATCH.source), encoder.blocks[0]
    context, expected = self_attention(X, block.W_q, block.W_k, block.W_v, BATCH.mask)
    torch.testing.assert_close(states, torch.cat([X, X + context], dim=-1))
    torch.testing.assert_close(weights, expected)
    torch.testing.assert_close(encoder.states(BATCH.source, BATCH.mask), states)


@every
def test_padding_and_the_other_sentence_change_no_annotation(blocks: int) -> None:
    encoder = model(blocks=blocks).encoder
    alone = encoder.states(BATCH.source[1:, :4], BATCH.mask[1:, :4])
    torch.testing.assert_close(encoder.states(BATCH.source, BATCH.mask)[1:, :4], alone)


@every
@pytest.mark.parametrize("positions", [True, False])
def test_only_with_positions_does_an_annotation_tell_where_its_word_stands(blocks: int, positions: bool) -> None:
    encoder, order = model(blocks=blocks, positions=positions).encoder, torch.tensor([3, 1, 4, 0, 2, 5])
    there, turned = (encoder.states(source, BATCH.mask[:1]) for source in (BATCH.source[:1], BATCH.source[:1, order]))
    assert torch.allclose(turned, there[:, order], atol=1e-5) is not positions


def test_positions_are_no_parameters_and_a_block_is_three_matrices() -> None:
    sizes = [sum(each.numel() for each in net.parameters()) for net in (model(), model(positions=False))]
    assert sizes[0] == sizes[1]
    assert sum(each.numel() for each in model(blocks=2).encoder.blocks.parameters()) == 2 * 3 * 10**2


def test_what_is_no_encoder_is_the_model_of_the_chapter_before() -> None:
    """With that chapter's encoder in its place, and the same parameters, the loss is the same."""
    torch.manual_seed(1)
    former, own = Bahdanau(SMALL, 12, 11).eval(), model()
    own.encoder = former.encoder
    own.load_state_dict(former.state_dict())
    torch.testing.assert_close(own.loss(BATCH, None, 0.0), former.loss(BATCH, None, 0.0))
    assert type(own).decode is Bahdanau.decode


@pytest.mark.parametrize("name", list(RECIPES))
def test_a_recipe_is_that_of_the_chapter_before(name: str) -> None:
    given, own = Bahdanau(RECIPES[name], 12, 11), SelfAttentiveTranslator(RECIPES[name], 12, 11)
    shapes = [{name: each.shape for name, each in net.named_parameters()} for net in (given, own)]
    recurrent, attending = ({n: s for n, s in each.items() if not n.startswith("encoder.")} for each in shapes)
    assert recurrent == attending
    assert own.encoder.embedding.weight.shape == given.encoder.embedding.weight.shape


def test_a_place_needs_a_unit_that_no_word_takes() -> None:
    with pytest.raises(ValueError, match="expected embedding_dim below that, got 10"):
        model(embedding_dim=10)


def test_a_command_goes_to_the_model_of_its_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    called = []
    for kind in (classification, translation):
        monkeypatch.setattr(kind, "main", lambda solution, argv, sweeps, kind=kind: called.append((kind, solution)))
    translating = "train --corpus phrasebook", "translate il", "sweep encoders", "evaluate --seed 1 --corpus phrasebook"
    for words in (*translating, "train", "train --corpus tired", "classify il", "sweep tired", "sweep", "", "--help"):
        command.main(words.split())
    kinds, solutions = zip(*called, strict=True)
    assert kinds == (translation,) * 4 + (classification,) * 7
    assert solutions == (command.TRANSLATOR,) * 4 + (command.SOLUTION,) * 7
