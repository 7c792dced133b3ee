"""Text to be read with its weights: every word on a ground as strong as its weight, for the page and the terminal."""

from collections.abc import Collection, Sequence
from html import escape

from lab.show.attention_table import STYLE, HeatTable, shade, short, strength

WORDS = """
.heat .word{display:inline-block;text-align:center;margin:.1rem;padding:.1rem .25rem;border-radius:3px;line-height:1.25;
background:rgb(var(--h)/var(--w))}
.heat .word small{display:block;font-size:.68rem}.heat .word u{text-decoration-thickness:2px}
.heat table.text td{background:none!important;text-align:left;font-size:.95rem}
"""

Row = Sequence[float]


def shaded_text(
    sentences: Sequence[Sequence[str]],
    word_weights: Sequence[Row],
    sentence_weights: Row | None = None,
    caption: str = "",
    evidence: Collection[tuple[int, int]] = (),
) -> HeatTable:
    """Return the sentences, a row each, every word with its weight below it; words of the evidence are underlined.

    Evidence is given as pairs (sentence, word), both counted from 0.
    """
    fitting(sentences, word_weights, sentence_weights)
    word_weights = [[float(weight) for weight in row] for row in word_weights]  # they may be tensors
    rows, lines = [], []
    for i, (words, weights) in enumerate(zip(sentences, word_weights, strict=True)):
        cells = [
            _word(word, weight, (i, t) in evidence) for t, (word, weight) in enumerate(zip(words, weights, strict=True))
        ]
        head = ""
        if sentence_weights is not None:
            weight = float(sentence_weights[i])
            head = f'<th scope="row" style="background:rgb(var(--h)/{strength(weight)})!important">{short(weight)}</th>'
        rows.append(f"<tr>{head}<td>{' '.join(cells)}</td></tr>")
        lines += _lines(words, weights, None if sentence_weights is None else sentence_weights[i])
    columns = (
        '<thead><tr><th scope="col">weight of the sentence</th><th scope="col">its words</th></tr></thead>'
        if sentence_weights is not None
        else ""
    )
    html = (
        f'<div class="heat"><style>{STYLE}{WORDS}</style><table class="text"><caption>{escape(caption)}</caption>'
        f"{columns}<tbody>{''.join(rows)}</tbody></table></div>"
    )
    return HeatTable(html, "\n".join([caption, *lines]))


def fitting(sentences: Sequence[Sequence[str]], word_weights: Sequence[Row], sentence_weights: Row | None) -> None:
    """Complain unless every word and every sentence has a weight."""
    words, weights = [len(sentence) for sentence in sentences], [len(row) for row in word_weights]
    if words != weights:
        raise ValueError(
            f"Every word needs a weight: the sentences have {words} words, the rows {weights} weights. "
            "Cut off the weights of padding."
        )
    if sentence_weights is not None and len(sentence_weights) != len(sentences):
        raise ValueError(
            f"Every sentence needs a weight: there are {len(sentences)} sentences and {len(sentence_weights)} weights. "
            "Cut off the weights of empty sentences."
        )


def _word(word: str, weight: float, evident: bool) -> str:
    text = f"<u>{escape(word)}</u>" if evident else escape(word)
    number = short(weight)
    if number == ".00":  # most words of a review: sixty zeros would hide the others
        number = "\u00a0"
    return f'<span class="word" style="--w:{strength(weight)}">{text}<small>{number}</small></span>'


def _lines(words: Sequence[str], weights: Row, sentence_weight: float | None) -> list[str]:
    """Return a sentence for the terminal: its words, and below each a shade as long as the word."""
    margin = "" if sentence_weight is None else f"{short(sentence_weight)} "
    shades = " ".join(shade(weight) * len(word) for word, weight in zip(words, weights, strict=True))
    return [f"{margin}{' '.join(words)}", f"{' ' * len(margin)}{shades}"]
