"""What a published model shows: wrong parts, windows and the sink, heads that copy.

    python -m solutions.language_model.witness

reads eight excerpts of Shakespeare's plays (512 pieces each) and writes results/published.json: losses in nats a piece,
one of each excerpt. Nothing is trained; each row changes one thing of the same model. What is kept is not measured
again.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional

from lab import corpora
from lab.evaluation.result_files import read_json, write_json
from lab.kinds.runs import ROOT
from lab.published.gguf_file import WHEEL
from solutions.language_model.attention import induction_score
from solutions.language_model.layers import TAUGHT, Parts
from solutions.language_model.published import TEXT, Published, load
from solutions.self_attention.attention import scaled_dot_product

RESULT = ROOT / "solutions" / "language_model" / "results" / "published.json"
EXCERPTS, PIECES = 8, 512
WINDOW, SINKS = 64, 4
PERIOD, ROUNDS, SEQUENCES = 64, 3, 4
REMOVED, DRAWS = 16, 5  # heads that copy most; draws of as many others of the same layers
COUNTS = (1, 2, 4, 8, REMOVED)  # how many of them are taken out, for the curve

Seen = Bool[Tensor, "target source"]


def rotated(x: Float[Tensor, "*batch length head_dim"], angle: Float[Tensor, "length half"], pairs: str) -> Tensor:
    """Return x turned by these angles, in pairs of halves or of neighbours."""
    first, second = x.chunk(2, dim=-1) if pairs == "halves" else (x[..., ::2], x[..., 1::2])
    turned = [first * angle.cos() - second * angle.sin(), first * angle.sin() + second * angle.cos()]
    return torch.cat(turned, dim=-1) if pairs == "halves" else torch.stack(turned, dim=-1).flatten(-2)


def angles(x: Tensor, positions: Int[Tensor, " length"], base: float) -> Float[Tensor, "length half"]:
    half = x.shape[-1] // 2
    return positions[:, None] / base ** (torch.arange(half) / half)


def grouped(
    query: Tensor, key: Tensor, value: Tensor, seen: Seen | None = None, tiled: bool = False, scale: float = 1.0
) -> tuple[Tensor, Tensor]:
    """Return the taught grouped attention of `query`, `key` and `value`, with other positions `seen`.

    Where it is `tiled`, the groups are others: query head i reads head i modulo their number. `scale` is a factor of
    the scores.
    """
    group, (target, source) = query.shape[1] // key.shape[1], (query.shape[2], key.shape[2])
    if seen is None:
        seen = torch.ones(target, source, dtype=torch.bool).tril(source - target)
    repeat = (lambda x: x.repeat(1, group, 1, 1)) if tiled else (lambda x: x.repeat_interleave(group, dim=1))
    return scaled_dot_product(query * scale, repeat(key), repeat(value), seen)


def window(length: int, width: int, kept: tuple[int, ...] = ()) -> Seen:
    """Return the mask of the positions that each one sees: the last `width`, and the `kept` ones of the past."""
    distance = torch.arange(length)[:, None] - torch.arange(length)
    return (distance >= 0) & ((distance < width) | torch.isin(torch.arange(length), torch.tensor(kept or (-1,))))


def seeing(seen: Seen) -> Parts:
    return replace(TAUGHT, grouped_query_attention=lambda q, k, v, mask=None: grouped(q, k, v, seen))


def wrong_parts(length: int) -> dict[str, Parts]:
    """Return parts of which one is wrong, by what is wrong; the texts are of this length."""

    def attention(**change: Any) -> Parts:
        return replace(TAUGHT, grouped_query_attention=lambda q, k, v, mask=None: grouped(q, k, v, **change))

    def turned(turn: Callable[..., Tensor]) -> Parts:
        return replace(TAUGHT, rope=turn)

    everything = torch.ones(length, length, dtype=torch.bool)
    return {
        "rope: pairs of neighbours": turned(lambda x, at, base: rotated(x, angles(x, at, base), "neighbours")),
        "rope: base 10,000": turned(lambda x, at, base: TAUGHT.rope(x, at)),
        "rope: nothing turned": turned(lambda x, at, base: x),
        "grouped_query_attention: head i reads i mod groups": attention(tiled=True),
        "grouped_query_attention: scores not divided by √d": attention(scale=8.0),
        "grouped_query_attention: the future seen": attention(seen=everything),
        "rms_norm: γ left out": replace(TAUGHT, rms_norm=lambda x, gamma, eps: TAUGHT.rms_norm(x, gamma * 0 + 1, eps)),
        "rms_norm: the mean taken away": replace(
            TAUGHT, rms_norm=lambda x, gamma, eps: TAUGHT.rms_norm(x - x.mean(dim=-1, keepdim=True), gamma, eps)
        ),
        "swiglu: silu on the other half": replace(
            TAUGHT, swiglu=lambda x, first, gate, second: TAUGHT.swiglu(x, gate, first, second)
        ),
        "swiglu: sigmoid in place of silu": replace(
            TAUGHT, swiglu=lambda x, first, gate, second: (torch.sigmoid(x @ gate.T) * (x @ first.T)) @ second.T
        ),
    }


def wrong_with_cache() -> dict[str, Parts]:
    """Return parts of which one is wrong only where something has been read before: they read a whole text rightly."""

    def attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        return grouped(q, k, v, torch.ones(q.shape[2], k.shape[2], dtype=torch.bool).tril())

    return {
        "rope: positions from 0 in each call": replace(
            TAUGHT, rope=lambda x, at, base: TAUGHT.rope(x, at - at[0], base)
        ),
        "grouped_query_attention: a new position sees the first alone": replace(
            TAUGHT, grouped_query_attention=attention
        ),
    }


def views() -> dict[str, Parts]:
    """Return models that see less of the past, by what they see."""
    first = tuple(range(SINKS))
    others = tuple(range(16, 16 + SINKS))
    far = tuple(range(PIECES))
    return {
        "everything": TAUGHT,
        "everything but the first piece": seeing(window(PIECES, 1, far[1:])),
        f"window {WINDOW}": seeing(window(PIECES, WINDOW)),
        f"window {WINDOW}, first piece": seeing(window(PIECES, WINDOW, first[:1])),
        f"window {WINDOW}, first {SINKS} pieces": seeing(window(PIECES, WINDOW, first)),
        f"window {WINDOW}, pieces 16 to {others[-1]}": seeing(window(PIECES, WINDOW, others)),
        f"window {WINDOW + SINKS}": seeing(window(PIECES, WINDOW + SINKS)),
    }


@torch.no_grad()
def losses(published: Published, parts: Parts, texts: Int[Tensor, "texts pieces"]) -> list[float]:
    """Return the mean loss of each text with these parts, in nats a piece."""
    published.use(parts)
    return [functional.cross_entropy(published.model(text[None])[0, :-1], text[1:]).item() for text in texts]


def excerpts(published: Published) -> Int[Tensor, "excerpts pieces"]:
    """Return excerpts at equal distances from the plays' validation part."""
    text = "".join(corpora.load("shakespeare").validation)
    numbers = torch.tensor(published.pieces.encode(text))
    starts = torch.linspace(0, len(numbers) - PIECES - 1, EXCERPTS).long()
    return torch.stack([numbers[start : start + PIECES] for start in starts])


