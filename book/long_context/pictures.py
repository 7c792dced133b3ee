"""Drawings of the chapter on long texts: tiles of scores, slopes, reach through layers, a rolling cache, one matrix."""

from collections.abc import Sequence

import torch
from torch import Tensor

from book.show.drawn import Drawing, number
from lab.show.plots import Picture, training_curves
from solutions.long_context.attention import alibi_bias, delta_step, merge_softmax, sliding_window

WORDS = ("my", "name", "is", "Ada", "and", "they", "call", "me", "Ada")


def tiles_picture(
    scores: Sequence[float] = (1.0, 0.0, 2.0, 1.0), values: Sequence[float] = (2.0, 4.0, 1.0, 3.0), length: int = 8
) -> Drawing:
    """Draw a square of scores in tiles of 2 × 2, and m, l and o of one row of four keys, from tile to tile."""
    parts = [part_of(torch.tensor(scores[i : i + 2]), torch.tensor(values[i : i + 2])) for i in (0, 2)]
    carried = {name: torch.cat([each.flatten() for each in part]) for name, part in (
        ("of tile 1", parts[0]), ("of tile 2", parts[1]), ("merged", merge_softmax(*parts)),
    )}  # fmt: skip
    context = (carried["merged"][2] / carried["merged"][1]).item()
    drawing = Drawing(
        "A square of scores, in tiles",
        f"Left, {length} × {length} scores, cut into tiles of 2 × 2: one tile exists at a time. Right, one query "
        f"and four keys with the scores {', '.join(f'{each:g}' for each in scores)} and the values "
        f"{', '.join(f'{each:g}' for each in values)}, two in a tile. m, l and o "
        + "; ".join(f"{name}: {', '.join(f'{each:.3f}' for each in three)}" for name, three in carried.items())
        + f". The context is o / l = {context:.3f}.",
    )
    square(drawing, length)
    drawing.panel(330, 214)
    for t, left in enumerate((62.0, 200.0)):
        drawing.text(left + 63, 14, f"tile {t + 1}")
        for top, name, role, each in ((24, "score", "", scores), (46, "value", "value", values)):
            drawing.matrix(
                left,
                top,
                each[2 * t : 2 * t + 2],
                role,
                size=(63, 20),
                digits=0 if all(x % 1 == 0 for x in each) else 1,
            )
            if not t:
                drawing.text(54, top + 14, name, "small soft", "end")
        drawing.arrow(left + 63, 68, left + 63, 88)
    for three, left, top in zip(carried.values(), (62.0, 200.0, 131.0), (106, 106, 186), strict=True):
        drawing.matrix(
            left, top, three, "state", size=(42, 20), digits=2, words=((), "mlo"), hot=None if top < 186 else 0
        )
    drawing.text(54, 120, "kept", "small soft", "end")
    drawing.text(123, 200, "merged", "small soft", "end")
    drawing.arrow(125, 128, 172, 172, "state")
    drawing.arrow(263, 128, 216, 172, "state")
    drawing.text(263, 192, "→ o / l =", "small", "start")
    drawing.text(263, 208, number(context, 3), "small", "start")
    return drawing


