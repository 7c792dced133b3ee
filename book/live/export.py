"""Trained models as scripts for the page, and the `div` of a figure that runs one, by the engine beside this file."""

import base64
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, Literal

import numpy as np
from IPython.display import HTML
from py_mini_racer import MiniRacer
from torch import Tensor

from book.contents import all_chapters
from book.show.long_sentence import long_sentence
from lab import corpora
from lab.corpora import Document, Pair, grammar
from lab.kinds import classification, language, translation
from lab.kinds.pinned import place_of, record_of, rounded
from lab.show.plots import STYLES

LIVE = Path(__file__).parent
ENGINE = ("layers/*.js", "models/decoding.js", "models/transformer.js", "models/*.js")  # what others extend is first
FIGURES = ("figures/parts.js", "figures/figure.js", "figures/*.js")
EACH = 3  # sentences of each length that the page offers
Precision = Literal["int8", "float32"]
MODELS = [name for chapter in all_chapters().values() for name in chapter.get("live", ())]  # by the engine's names
Trained = translation.Trained | classification.Trained | language.Trained


def stored(tensor: Tensor, precision: Precision = "int8") -> dict[str, Any]:
    """Return a table of numbers as the engine unpacks it: with int8, a matrix has one scale for each row."""
    table = tensor.detach().float().reshape(1, -1) if tensor.dim() == 1 else tensor.detach().float()
    shape = {"rows": table.shape[0] if tensor.dim() > 1 else tensor.numel(), "cols": table.shape[-1]}
    if precision == "float32" or tensor.dim() == 1:
        return shape | {"data": encoded(table.numpy())}
    numbers, scales = rounded(table)
    return shape | {"data": encoded(numbers.numpy()), "scales": encoded(scales.numpy())}


def encoded(numbers: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(numbers).tobytes()).decode("ascii")


def exported(trained: Trained, precision: Precision = "int8") -> dict[str, Any]:
    """Return a model as the engine takes it: the numbers of its recipe, and each table once, by PyTorch's name."""
    tables = dict(apart(trained.model.named_parameters()))  # what is tied is there once
    recipe: Any = trained.model.recipe
    settings = {each.name: getattr(recipe, each.name) for each in fields(recipe) if each.name != "training"}
    return {"settings": settings, "tensors": {name: stored(tensor, precision) for name, tensor in tables.items()}}


def apart(parameters: Iterable[tuple[str, Tensor]]) -> Iterator[tuple[str, Tensor]]:
    """Yield parameters; W_q, W_k and W_v and their biases, which PyTorch's multi-head attention keeps in one, apart."""
    for name, tensor in parameters:
        layer, is_joint, part = name.partition("in_proj_")
        names = [f"{layer}{each}.{part}" for each in "qkv"] if is_joint else [name]
        yield from zip(names, tensor.chunk(len(names)), strict=True)


def corpus(trained: Trained, texts: Sequence[Pair] | Sequence[Document] | Sequence[str]) -> dict[str, Any]:
    """Return the vocabularies, and a few texts of every length for "another sentence", with links, labels or rules."""
    if isinstance(trained, translation.Trained):
        words = {"source": trained.source_text.state()["words"], "target": trained.target_text.state()["words"]}
    elif isinstance(trained, language.Trained):
        rules = {symbol: list(options.items()) for symbol, options in grammar.rules().items()}
        words = {"source": trained.text.state()["words"], "rules": rules}
    else:
        words = {"source": trained.text.words, "labels": trained.labels}
    chosen: dict[int, list] = {}
    for text in map(offered, texts):
        chosen.setdefault(len(text["source"].split()), []).append(text)
    return words | {"sentences": [text for length in sorted(chosen) for text in chosen[length][:EACH]]}


