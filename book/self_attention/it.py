"""What *it* is: the row of *it* in two blocks, with one word of the sentence changed, and how often the row is so."""

import math
from collections import Counter

import torch
from jaxtyping import Float
from torch import Tensor

from book.show.drawn import Drawing, number
from book.show.experiments import MACRO_F1, span, values
from book.show.quoting import quote
from book.show.tables import results
from lab import corpora
from lab.kinds.classification import Trained
from lab.kinds.pinned import pinned
from lab.text.batches import text_batch
from solutions.self_attention.fast import SOLUTION

IT = "it"
SENTENCE = "the horse did not cross the path because it was too {} ."
ADJECTIVES = {"tired": ("horse", "large"), "wide": ("path", "small")}  # what *it* is then, and its size


@torch.no_grad()
def rows_of_it(model: Trained, sentence: str) -> Float[Tensor, "blocks words"]:
    """Return the weights that *it* gives to the words, in each block."""
    tokens, mask = text_batch([[model.text.encode(sentence)]], nested=False)
    every = model.model.every_block(tokens, mask)
    return torch.stack([weights[0, sentence.split().index(IT)] for weights in every])


def it_rows() -> Drawing:
    """Return the rows of *it* for both adjectives in the model of two blocks, and quote what the text says of them."""
    model, one = pinned(SOLUTION, "two"), pinned(SOLUTION, "one")
    drawing = Drawing(
        "What “it” attends to, block by block",
        "Two tables, one for each sentence. A row is a word of the sentence, the two columns are what it gives that "
        "word in block 1 and in block 2. " + " ".join(map(told, ADJECTIVES, [model] * 2)),
    )
    numbers, first = {}, 0.0
    for adjective, (noun, size) in ADJECTIVES.items():
        sentence = SENTENCE.format(adjective)
        words, rows = sentence.split(), rows_of_it(model, sentence)
        assert words[rows[1].argmax()] == noun, f"the text says that {IT} asks {noun}"
        assert model.classify([(sentence,)]) == [size], f"and that it is {size}"
        assert one.classify([(sentence,)]) == ["large"], "and that one block says large both times"
        numbers |= {adjective: number(float(rows[1].max()), 2)}
        first = max(first, float(rows[0].max()))
        drawing.panel(250, 54 + 20 * len(words), f"… too {adjective}: {size}", 165)
        drawing.matrix(105, 44, rows.T.numpy(), "weights", "", (60, 20), (words, ("block 1", "block 2")), 2)
    assert parameters(model) == parameters(one), "the text says that both have as many parameters"
    numbers |= {"it_first": number(math.ceil(100 * first) / 100, 2), "it_parameters": f"{parameters(model):,}"}
    quote(**numbers, **scores())
    return drawing


def told(adjective: str, model: Trained) -> str:
    """Return in words where *it* looks most, in each block."""
    words = SENTENCE.format(adjective).split()
    most = [
        f"in block {block} most on {words[int(row.argmax())]}, {number(float(row.max()), 2)}"
        for block, row in enumerate(rows_of_it(model, " ".join(words)), 1)
    ]
    return f"With {adjective}: {' and '.join(most)}."


def scores() -> dict[str, str]:
    """Return the scores of one block and of two, over the seeds, and those of counted words."""
    linear = results("self_attention", "tired-linear")[0]["scores"]["test"]["accuracy"]["value"]
    for variant, low, high in (("", 0, 90), ("two", 99, 101)):
        every = values("self_attention", "tired", variant, MACRO_F1)
        if not low <= min(every) <= max(every) <= high:
            raise ValueError(f"the lesson says that one block fails and two succeed: {variant or 'one'} has {every}")
    return {
        "it_one": span("self_attention", "tired", ""),
        "it_two": span("self_attention", "tired", "two"),
        "it_linear": f"{100 * linear:.1f}",
    }


def on_noun() -> dict[str, str]:
    """Return in how many test sentences the second block's row is largest on what *it* is, seed by seed."""
    own, *others = (asked(pinned(SOLUTION, name)) for name in ("two", "two-2", "two-3"))
    return {"it_asks": f"{own['noun']:,}", "it_asks_others": " and ".join(f"{each['noun']:,}" for each in others)}


def parameters(model: Trained) -> int:
    return sum(each.numel() for each in model.model.parameters())


def asked(model: Trained) -> Counter[str]:
    """Return the counts of the word with most of *it*'s second row: the right noun, the adjective, another word."""
    counts: Counter[str] = Counter()
    for document in corpora.load("tired").tests["test"]:
        [sentence] = document.sentences
        noun, adjective = sorted(place for _, place in document.evidence or ())
        most = int(rows_of_it(model, sentence)[1].argmax())
        counts[{noun: "noun", adjective: "adjective"}.get(most, "another")] += 1
    return counts
