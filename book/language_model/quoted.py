"""The numbers that the lesson on language models quotes of its runs and models, each with what the text says of it."""

from statistics import fmean

from book.language_model.figures import EXCESS, NAME, above
from book.language_model.readings import carrier, expected
from book.language_model.witness import quote_bytes, quote_copying
from book.show.experiments import values
from book.show.quoting import quote
from book.show.tables import results
from lab import corpora
from lab.corpora import grammar
from lab.kinds.language import Trained


def shakespeare_nats(run: str) -> str:
    """Return the mean loss of a run on Shakespeare, in nats a character."""
    return f"{fmean(each['scores']['validation']['loss']['value'] for each in results(NAME, run)):.2f}"


def quote_runs(model: Trained) -> None:
    """Quote what the lesson says of its runs and of its model, and assert it."""
    old, new, rotary, unplaced = map(above, ("2017", "", "rope", "no-places"))
    of_none, of_rotary = (values(NAME, "block", variant, EXCESS) for variant in ("no-places", "rope"))
    assert old - unplaced > (old - rotary) / 2, "the text says that most of the gain comes without rotation"
    assert min(of_none) < max(of_rotary), "and that the rest is within what seeds differ by"
    corpus = corpora.load("grammar")
    losses, counts = model.losses(corpus.tests["test"])
    quote(
        old=f"{old:.1f}", new=f"{new:.1f}", rotary=f"{rotary:.1f}", unplaced=f"{unplaced:.1f}",
        normalised=f"{above('qk-norm'):.1f}",
        vocabulary=f"{len(grammar.tables()[1])}",
        nano=shakespeare_nats("shakespeare-nano"), ten_minutes=shakespeare_nats("shakespeare-shakespeare"),
        floor=f"{corpus.entropy:.3f}", loss=f"{(losses.sum() / counts.sum()).item():.3f}",
        parameters=f"{sum(each.numel() for each in model.model.parameters()):,}",
    )  # fmt: skip


def quote_all(model: Trained, sentence: str) -> None:
    """Quote what the lesson says of its runs, of its model on a sentence, and of a published model."""
    quote_runs(model)
    expected(model, sentence)
    carrier(model, sentence)
    quote_copying()
    quote_bytes()
