"""The cached, batched decoding is the taught one, token for token, on random models of every chapter."""

import itertools
from dataclasses import replace
from functools import partial

import pytest
import torch
from torch import Tensor, nn

from lab.decode import decoding
from lab.text.batches import source_batch
from lab.text.tokenizers import BOS, EOS, PAD
from solutions.bahdanau.attention import additive_attention
from solutions.bahdanau.model import Bahdanau, QueryAfter
from solutions.bahdanau.recipe import Recipe as BahdanauRecipe
from solutions.encoder_decoder.attention import beam_search, greedy_decode
from solutions.encoder_decoder.model import EncoderDecoder
from solutions.encoder_decoder.recipe import Recipe
from solutions.luong.attention import attentional_state
from solutions.luong.model import Luong
from solutions.luong.recipe import Recipe as LuongRecipe
from solutions.transformer.fast import FastTransformer
from solutions.transformer.model import Transformer
from solutions.transformer.recipe import Recipe as TransformerRecipe

SOURCE, TARGET = 11, 9
SMALL = Recipe(embedding_dim=5, units=7, maxout=6)
MODELS = {
    "gru": lambda: EncoderDecoder(SMALL, SOURCE, TARGET),
    "lstm": lambda: EncoderDecoder(replace(SMALL, cell="lstm", layers=2), SOURCE, TARGET),
    "sutskever": lambda: EncoderDecoder(
        Recipe("lstm", 5, 7, 2, bidirectional=False, reverse=True, context_everywhere=False, maxout=0), SOURCE, TARGET
    ),
    "bahdanau": lambda: Bahdanau(BahdanauRecipe(5, 7, 8, 6), SOURCE, TARGET),
    "bahdanau, query after the step": lambda: QueryAfter(BahdanauRecipe(5, 7, 8, 6), SOURCE, TARGET),
    "bahdanau, attention handed in": lambda: Bahdanau(
        BahdanauRecipe(5, 7, 8, 6), SOURCE, TARGET, attend=additive_attention
    ),
}
SHAPE = LuongRecipe(embedding_dim=5, units=6, hidden=4, longest=4, D=2)
VARIANTS = {
    "dot": {"score": "dot"},
    "general": {"bidirectional": True},
    "concat": {"score": "concat", "layers": 2},
    "location": {"score": "location"},
    "local_m": {"attention": "local_m", "layers": 2},
    "local_p": {"attention": "local_p", "bidirectional": True, "layers": 2},
    "local_p, wider than the sentences": {"attention": "local_p", "D": 50},
}
for variant, changes in VARIANTS.items():
    for feeding in (True, False):
        recipe = replace(SHAPE, feeding=feeding, **changes)
        MODELS[f"luong, {variant}{', fed' if feeding else ''}"] = partial(Luong, recipe, SOURCE, TARGET)
HEADS = TransformerRecipe(d_model=6, d_ff=7, heads=2, layers=2, shared=False)
MODELS |= {
    "luong, attention handed in": lambda: Luong(replace(SHAPE, bidirectional=True), SOURCE, TARGET, attentional_state),
    "transformer": lambda: FastTransformer(HEADS, SOURCE, TARGET),
    "transformer, pre-norm": lambda: FastTransformer(replace(HEADS, pre_norm=True), SOURCE, TARGET),
    "transformer, shared": lambda: FastTransformer(replace(HEADS, shared=True), SOURCE, SOURCE),
    "transformer, plain": lambda: Transformer(replace(HEADS, dropout=0.0), SOURCE, TARGET),
}
UNFED = {f"luong, {variant}" for variant in VARIANTS if variant != "dot"}
EVERY = [pytest.param(name, marks=[pytest.mark.slow] if name in UNFED else []) for name in MODELS]
BEAMED = {"gru", "lstm", "bahdanau", "luong, dot", "luong, local_p, fed", "transformer", "transformer, plain"}
KINDS = [pytest.param(name, marks=[] if name in BEAMED else [pytest.mark.slow]) for name in MODELS]  # of a state
SENTENCES = [[4, 5, 6, 7, 8], [9], [10, 4, 4], [], [5, 5, 6, 4, 9, 10, 7]]
LIMIT = 9


def random_model(name: str, seed: int) -> nn.Module:
    torch.manual_seed(seed)
    model = MODELS[name]().eval()
    for weight in model.parameters():
        nn.init.normal_(weight, std=0.7)  # far from uniform, so that the sentences differ
    return model


