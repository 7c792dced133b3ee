"""What the lesson says of the translator whose encoder is self-attention, and the experiment behind it."""

import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from IPython.display import HTML
from torch import Tensor, nn
from torch.nn.functional import one_hot

from book.show.drawn import number
from book.show.experiments import AER, BLEU, runs_of
from book.show.long_sentence import long_sentence
from book.show.quoting import quote
from book.show.reading import Reading, all_on_one
from book.show.tables import PHRASEBOOK, ROOT, by_length, results, summary, table
from lab.evaluation.result_files import read_json
from lab.kinds.pinned import pinned
from lab.kinds.translation import Trained
from lab.show.attention_table import HeatTable, heat_table
from solutions.bahdanau.attention import additive_attention
from solutions.bahdanau.model import SOLUTION as BAHDANAU
from solutions.encoder_decoder.model import SOLUTION as ENCODER_DECODER
from solutions.luong.model import SOLUTION as LUONG
from solutions.pooling.model import SOLUTION as POOLING
from solutions.self_attention.attention import SelfAttention
from solutions.self_attention.translator import reading_weights
from solutions.structured.model import SOLUTION as STRUCTURED

FRENCH, ENGLISH = "il m' a entarté", "he hit me with a pie"
WORDS = [*FRENCH.split(), "</s>"]
ENCODERS = {  # variant of the sweep: its words
    "": "self-attention",
    "none": "none: words and places alone",
    "unplaced": "self-attention, zeros as places",
}


def before() -> dict[str, Any]:
    """Return the models of the chapters before that read the French of the eighteen words."""
    every = {"encoder_decoder": ENCODER_DECODER, "bahdanau": BAHDANAU, "luong": LUONG, "pooling": POOLING}
    return {name: pinned(solution) for name, solution in every.items()} | {"structured": pinned(STRUCTURED, "free")}


