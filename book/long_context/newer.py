"""What the page on later changes shows: how much each pair keeps of its angle, and what stretched angles lose."""

from book.long_context.quoted import thousandths
from book.show.quoting import quote
from book.show.seed_plots import lines
from lab.show.plots import Picture
from solutions.long_context.attention import stretched

HEAD_DIM, BASE, FACTOR, TRAINED = 128, 10_000.0, 8.0, 4096


def angles_kept() -> Picture:
    """Draw what is left of each pair's angle over its turns in the training, by three ways to stretch."""
    plain, _ = stretched(HEAD_DIM, BASE, 1.0, TRAINED)
    by_parts, _ = stretched(HEAD_DIM, BASE, FACTOR, TRAINED)
    rebased, _ = stretched(HEAD_DIM, BASE * FACTOR ** (HEAD_DIM / (HEAD_DIM - 2)), 1.0, TRAINED)
    turns = (TRAINED * plain / 6.2831853).tolist()
    ways = {"interpolated": plain / FACTOR, "a larger base": rebased, "by parts": by_parts}
    return lines(
        {name: list(zip(turns, (angles / plain).tolist(), strict=True)) for name, angles in ways.items()},
        "turns in the training",
        "new angle / old angle",
        f"64 pairs, {TRAINED:,} tokens trained, 8 times as far",
        log="x",
        ticks=[0.1, 1, 32, 600],
    )


def quote_stretched() -> None:
    """Quote what is said of the models with other angles, and assert it."""
    names = ("interpolated", "rebased", "by parts", "by near parts", "by near parts, unscaled")
    end = {name: thousandths("rope", -1, name) for name in ("excess", *names)}
    quote(story=str(end))
