"""What the lesson on additive attention says of its two matrices, and the experiments behind it."""

from book.show.drawn import number
from book.show.long_sentence import long_sentence
from book.show.quoting import quote
from book.show.reading import Reading, all_on_one, said
from lab import corpora
from lab.corpora import Pair
from lab.kinds.translation import Trained
from lab.metrics import Weights
from lab.show.attention_table import HeatTable, heat_table
from solutions.bahdanau.attention import additive_attention


def reading(weights: Weights, pair: Pair) -> Reading:
    return Reading(weights, pair.target.split(), [*pair.source.split(), "</s>"])


def passes(former: Trained, model: Trained) -> None:
    """Quote the validation BLEU of the encoder–decoder, and that of the model after each pass."""
    one, two = (point["validation"] for point in model.progress.history)
    assert one > former.progress.best, "the text says that one pass with attention is enough"
    quote(validation_former=f"{former.progress.best:.1f}", validation_one=f"{one:.1f}", validation_two=f"{two:.1f}")


def moved(model: Trained, french: str, english: str) -> HeatTable:
    """Return each word's probability if its row has all its weight on one column; quote the numbers in the text."""
    assert model.translate([french]) == [english], "the text says that the translation is right"
    read = reading(model.attention(french, english), Pair(french, english))
    read.tell({"hit_verb": ("hit", "entarté"), "me_m": ("me", "m'"), "pie_m": ("pie", "m'")})
    read.quote({"pie_verb": ("pie", "entarté")})
    table = all_on_one(model, additive_attention, french, english)
    after = reading(table, Pair(french, english))
    after.tell({"moved_hit": ("hit", "entarté"), "moved_me": ("me", "m'")}, digits=3, least=0.99)
    after.quote({f"moved_hit_{near}": ("hit", near) for near in ("a", "il")}, 3)
    assert after.weight("hit", "a") > 0.9 > after.weight("hit", "il"), "the text says how near the state has to be"
    pie = min(after.weight("pie", word) for word in after.columns)
    assert pie > 0.99, "the text says that pie needs none of the words"
    texts = " ".join(each.target for each in corpora.load("phrasebook").train)
    counts = {
        name: f"{texts.count(words):,}" for name, words in (("with_a", " with a "), ("with_a_pie", " with a pie"))
    }
    quote(moved_pie=number(pie, 3), **counts)
    caption = "How probable a word is if its row has all its weight on one column."
    axes = "Rows: output words; columns: the one input word that the row may see."
    return heat_table(table, after.columns, after.rows, caption, ("fr", "en"), axes)


def long_matrix(model: Trained) -> HeatTable:
    """Return the weights of the long sentence, its true translation forced, and quote what the text says of them."""
    pair = long_sentence()
    weights = model.attention(pair.source, pair.target)
    read = reading(weights, pair)
    read.tell({name: (name, word) for name, word in (("sister", "sœur"), ("street", "rue"))})
    read.tell({"next_before": ("next", "parler"), "talk": ("talk", "parler")})
    read.quote({"next_true": ("next", "prochaine")})
    own = model.translate([pair.source])[0]
    assert " me if they love me next week" in own, "the text says where it goes wrong"
    assert "sister" in own, "the text says who is back"
    assert "pie" not in own, "the text says what is gone"
    step = said(model, pair.source, pair.target)[read.rows.index("next")]
    true, instead = (float(step[word]) for word in model.target_text.encode("next if"))
    assert instead > true, "the text says what the model would rather say"
    after = reading(all_on_one(model, additive_attention, pair.source, pair.target), pair)
    after.tell({"next_mended": ("next", "prochaine")}, digits=3)
    quote(next_said=number(true, 2), if_said=number(instead, 2))
    caption = "The 18 words, read with additive attention after two epochs."
    return heat_table(weights, [*pair.source.split(), "</s>"], pair.target.split(), caption, ("fr", "en"))