def part_of(scores: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return m, l and o of the keys of one tile, for one query."""
    m = scores.max()
    powers = (scores - m).exp()
    return m, powers.sum(), (powers @ values)[None]


def square(drawing: Drawing, length: int) -> None:
    """Add a panel with length × length scores in tiles of 2 × 2, of which the third of the third row is computed."""
    cell, left, top = 22.0, 74.0, 26.0
    side = cell * length
    drawing.panel(left + side + 4, top + side + 26, "keys →", left + side / 2)
    drawing.text(left - 6, top + 14, "queries ↓", "small soft", "end")
    for i in range(length // 2):
        for j in range(length // 2):
            is_now, is_done = (i, j) == (2, 2), (i, j) < (2, 2)
            x, y = left + 2 * cell * j, top + 2 * cell * i
            drawing.box(x, y, 2 * cell, 2 * cell, "weights" if is_now else "", hot=is_now)
            if is_done:
                drawing.text(x + cell, y + cell + 4, "done" if i < 2 else "→", "small soft")
    x, y = left + 4 * cell, top + 4 * cell
    drawing.rule(x + cell, y, x + cell, y + 2 * cell, "weights", 1)
    drawing.rule(x, y + cell, x + 2 * cell, y + cell, "weights", 1)
    drawing.text(left - 6, y + cell + 4, "m, l, o", "small", "end")
    drawing.text(left + side / 2, top + side + 18, f"{length * length} scores, 4 at a time", "small soft")


def slopes_picture(heads: int = 4, length: int = 65) -> Picture:
    """Draw ALiBi's bias of each head over the distance between query and key."""
    bias = alibi_bias(heads, length)[:, -1].flip(-1)  # of the last query: the key at distance 0 comes first
    curves = {
        f"head {head + 1}: slope 1/{round(1 / -row[1].item())}": list(enumerate((row + 0.0).tolist()))
        for head, row in enumerate(bias)
    }
    return training_curves(
        curves, "distance from query to key", "added to the score", "Each head forgets at its own pace"
    )


def seen(length: int, window: int, sinks: int = 0) -> Tensor:
    """Return the mask of the keys with weight for each query of `sliding_window`: (length, length), True or False."""
    same = torch.zeros(1, length, 1)
    return sliding_window(same, same, torch.eye(length)[None], window, sinks)[0] > 0


def reach_of(length: int, window: int, layers: int) -> Tensor:
    """Return the mask of the inputs of the last output through 0, 1, … `layers` layers: (layers + 1, length)."""
    x = torch.ones(1, length, 1, requires_grad=True)
    rows, y = [], x
    for _ in range(layers + 1):
        (of_x,) = torch.autograd.grad(y[0, -1, 0], x, retain_graph=True)
        rows.append(of_x[0, :, 0] != 0)
        y = sliding_window(torch.zeros_like(y), torch.zeros_like(y), y, window)
    return torch.stack(rows)


def reach_picture(words: Sequence[str] = WORDS, window: int = 3, layers: int = 3) -> Drawing:
    """Draw what the last output depends on, layer by layer down to the text, when each reads a window."""
    n, links = len(words), seen(len(words), window)
    reached = reach_of(n, window, layers)
    counts = reached.sum(dim=1).tolist()
    drawing = Drawing(
        f"Through {layers} layers with a window of {window}",
        f"Rows of {n} cells, the words {', '.join(words)} at the bottom. The last output of layer {layers} depends on "
        + ", ".join(f"{count} cells {depth} below" for depth, count in enumerate(counts) if depth)
        + f": {counts[-1]} of the {n} words. Each layer adds {window - 1}.",
    )
    pitch, drop = 330 / n, 58.0
    drawing.panel(330, 80 + drop * layers)
    for depth in range(layers + 1):
        top = 18 + drop * depth
        name = f"layer {layers - depth}" if depth < layers else "the text"
        many = f"{counts[depth]} cells" if depth else "1 cell"
        drawing.text(0, top - 6 if depth < layers else top + 58, f"{name}: {many}", "small soft", "start")
        for i in range(n):
            is_in = bool(reached[depth, i])
            middle = pitch * (i + 0.5)
            if is_in and depth < layers:
                for j in range(n):
                    if links[i, j]:
                        drawing.rule(middle, top + 22, pitch * (j + 0.5), top + drop, "weights", 1.2)
            role = ("query" if not depth else "state" if depth < layers else "value") if is_in else ""
            drawing.box(middle - pitch / 2 + 2, top, pitch - 4, 22, role)
            if depth == layers:
                drawing.text(middle, top + 40, words[i], "small" if is_in else "small soft")
    return drawing


def rolling_cache_picture(words: Sequence[str] = WORDS, window: int = 4, sinks: int = 2, steps: int = 6) -> Drawing:
    """Draw over `steps` steps whose key and value the cache holds, whose are the sinks, and whose have left."""
    n, kept = len(words), seen(len(words), window, sinks)
    first = n - steps
    rows = {t: [words[i] for i in range(t + 1) if kept[t, i]] for t in range(first, n)}
    drawing = Drawing(
        f"A cache with a window of {window} and {sinks} sinks",
        f"{steps} steps. " + " ".join(f"Step {t + 1} keeps {', '.join(row)}: {len(row)}." for t, row in rows.items()),
    )
    widths = [7.0 * len(word) + 12 for word in words]  # of the boxes, with a gap
    lefts = [18 + sum(widths[:i]) for i in range(n)]
    drawing.panel(330, 24 + 26 * steps + 22)
    drawing.text(0, 12, "step", "small soft", "start")
    drawing.text(329, 12, "kept", "small soft", "end")
    for line, t in enumerate(rows):
        top = 22.0 + 26 * line
        drawing.text(9, top + 14, f"{t + 1}", "small soft")
        for i in range(t + 1):
            if kept[t, i]:
                drawing.box(lefts[i], top, widths[i] - 3, 20, "state" if i < sinks else "key", words[i], hot=i == t)
            else:
                drawing.text(lefts[i] + widths[i] / 2 - 1.5, top + 14, "left" if kept[t - 1, i] else "×", "small soft")
        drawing.text(323, top + 14, f"{len(rows[t])}", "small soft")
    drawing.text(18, 22 + 26 * steps + 14, f"{sinks} sinks stay; thick: new in this step", "small soft", "start")
    return drawing


def state_picture(
    keys: Sequence[Sequence[float]] = ((1.0, 0.0), (0.0, 1.0), (0.6, 0.8)),
    values: Sequence[Sequence[float]] = ((2.0, 1.0), (0.0, 3.0), (1.0, 1.0)),
) -> Drawing:
    """Draw pairs that are stored in a matrix and read back: two exactly, three mixed, and three by the delta rule."""
    k, v = torch.tensor(keys), torch.tensor(values)
    empty = torch.zeros(k.shape[1], v.shape[1])
    summed = [k[:2].T @ v[:2], k.T @ v]
    replaced = empty[None]
    for each, value in zip(k, v, strict=True):
        replaced = delta_step(replaced, each[None], value[None], torch.ones(1))
    panels = (
        ("two pairs, summed", "S = k₁v₁ᵀ + k₂v₂ᵀ", summed[0], 2),
        ("a third, summed", "S + k₃v₃ᵀ", summed[1], 3),
        ("a third, by the delta rule", "S + k₃(v₃ − Sᵀk₃)ᵀ", replaced[0], 3),
    )
    recalled = {
        name: "; ".join(f"k{i + 1} gives {row(k[i] @ S)}, stored {row(v[i])}" for i in range(count))
        for name, _, S, count in panels
    }
    drawing = Drawing(
        "Pairs in one matrix, and what is read back",
        f"Keys {', '.join(map(row, k))}. "
        + " ".join(f"{name.capitalize()}: {each}." for name, each in recalled.items()),
    )
    for name, formula, S, count in panels:
        drawing.panel(220, 182, name, 110)
        drawing.matrix(68, 24, S.numpy(), "state", formula, (42, 22), digits=2)
        for x, head in ((32, "key"), (102, "stored"), (180, "read")):
            drawing.text(x, 106, head, "small soft")
        for i in range(count):
            top = 113.0 + 22 * i
            read = k[i] @ S
            is_exact = torch.allclose(read, v[i], atol=1e-6)
            drawing.text(32, top + 14, row(k[i]))
            drawing.text(102, top + 14, row(v[i]))
            drawing.box(142, top, 76, 19, "value" if is_exact else "weights", hot=is_exact)
            drawing.text(180, top + 14, row(read))
    return drawing


def row(numbers: Tensor) -> str:
    """Return a vector as the drawings write it: (1, .6)."""
    short = [number(each, 2) for each in numbers.tolist()]
    return f"({', '.join(each.rstrip('0').rstrip('.') if '.' in each else each for each in short)})"
