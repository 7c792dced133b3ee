"""What the lesson on Luong's attention says of its two matrices, and the experiment behind it."""

from statistics import median

from book.show.drawn import number
from book.show.long_sentence import long_sentence
from book.show.quoting import quote
from book.show.reading import Reading, all_on_one
from lab.corpora import Pair
from lab.kinds.translation import Trained
from lab.show.attention_table import HeatTable, heat_table
from solutions.luong.attention import attentional_state


def matrix(model: Trained, pair: Pair, caption: str) -> tuple[HeatTable, Reading, Reading]:
    """Return the weights as a table and to be read, and how probable each word is with one source word alone."""
    assert model.translate([pair.source]) == [pair.target], "the text says that the translation is right"
    rows, columns = pair.target.split(), [*pair.source.split(), "</s>"]
    weights = model.attention(pair.source, pair.target)
    moved = all_on_one(model, attentional_state, pair.source, pair.target)
    table = heat_table(weights, columns, rows, caption, ("fr", "en"))
    return table, Reading(weights, rows, columns), Reading(moved, rows, columns)


def others(read: Reading, row: str, column: str) -> list[float]:
    """Return a row without one column."""
    return [read.weight(row, each) for each in read.columns if each != column]


def short_matrix(model: Trained, french: str, english: str) -> HeatTable:
    """Return the weights of the short sentence, and quote what the text says of them."""
    caption = "The general score with input feeding, after two epochs on the phrasebook."
    table, read, after = matrix(model, Pair(french, english), caption)
    read.tell({"hit_verb": ("hit", "entarté"), "me_m": ("me", "m'")}, least=0.9)
    read.tell({"a_end": ("a", "</s>"), "pie_end": ("pie", "</s>")}, least=0.5)
    assert after.largest("hit") == "entarté"
    assert min(others(after, "a", "m'")) > 0.9 > after.weight("a", "m'"), "the text says where a may not look"
    quote(
        hit_elsewhere=number(max(others(after, "hit", "entarté")), 2),
        pie_anywhere=number(min(after.weight("pie", each) for each in after.columns), 2),
        a_anywhere=number(min(others(after, "a", "m'")), 2),
        a_m=number(after.weight("a", "m'"), 2),
    )
    return table


def long_matrix(model: Trained) -> HeatTable:
    """Return the weights of the long sentence, and quote what the text says of them."""
    table, read, after = matrix(model, long_sentence(), "The long sentence, and the model's translation.")
    read.tell({"next": ("next", "prochaine"), "take": ("take", "soigner")}, least=0.5)
    read.tell({"care": ("care", "l'"), "of": ("of", "homme")})
    middle = {word: median(after.weight(word, each) for each in after.columns) for word in ("take", "care", "of")}
    quote(**{f"{word}_median": number(share, 2) for word, share in middle.items()})
    return table