def offered_texts(name: str, trained: Trained) -> dict[str, Any]:
    """Return the vocabularies of a corpus of the book, and sentences of its test part."""
    texts = list(corpora.load(name).tests["test"])
    if name == "phrasebook":
        texts = [long_sentence(), *texts]  # what the pages begin with is known, too
    return corpus(trained, texts)


def offered(text: Pair | Document | str) -> dict[str, Any]:
    """Return a sentence as the page offers it, with what is known of it."""
    if isinstance(text, str):
        return {"source": text}
    if isinstance(text, Pair):
        return {"source": text.source, "target": text.target, "links": sorted(text.links or ())}
    starts = np.cumsum([0, *(len(sentence.split()) for sentence in text.sentences)]).tolist()
    evidence = sorted(starts[sentence] + word for sentence, word in text.evidence or ())
    return {"source": " ".join(text.words), "label": text.label, "evidence": evidence}


def script(name: str, data: Mapping[str, Any]) -> str:
    """Return the script that hands data to the page. It is a script, since a page on a disk may fetch nothing."""
    return f"live.received({json.dumps(name)}, {json.dumps(data, ensure_ascii=False, separators=(',', ':'))});\n"


@cache
def joined(patterns: tuple[str, ...]) -> str:
    """Return the files of the engine or of the figures as one classic script: ES modules do not load from a disk."""
    files = dict.fromkeys(file for pattern in patterns for file in sorted(LIVE.glob(pattern)))
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


def engine() -> str:
    """Return the engine in a function of its own, so that the page sees of it what the figures use and no more."""
    names = "START, END, best, softmax"
    models = ", ".join(sorted({name.partition("-")[0] for name in MODELS}))
    return f'(function () {{\n"use strict";\n{joined(ENGINE)}\nObject.assign(live, {{ {names}, {models} }});\n}})();\n'


def corpus_of(name: str) -> str:
    """Return the corpus that a model of the book is trained on, by the engine's name."""
    chapter, _, variant = name.partition("-")
    return record_of(place_of(chapter, variant))["corpus"]


def figure(
    kind: str,
    models: Mapping[str, Trained],
    sentence: str,
    question: Mapping[str, Any] | None = None,
    texts: Mapping[str, Any] | None = None,
    **more: Any,
) -> HTML:
    """Return a figure that runs models in the page, as it stands before it is touched: models by the engine's names.

    Behind a dash a name may say which of several. `question` is what a reader guesses before the figure answers,
    `texts` the words and sentences on offer, the book's if none are given; `more` is for one kind of figure.
    """
    names = {name: script(name, exported(trained)) for name, trained in models.items()}
    of = corpus_of(next(iter(models)))
    data = {
        "kind": kind,
        "models": " ".join(models),
        "corpus": of,
        "sentence": sentence,
        "colours": json.dumps([colour for colour, *_ in STYLES]),
        "question": json.dumps(question) if question else "",
    }
    data |= {name: value if isinstance(value, str) else json.dumps(value) for name, value in more.items()}
    data = {name: value for name, value in data.items() if value}
    words = script(of, texts if texts is not None else offered_texts(of, next(iter(models.values()))))
    attributes = " ".join(f'data-{name}="{escape(value)}"' for name, value in data.items())
    size = sum(len(text.encode()) for text in names.values()) / 1e6
    about = f"A trained model runs in this page ({size:.2f} MB); nothing that you type is sent anywhere."
    inside = drawn(data, [engine(), joined(FIGURES), words, *names.values()])
    about = f'<p class="live-about" role="status">{about}</p>'
    return HTML(f'<div class="moved live" id="live-{kind}" {attributes}>{inside}{about}</div>')


def drawn(data: Mapping[str, str], scripts: Iterable[str]) -> str:
    """Return the inside of a figure as its own scripts draw it, without a browser."""
    page = MiniRacer()
    for text in ((LIVE / "still.js").read_text(encoding="utf-8"), *scripts):
        page.eval(text)
    return str(page.eval(f"drawn({json.dumps(data)})"))
