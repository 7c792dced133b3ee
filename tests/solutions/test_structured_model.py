"""Tests of Lin's model: what surrounds structured self-attention."""

from dataclasses import fields, replace

import pytest
import torch

from lab.corpora import Document, Labelled
from lab.kinds.classification import Run, train
from lab.kinds.ranges import RecipeError
from lab.text.tokenizers import PAD, Words
from lab.train.training import Training
from solutions.structured.attention import penalty_backward, pruned_output, structured_attention
from solutions.structured.model import SOLUTION, Structured, StructuredPair, build, with_gradient
from solutions.structured.recipe import RECIPES, Recipe
from tests.support.hardware import NEEDS_BF16

WORDS, LABELS = 11, 3
TINY = Recipe(embedding_dim=4, units=3, hidden=5, hops=2, penalty=0.5, mlp=7)
PRUNED = replace(TINY, pruned=True, per_hop=4, per_feature=3)


@pytest.fixture
def texts():
    torch.manual_seed(3)
    lengths = torch.tensor([[4], [6], [1], [3]])
    mask = torch.arange(6) < lengths
    return torch.randint(4, WORDS, (4, 6)).masked_fill(~mask, PAD), mask


def model(recipe, **more) -> Structured:
    torch.manual_seed(4)
    return Structured(recipe, WORDS, LABELS, **more).eval()


def pair_model() -> StructuredPair:
    torch.manual_seed(4)
    return StructuredPair(replace(TINY, pair=True), WORDS, LABELS).eval()


@pytest.mark.parametrize("recipe", [TINY, PRUNED])
def test_a_text_says_the_same_alone_and_beside_others(texts, recipe):
    tokens, mask = texts
    lin = model(recipe)
    scores, extra = lin(tokens, mask)
    weights = lin.attention_weights(tokens, mask)
    assert scores.shape == (4, LABELS)
    for b, length in enumerate(mask.sum(dim=1)):
        alone = lin(tokens[b : b + 1, :length], mask[b : b + 1, :length])
        torch.testing.assert_close(alone, (scores[b : b + 1], extra[b : b + 1]))
        assert (weights[b, :, length:] == 0).all()


def test_the_weight_of_the_penalty_is_the_recipe_s(texts):
    half, whole, none = (model(replace(TINY, penalty=weight))(*texts)[1] for weight in (0.5, 1.0, 0.0))
    torch.testing.assert_close(2 * half, whole)
    assert (none == 0).all()
    assert (whole > 0).all()


def test_any_function_with_the_arguments_can_attend(texts):
    asked = []

    def mine(H, W_s1, W_s2, mask):
        asked.append(H.shape)
        return structured_attention(H, W_s1, W_s2, mask)

    lin, with_mine = model(TINY), model(TINY, attend=mine)
    torch.testing.assert_close(with_mine(*texts), lin(*texts))
    assert asked == [(4, 6, 6)]


def test_any_function_with_the_arguments_can_prune(texts):
    half = model(PRUNED, prune=lambda *given: pruned_output(*given) / 2)
    assert not torch.allclose(half(*texts)[0], model(PRUNED)(*texts)[0])


@pytest.mark.parametrize("is_padded", [True, False])
def test_a_penalty_with_a_gradient_of_its_own_trains_as_one_with_autograd(texts, is_padded):
    tokens, mask = texts if is_padded else (texts[0].clamp(min=4), torch.ones_like(texts[1]))
    gradients = []
    for attend in (structured_attention, with_gradient(structured_attention, penalty_backward)):
        lin = model(TINY, attend=attend)
        scores, extra = lin(tokens, mask)
        (scores.square().sum() + (extra * torch.arange(1.0, 5)).sum()).backward()
        gradients.append([lin.reader.W_s1.grad, lin.reader.W_s2.grad, lin.reader.encoder.embedding.weight.grad])
    torch.testing.assert_close(*gradients)
    wrong = model(TINY, attend=with_gradient(structured_attention, lambda *given: 0 * penalty_backward(*given)))
    wrong(tokens, mask)[1].sum().backward()
    assert (wrong.reader.W_s2.grad == 0).all()


def test_a_text_without_words_is_read_as_zeros(texts):
    tokens, mask = texts
    tokens[2], mask[2] = PAD, False
    lin = model(TINY)
    scores, extra = lin(tokens, mask)
    torch.testing.assert_close(scores[2], lin.classifier(torch.zeros(1, 2, 6))[0])
    torch.testing.assert_close(extra[2], torch.tensor(0.5 * 2))


@pytest.mark.parametrize("precision", [pytest.param(torch.bfloat16, marks=NEEDS_BF16), torch.float32])
def test_the_penalty_is_computed_in_full_precision(texts, precision):
    lin = model(TINY)
    with torch.autocast("cpu", torch.bfloat16, enabled=precision is torch.bfloat16):
        assert lin(*texts)[1].dtype is torch.float32


def test_two_sentences_are_read_alike_and_compared_hop_by_hop(texts):
    tokens, mask = texts
    pair = pair_model()
    both, masks = tokens.view(2, 2, 6), mask.view(2, 2, 6)
    scores, extra = pair(both, masks)
    assert scores.shape == (2, LABELS)
    _, _, penalty = pair.reader(tokens, mask)
    torch.testing.assert_close(extra, 0.5 * penalty.view(2, 2).sum(dim=1))
    words, sentences = pair.attention_weights(both, masks)
    torch.testing.assert_close(words[1, 0], pair.reader(tokens, mask)[1][2].mean(dim=0))
    assert (sentences == 0.5).all()
    with torch.no_grad():  # with the same factors for both, it cannot tell which sentence comes first
        pair.factors[1] = pair.factors[0]
    torch.testing.assert_close(pair(both.flip(1), masks.flip(1))[0], pair(both, masks)[0])


