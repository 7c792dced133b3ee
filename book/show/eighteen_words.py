"""The strip at the end of a lesson: what each model so far makes of the sentence of eighteen words, a row each.

A model that translates has its translation there, one that labels the facts that it reads.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher
from html import escape

from IPython.display import HTML

from book.contents import all_chapters
from book.show.long_sentence import long_sentence
from lab.kinds import classification, translation

CAPTION = "In bold: what the true translation has, in its order"
FACTS = ("he → me", "she → him")  # who does something to whom in the sentence

Trained = translation.Trained | classification.Trained


def so_far(**models: Trained) -> HTML:
    """Return a row for each model, by the name of its chapter, in the order of the book, and the true translation.

    A later chapter hands over the models of those before it and its own. Raise LookupError for a name that is none.
    """
    about = all_chapters()
    if unknown := [name for name in models if name not in about]:
        raise LookupError(f"no chapter is called {unknown[0]}: expected one of {', '.join(about)}")
    pair = long_sentence()
    named = {about[name]["model"]: models[name] for name in about if name in models}
    read = [(name, facts_of(each)) for name, each in named.items() if isinstance(each, classification.Trained)]
    outputs = [(name, each.translate([pair.source])[0]) for name, each in named.items() if name not in dict(read)]
    return strip(pair.source, pair.target, outputs, read)


def facts_of(model: classification.Trained) -> list[str]:
    """Return the facts that a model reads in the sentence, in its order."""
    return model.classify([(long_sentence().source,)])[0].split(", ")


def strip(
    source: str, true: str, outputs: Sequence[tuple[str, str]], read: Sequence[tuple[str, Sequence[str]]] = ()
) -> HTML:
    """Return the strip of what several models, each given with its words or its facts, make of one sentence."""
    words = true.split()
    rows = [row("French", f'<span lang="fr">{escape(source)}</span>', ""), row("true", escape(true), f"{len(words)}")]
    for model, output in outputs:
        runs = kept(output.split(), words)
        text = " ".join(f"<strong>{escape(run)}</strong>" if is_kept else escape(run) for run, is_kept in runs)
        count = sum(len(run.split()) for run, is_kept in runs if is_kept)
        more = len(output.split()) - count
        extra = f", and {more} too many" if more and count == len(words) else ""
        rows.append(row(model, text, f"{count} of {len(words)}{extra}"))
    if read:
        rows.append(row("who, to whom", escape("; ".join(FACTS)), f"{len(FACTS)} facts"))
    for model, facts in read:
        count = sum(fact in FACTS for fact in set(facts))
        text = "; ".join(f"<strong>{escape(fact)}</strong>" if fact in FACTS else escape(fact) for fact in facts)
        rows.append(row(model, text, f"{count} of {len(FACTS)} facts"))
    head = "".join(f'<th scope="col">{name}</th>' for name in ("model", "the sentence", "words in place"))
    return HTML(
        f'<table class="results eighteen"><caption>{CAPTION}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


def row(name: str, sentence: str, count: str) -> str:
    return f'<tr><th scope="row">{escape(name)}</th><td class="words">{sentence}</td><td>{count}</td></tr>'


def kept(output: Sequence[str], true: Sequence[str]) -> list[tuple[str, bool]]:
    """Return an output in runs of words, each with whether the true translation has it, in the same order."""
    runs = []
    for kind, start, end, _, _ in SequenceMatcher(None, output, true, autojunk=False).get_opcodes():
        if start < end:
            runs.append((" ".join(output[start:end]), kind == "equal"))
    return runs