def sizes(published: Published, texts: Int[Tensor, "texts pieces"]) -> dict[str, list[int]]:
    """Return the number of predicted pieces of each text, all but the first, and of their bytes."""
    rows = texts.tolist()
    of_all, of_first = ([len(published.pieces.decode(row[:end]).encode()) for row in rows] for end in (None, 1))
    return {
        "pieces": [len(row) - 1 for row in rows],
        "bytes": [whole - first for whole, first in zip(of_all, of_first, strict=True)],
    }


@torch.no_grad()
def on_first(published: Published, texts: Int[Tensor, "excerpts pieces"]) -> list[list[float]]:
    """Return each head's mean weight on the first piece, of the queries that a window no longer leaves it to."""
    published.use(TAUGHT)
    weights = [published.model.attention_weights(text[None])[:, 0, :, WINDOW:, 0].mean(dim=-1) for text in texts]
    return torch.stack(weights).mean(dim=0).tolist()


@dataclass
class Silenced:
    """The taught attention, without what some heads found: (layer, head)."""

    heads: frozenset[tuple[int, int]]
    layers: int
    calls: int = field(default=0)

    def __call__(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor | None]:
        context, weights = TAUGHT.grouped_query_attention(query, key, value, mask)
        layer, self.calls = self.calls % self.layers, self.calls + 1
        silent = [head for of, head in self.heads if of == layer]
        context[:, silent] = 0.0
        return context, weights