def test_texts_that_are_no_pairs_are_refused_in_a_sentence(texts):
    pair = pair_model()
    with pytest.raises(RecipeError, match=r"compares two sentences; it was given texts of 4"):
        pair(texts[0][None], texts[1][None])


def test_a_classifier_without_hops_or_hidden_units_is_refused():
    with pytest.raises(ValueError, match="expected hops of 1 or more, got 0"):
        model(replace(TINY, hops=0))
    with pytest.raises(ValueError, match="expected per_hop or per_feature of 1 or more, got 0 and 0"):
        model(replace(TINY, pruned=True))


def test_a_list_of_answers_is_as_probable_as_all_its_answers_together(texts):
    lin = Structured(replace(TINY, answers=2), WORDS, 4).eval()
    probabilities = lin(*texts)[0].softmax(dim=-1)
    yes = torch.sigmoid(lin.classifier[:-1](lin.reader(*texts)[0])).T
    both = torch.stack([(1 - yes[0]) * (1 - yes[1]), (1 - yes[0]) * yes[1], yes[0] * (1 - yes[1]), yes[0] * yes[1]])
    torch.testing.assert_close(probabilities, both.T)
    with pytest.raises(ValueError, match="expected 4 labels for 2 answers of 2 options each, got 3"):
        model(replace(TINY, answers=2))


def test_a_list_of_options_is_as_probable_as_all_its_options_together(texts):
    lin = Structured(replace(TINY, answers=2, options=3), WORDS, 9).eval()
    probabilities = lin(*texts)[0].softmax(dim=-1).unflatten(1, (3, 3))
    each = lin.classifier[:-1](lin.reader(*texts)[0]).unflatten(1, (2, 3)).softmax(dim=-1)
    torch.testing.assert_close(probabilities, each[:, 0, :, None] * each[:, 1, None])
    with pytest.raises(ValueError, match="expected 9 labels for 2 answers of 3 options each, got 3"):
        model(replace(TINY, answers=2, options=3))


def test_a_model_of_pairs_refuses_single_texts_before_anything_is_written(tmp_path):
    single = [Document(("a cat",), "same"), Document(("a dog",), "other")]
    corpus = Labelled("single", ("other", "same"), single, single, {"test": single})
    with pytest.raises(RecipeError, match="compares two sentences; it was given texts of 1"):
        train(SOLUTION, Run("structured", "single", "snli"), replace(TINY, pair=True), folder=tmp_path, corpus=corpus)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", [Structured, StructuredPair])
def test_words_in_the_same_company_can_start_alike(kind):
    sentences = ("a cat sleeps here", "a dog sleeps here", "the sky is blue", "the sea is blue")
    documents = [Document((sentence,), "x") for sentence in sentences] * 9
    corpus = Labelled("few", ("x", "y"), documents, documents, {})
    words = Words.learn(corpus.sentences())
    for vectors, alike in (("texts", True), ("random", False)):
        recipe = replace(TINY, vectors=vectors, pair=kind is StructuredPair)
        torch.manual_seed(4)
        lin = kind(recipe, len(words), LABELS)
        before = lin.reader.encoder.embedding.weight.detach().clone()
        lin.prepare(words, corpus)
        after = lin.reader.encoder.embedding.weight.detach()
        cat, dog, sky = (after[words.index[word]] for word in ("cat", "dog", "sky"))
        assert torch.allclose(cat, dog, atol=1e-4) == alike
        assert torch.allclose(cat, sky, atol=1e-4) is False
        assert torch.equal(before, after) != alike


def test_pairs_that_somebody_has_can_be_trained_on(tmp_path):
    nouns = ["cat", "dog", "cow", "fox"]
    pairs = [Document((f"a {a} sleeps", f"the {b}"), "same" if a == b else "other") for a in nouns for b in nouns]
    corpus = Labelled("pairs", ("other", "same"), pairs, pairs, {"test": pairs})
    recipe = replace(TINY, pair=True, training=Training(tokens=20, epochs=2, precision="fp32"))
    run = Run("structured", "pairs", "snli")
    trained = train(SOLUTION, run, recipe, quiet=True, folder=tmp_path, corpus=corpus)
    assert trained.progress.history[1]["loss"] < trained.progress.history[0]["loss"]
    assert set(trained.classify([pair.sentences for pair in pairs])) <= {"same", "other"}
    assert trained.attention_weights([pairs[0].sentences])[0].words.shape == (1, 5)


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_makes_a_model(name):
    with torch.device("meta"):  # the paper's sizes need no memory here
        lists = (RECIPES[name].options or 2) ** RECIPES[name].answers
        made = build(RECIPES[name], 100, lists if RECIPES[name].answers else LABELS)
    assert made.nested == RECIPES[name].pair
    assert SOLUTION.recipes[name] is RECIPES[name]


def test_every_default_names_a_recipe():
    assert set(SOLUTION.defaults.values()) <= set(RECIPES)
    assert {field.name for field in fields(Recipe)} >= {"vocabulary", "lowercase", "training"}