class Alone(nn.Module):
    """A block in which the word at one place reads itself alone."""

    def __init__(self, block: SelfAttention, place: int) -> None:
        super().__init__()
        self.block, self.place = block, place

    def forward(self, X: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        _, weights = self.block(X, mask)
        weights = weights.clone()
        weights[:, self.place] = one_hot(torch.tensor(self.place), weights.shape[-1]).to(weights)
        return weights @ (X @ self.block.W_v.T), weights


@contextmanager
def reading_itself(model: Trained, word: str) -> Iterator[None]:
    """Let one word of the sentence read itself alone in the encoder."""
    encoder = model.model.encoder
    (block,) = own = encoder.blocks
    encoder.blocks = nn.ModuleList([Alone(block, WORDS.index(word))])
    try:
        yield
    finally:
        encoder.blocks = own


def narrowed(model: Trained) -> Reading:
    """Return each word's probability if its step sees one column alone, in rows and columns to be read."""
    return Reading(all_on_one(model, additive_attention, FRENCH, ENGLISH), ENGLISH.split(), WORDS)


def encoder_matrix(model: Trained) -> HeatTable:
    """Return the weights of self-attention in the encoder, and quote what the text says of them."""
    assert model.translate([FRENCH]) == [ENGLISH], "the text says that the translation is right"
    (weights,) = reading_weights(model, FRENCH)
    read = Reading(weights, WORDS, WORDS)
    read.tell({"a_verb": ("a", "entarté"), "m_itself": ("m'", "m'"), "verb_itself": ("entarté", "entarté")}, least=0.5)
    caption, axes = "Self-attention in the encoder.", "Rows: the words that ask; columns: the words that are asked."
    return heat_table(weights, WORDS, WORDS, caption, ("fr", "fr"), axes)


def decoder_matrix(model: Trained) -> HeatTable:
    """Return the weights of cross-attention, and quote what the text says of them and of *hit* with *a* alone."""
    weights = model.attention(FRENCH, ENGLISH)
    read = Reading(weights, ENGLISH.split(), WORDS)
    read.tell({"hit_verb": ("hit", "entarté"), "me_m": ("me", "m'")}, least=0.5)
    after = narrowed(model).weight("hit", "a")
    with reading_itself(model, "a"):
        cut = narrowed(model).weight("hit", "a")
    assert cut < 0.01 < 0.8 < after, "the text says that hit is in a, and has come there by self-attention"
    own = model.translate([long_sentence().source])[0]
    assert own.startswith("he is going to talk to me next week , then your sister is"), "the text says what is right"
    assert (own.count("next week"), own.count("man")) == (2, 0), "the text says what is gone and what comes twice"
    quote(hit_a=number(after, 2), hit_cut=number(cut, 3))
    return heat_table(weights, WORDS, ENGLISH.split(), "Cross-attention in the decoder.", ("fr", "en"))


def timed(encoder: str) -> dict[str, Any]:
    """Return the results of benchmarks.encoders for an encoder."""
    rows = read_json(ROOT / "solutions" / "self_attention" / "results" / "encoders.json")["models"]
    return next(row for row in rows if row["encoder"] == encoder)


def seconds(encoder: str, what: str = "an epoch") -> str:
    """Return the median of the seconds that an encoder, or an epoch with it, has taken."""
    return f"{statistics.median(timed(encoder)[f'milliseconds of {what}']) / 1000:.1f}"


def runs(encoder: str) -> list[dict[str, Any]]:
    """Return the results with an encoder, seed by seed; those of the recurrent one are the earlier chapter's."""
    recurrent = encoder == "recurrent"
    return results("bahdanau", PHRASEBOOK) if recurrent else runs_of("self_attention", "encoders", encoder)


def encoders(*left_out: str) -> HTML:
    """Return a row for each encoder: the numbers in its layers, BLEU over the seeds, the seconds of an epoch."""
    words = {"recurrent": "two GRUs, as before"} | ENCODERS
    rows = [
        [text, f"{timed(name)['in the layers of the encoder']:,}", summary(runs(name), *BLEU.path), seconds(name)]
        for name, text in words.items()
        if name not in left_out
    ]
    caption = "Phrasebook, test, ten passes, three seeds: mean (lowest–highest)"
    return table(caption, ["encoder", "numbers in its layers", "BLEU", "seconds a pass"], rows)


def bleu(encoder: str) -> float:
    """Return the mean BLEU with an encoder."""
    return statistics.fmean(result["scores"]["test"]["greedy"]["bleu"]["value"] for result in runs(encoder))


def encoders_quoted() -> dict[str, str]:
    """Return the numbers of the text about the table; raise ValueError where the encoders come in another order."""
    order = ["unplaced", "none", "", "recurrent"]
    scores = [bleu(name) for name in order]
    if scores != sorted(scores):
        raise ValueError(f"the text says that BLEU rises from {order[0]} to {order[-1]}, and it is {scores}")
    if any(2 * float(seconds(name, "the encoder")) > float(seconds(name)) for name in order):
        raise ValueError("the text says that the decoder takes most of the time")
    layers = [timed(name)["in the layers of the encoder"] for name in ("recurrent", "")]
    return {
        "times_numbers": f"{layers[0] / layers[1]:.1f}",
        "gru_seconds": seconds("recurrent", "the encoder"),
        "own_seconds": seconds("", "the encoder"),
        "gain_places": f"{scores[2] - scores[0]:.0f}",
        "gain_attention": f"{round(scores[2], 1) - round(scores[1], 1):.1f}",
        "gain_recurrent": f"{round(scores[3], 1) - round(scores[2], 1):.1f}",  # as the table's rows give it
    }


def by_length_and_link() -> HTML:
    """Return for each encoder BLEU by the length of the source sentence, and the alignment error rate."""
    rows = []
    for name, text in ({"recurrent": "two GRUs"} | ENCODERS).items():
        seeds = [by_length(result) for result in runs(name)]
        scores = [
            f"{statistics.fmean(seed[place].score.value for seed in seeds):.1f}" for place in range(len(seeds[0]))
        ]
        rows.append([text, *scores, summary(runs(name), *AER.path, digits=3)])
    buckets = [f"{bucket.first}–{bucket.last} words" for bucket in by_length(runs("recurrent")[0])]
    caption = "Phrasebook, test: BLEU by length, mean of three seeds, and AER, mean (lowest–highest)"
    return table(caption, ["encoder", *buckets, AER.heading], rows)


def articles(model: Trained) -> HeatTable:
    """Return the weights of the two *la* of the eighteen words, and quote them."""
    words = [*long_sentence().source.split(), "</s>"]
    (weights,) = reading_weights(model, long_sentence().source)
    places = [place for place, word in enumerate(words) if word == "la"]
    read = Reading(weights, words, words)
    read.tell({"la_week": ("la", "semaine")}, least=0.5)
    read.quote({"la_street": ("la 2", "rue"), "la_in": ("la 2", "dans")})
    axes = "Rows: the same word at two places; columns: the words that are asked."
    return heat_table(weights[places], words, ["la", "la"], "What each la reads.", ("fr", "fr"), axes)