@dataclass
class Repeats:
    """Random pieces that repeat, each head's induction score on them, and what draws other heads."""

    texts: Int[Tensor, "sequences pieces"]
    scores: Float[Tensor, "layers heads"]
    generator: torch.Generator

    def most(self, count: int) -> list[tuple[int, int]]:
        """Return the heads of the highest scores: (layer, head)."""
        order = self.scores.flatten().argsort(descending=True)[:count]
        return [divmod(int(at), self.scores.shape[1]) for at in order]


@torch.no_grad()
def repeated(published: Published) -> Repeats:
    """Return the texts of `copying` with the scores of all heads."""
    generator = torch.Generator().manual_seed(0)
    round_ = torch.randint(17, len(published.pieces), (SEQUENCES, PERIOD), generator=generator)
    texts = round_.repeat(1, ROUNDS)
    published.use(TAUGHT)
    each = [
        torch.stack([induction_score(layer, PERIOD) for layer in published.model.attention_weights(text[None])[:, 0]])
        for text in texts
    ]
    return Repeats(texts, torch.stack(each).mean(dim=0), generator)


@torch.no_grad()
def rounds(published: Published, of: Repeats, out: list[tuple[int, int]]) -> dict[str, float]:
    """Return the loss on the first round and on the later ones, without some heads, in nats a piece."""
    published.use(replace(TAUGHT, grouped_query_attention=Silenced(frozenset(out), len(of.scores))))
    each = torch.stack(
        [functional.cross_entropy(published.model(text[None])[0, :-1], text[1:], reduction="none") for text in of.texts]
    )
    return {"new": each[:, : PERIOD - 1].mean().item(), "again": each[:, PERIOD:].mean().item()}


def copying(published: Published) -> dict[str, Any]:
    """Return each head's induction score on random pieces that repeat, and the loss with heads taken out."""
    of = repeated(published)
    most = of.most(REMOVED)
    return {
        "scores": of.scores.tolist(),
        "heads": most,
        "whole": rounds(published, of, []),
        "without": rounds(published, of, most),
        "without others": [rounds(published, of, twins(most, of)) for _ in range(DRAWS)],
    }


def by_number(published: Published) -> dict[str, Any]:
    """Return the same losses with 1, 2, … of the heads that copy most taken out, and with as many others."""
    of = repeated(published)
    return {
        str(count): {
            "without": rounds(published, of, of.most(count)),
            "without others": [rounds(published, of, twins(of.most(count), of)) for _ in range(DRAWS)],
        }
        for count in COUNTS
    }


def twins(most: list[tuple[int, int]], of: Repeats) -> list[tuple[int, int]]:
    """Return as many other heads, of the same layers where these have others; none is of the REMOVED that copy most."""
    drawn: set[tuple[int, int]] = set()
    for layer, _ in most:
        free = [head for head in range(of.scores.shape[1]) if (layer, head) not in {*of.most(REMOVED), *drawn}]
        if free:
            drawn.add((layer, free[int(torch.randint(len(free), (1,), generator=of.generator))]))
    return sorted(drawn)


def measurements(published: Published) -> Iterator[tuple[str, str, Callable[[], Any]]]:
    """Yield each measurement, with the table and the name under which it is kept."""
    texts = excerpts(published)
    for name, parts in views().items():
        yield "views", name, partial(losses, published, parts, texts)
    short = torch.tensor([published.pieces.encode(TEXT)])
    for name, parts in {"right": TAUGHT, **wrong_parts(PIECES)}.items():
        yield "wrong", name, partial(losses, published, parts, texts)
    for name, parts in {"right": TAUGHT, **wrong_parts(short.shape[1]), **wrong_with_cache()}.items():
        yield "short", name, partial(losses, published, parts, short)
    yield "sizes", "excerpts", partial(sizes, published, texts)
    yield "sizes", "short", partial(sizes, published, short)
    yield "heads", "on the first piece", partial(on_first, published, texts)
    yield "heads", "copying", partial(copying, published)
    yield "heads", "copying by number", partial(by_number, published)


def main() -> None:
    """Measure what results/published.json lacks."""
    argparse.ArgumentParser(prog="python -m solutions.language_model.witness", description=main.__doc__).parse_args()
    published = load()
    about = {"model": WHEEL, "excerpts": EXCERPTS, "pieces": PIECES, "window": WINDOW, "sinks": SINKS}
    kept = read_json(RESULT) if RESULT.exists() else {}
    result = kept if kept.get("about") == about else {"about": about}
    for table, name, measure in measurements(published):
        if name not in result.setdefault(table, {}):
            result[table][name] = measure()
            write_json(RESULT, result)
            print(f"{table}: {name}", flush=True)


if __name__ == "__main__":
    main()
