"""The cover's two figures: one model on one sentence, and four models of the book in a race."""

import statistics

from IPython.display import HTML

from book.live.export import figure
from book.show.long_sentence import long_sentence
from book.show.tables import PHRASEBOOK, by_length, results
from lab.kinds.pinned import pinned
from solutions.bahdanau.model import SOLUTION as BAHDANAU
from solutions.encoder_decoder.model import SOLUTION as ENCODER_DECODER
from solutions.luong.model import SOLUTION as LUONG
from solutions.transformer.fast import SOLUTION as TRANSFORMER

RACE = {
    "1 One vector": ENCODER_DECODER,
    "2 Additive attention": BAHDANAU,
    "3 Multiplicative attention": LUONG,
    "7 Transformer": TRANSFORMER,
}


def transformer() -> HTML:
    """Return the Transformer that runs on the cover, with its question."""
    question = {
        "ask": "Shuffle the weights of cross-attention: each word of the source gets the weight of another. "
        "How much of the translation changes?",
        "set": {"weights": "shuffled"},
        "options": [["hardly a word", 0, 0.2], ["about half", 0.2, 0.7], ["nearly all of it", 0.7, 1.01]],
    }
    model, pair = pinned(TRANSFORMER), long_sentence()
    return figure(
        "translator", {TRANSFORMER.name: model}, pair.source, question, pressed=pair.target.split().index("week")
    )


def race() -> HTML:
    """Return the four models that write one sentence side by side, above their BLEU by length, three seeds each."""
    models = {solution.name: pinned(solution) for solution in RACE.values()}
    scores = [[by_length(result) for result in results(name, PHRASEBOOK)] for name in models]
    seeds = [[[round(bucket.score.value, 1) for bucket in seed] for seed in model] for model in scores]
    lines = [{"mean": [statistics.fmean(each) for each in zip(*model, strict=True)], "seeds": model} for model in seeds]
    curves = {"ends": [(bucket.first, bucket.last) for bucket in scores[0][0]], "lines": lines}
    return figure("race", models, long_sentence().source, titles=list(RACE), curves=curves)