def reread(model: nn.Module, sentence: list[int]):
    """Return a step for the taught functions: it reads the whole prefix again each time."""
    source, mask = source_batch([sentence])

    @torch.no_grad()
    def step(prefix: Tensor) -> Tensor:
        n = len(prefix)
        everywhere = torch.ones(prefix.shape, dtype=torch.bool)
        scores = model(source.expand(n, -1), mask.expand(n, -1), prefix, everywhere)
        return scores.view(*prefix.shape, -1)

    return step


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_cached_greedy_says_what_the_taught_one_says(name: str, seed: int) -> None:
    model = random_model(name, seed)
    cached = decoding.greedy(model, *source_batch(SENTENCES), max_len=LIMIT)
    for sentence, output in zip(SENTENCES, cached, strict=True):
        taught = greedy_decode(reread(model, sentence), 1, BOS, EOS, PAD, LIMIT)[0].tolist()
        assert output.tokens == [token for token in taught if token != EOS]


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize(
    ("width", "alpha"),
    [(3, 0.6), *(pytest.param(*each, marks=pytest.mark.slow) for each in [(1, 1.0), (4, 0.0), (12, 1.0)])],
)
def test_cached_beam_finds_what_the_taught_one_finds(name: str, width: int, alpha: float) -> None:
    model = random_model(name, 5)
    cached = decoding.beam(model, *source_batch(SENTENCES), width, alpha, max_len=LIMIT)
    for sentence, output in zip(SENTENCES, cached, strict=True):
        whole = reread(model, sentence)
        taught, _ = beam_search(lambda p, w=whole: w(p)[:, -1].log_softmax(-1), BOS, EOS, width, LIMIT, alpha)
        assert output.tokens == [token for token in taught if token != EOS]


def test_the_penalty_of_the_transformers_paper_is_computed_as_it_is_written() -> None:
    assert decoding.length_penalty(13, 0.6, shift=5.0) == pytest.approx(((5 + 13) / 6) ** 0.6)
    assert decoding.length_penalty(13, 0.6) == pytest.approx(13**0.6)
    assert str(decoding.Search(4, 0.6, 5.0)) == "log p / ((5 + length) / 6)^0.6"


@pytest.mark.parametrize("seed", range(4))
def test_a_beam_wide_enough_finds_the_best_sentence_by_the_papers_penalty(seed: int) -> None:
    model, limit, alpha = random_model("transformer", seed), 3, 3.0
    result = decoding.beam(model, *source_batch(SENTENCES[:1]), TARGET**limit, alpha, limit, shift=5.0)[0].tokens
    sentences = torch.tensor(list(itertools.product(range(TARGET), repeat=limit)))
    prefixes = torch.cat([torch.full_like(sentences[:, :1], BOS), sentences[:, :-1]], dim=1)
    log_p = reread(model, SENTENCES[0])(prefixes).log_softmax(-1).gather(-1, sentences[..., None])[..., 0]
    every = {}
    for words, scores in zip(sentences.tolist(), log_p, strict=True):
        end = words.index(EOS) + 1 if EOS in words else limit
        every[tuple(words[:end])] = scores[:end].sum().item() / ((5 + end) / 6) ** alpha
    assert result == [word for word in max(every, key=every.__getitem__) if word != EOS]


@pytest.mark.parametrize("name", EVERY)
def test_padding_a_batch_changes_no_score(name: str) -> None:
    model = random_model(name, 1)
    prefix = torch.tensor([[BOS, 4, 5, 6]])
    real = torch.ones_like(prefix, dtype=torch.bool)
    table, mask = source_batch(SENTENCES)
    with torch.no_grad():
        together = model(table, mask, prefix.expand(len(SENTENCES), -1), real.expand(len(SENTENCES), -1))
        alone = [model(*source_batch([sentence]), prefix, real) for sentence in SENTENCES]
    torch.testing.assert_close(together, torch.cat(alone), rtol=1e-4, atol=1e-5)


def test_attention_handed_in_and_attention_with_keys_projected_once_are_the_same_model() -> None:
    built_in, handed = random_model("bahdanau", 3), random_model("bahdanau, attention handed in", 3)
    table, mask = source_batch(SENTENCES)
    inputs = torch.full((len(SENTENCES), 3), BOS)
    for model in (built_in, handed):
        model(table, mask, inputs, torch.ones_like(inputs, dtype=torch.bool)).logsumexp(-1).sum().backward()
    for first, second in zip(built_in.parameters(), handed.parameters(), strict=True):
        torch.testing.assert_close(first.grad, second.grad, rtol=1e-4, atol=1e-5)


def test_forced_weights_are_one_row_a_word_and_one_column_a_source_token() -> None:
    model = random_model("bahdanau", 0)
    maps = decoding.forced_attention(model, SENTENCES, [[4, 5], [6], [7, 8, 4], [5], [4]])
    assert [tuple(weights.shape) for weights in maps] == [(2, 6), (1, 2), (3, 4), (1, 1), (1, 8)]
    for weights in maps:
        torch.testing.assert_close(weights.sum(-1), torch.ones(len(weights)))
    with pytest.raises(TypeError, match="no attention to show"):
        decoding.forced_attention(random_model("gru", 0), [[4]], [[5]])


def test_sentences_come_back_in_their_own_order(monkeypatch) -> None:
    model = random_model("bahdanau", 2)
    alone = [decoding.translate(model, [sentence])[0].tokens for sentence in SENTENCES]
    monkeypatch.setitem(decoding.CELLS, "cpu", 14)  # few at a time
    few_at_a_time = decoding.translate(model, SENTENCES)
    # A batch may speak as long as its longest sentence allows: compare what both had room for.
    for short, output in zip(alone, few_at_a_time, strict=True):
        assert output.tokens[: len(short)] == short
