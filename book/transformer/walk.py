"""One position on its way through one layer, in eight drawings: two heads of one feature each, in numbers."""

import math

import numpy as np
import torch
from numpy.typing import NDArray

from book.show.drawn import Drawing
from solutions.transformer.attention import encoder_layer, feed_forward, layer_norm, multi_head_attention

Matrix = NDArray[np.float64]

LOG3 = math.log(3)
X = torch.tensor(
    [[[LOG3, 0.0], [0.0, 1.0]]], dtype=torch.float64
)  # two positions with two features; the first is followed


def params() -> dict[str, torch.Tensor]:
    """Return the parameters: keys (1, 0) and (0, 1), values (4, 4) and (8, 8), and W_o as in the example by hand."""
    matrices = {
        "W_q": [[1, 0], [0, 1]],
        "W_k": [[1 / LOG3, 0], [0, 1]],
        "W_v": [[4 / LOG3, 8], [4 / LOG3, 8]],
        "W_o": [[1, 1], [0, 1]],
        "W_1": [[1, 0], [0, 1], [1, 1], [1, -1]],
        "W_2": [[1, 0, 0, 0], [0, 0, 0, 1]],
    }
    made = {name: torch.tensor(rows, dtype=torch.float64) for name, rows in matrices.items()}
    none = {f"b_{name[2:]}": torch.zeros(len(rows), dtype=torch.float64) for name, rows in made.items()}
    norms = {f"{letter}_{place}": torch.full((2,), start, dtype=torch.float64) for place in (1, 2)
             for letter, start in (("gamma", 1.0), ("beta", 0.0))}  # fmt: skip
    return made | none | norms


def steps() -> dict[str, Matrix]:
    """Return the first position's vector at each step, by the taught functions."""
    p = params()
    Q, K, V = (X @ p[f"W_{name}"].T for name in "qkv")
    attended, alpha = multi_head_attention(X, X, X, p, heads=2)
    heads = (alpha[0, :, 0] * V[0].T).sum(dim=-1)
    added = X + attended
    normed = layer_norm(added, p["gamma_1"], p["beta_1"])
    wide = torch.relu(normed @ p["W_1"].T)
    narrow = feed_forward(normed, p)
    last = normed + narrow
    whole = encoder_layer(X, p, 2, torch.ones(1, 2, dtype=torch.bool))
    assert torch.allclose(layer_norm(last, p["gamma_2"], p["beta_2"]), whole), "the steps make the layer"
    first = {
        "x": X,
        "attended": attended,
        "added": added,
        "normed": normed,
        "wide": wide,
        "narrow": narrow,
        "last": last,
    }
    made = {name: tensor[0, 0] for name, tensor in first.items()}
    made |= {"q": Q[0, 0], "K": K[0], "V": V[0], "alpha": alpha[0, :, 0], "heads": heads, "out": whole[0, 0]}
    return {name: tensor.numpy() for name, tensor in made.items()}


def layer_walk() -> Drawing:
    """Draw the eight steps: project, cut, attend, join, add, norm, widen, add."""
    n = steps()
    drawing = Drawing(
        "One position through one layer, in eight steps",
        "1 project: x, (1.10, 0), becomes the query (1.10, 0); keys are (1, 0) and (0, 1), values (4, 4) and (8, 8). "
        "2 cut: each head takes one feature of each. 3 attend: head 1 has the weights .75 and .25 and the result 5, "
        "head 2 .50 and .50 and the result 6. 4 join: (5, 6) times W o is (11, 6). 5 add: with x it is (12.10, 6). "
        "6 norm: (1, minus 1). 7 widen: four features, of which negative ones become 0, and back to two: (1, 2). "
        "8 add: (2, 1); a second norm makes it (1, minus 1) again.",
    )
    for panel in (_project, _cut, _attend, _join, _add, _norm, _widen, _add_again):
        panel(drawing, n)
    return drawing


def _row(drawing: Drawing, x: float, y: float, values: Matrix, role: str, name: str = "", digits: int = 0) -> None:
    """Draw `values` with a `name` and `digits` at (`x`, `y`) of a `drawing`, in the colour of `role`."""
    drawing.matrix(x, y, values, role, name, (42, 22), digits=digits)


def _sum(drawing: Drawing, rows: tuple[tuple[Matrix, str, int], ...], name: str = "") -> None:
    """Draw two rows, their sum below them, and what is said of it."""
    for top, sign, (values, role, digits) in zip((26, 54, 84), ("", "+", "="), rows, strict=True):
        _row(drawing, 60, top, values, role, name if sign == "=" else "", digits)
        if sign:
            drawing.text(50, top + 15, sign, anchor="end")


def _project(drawing: Drawing, n: dict[str, Matrix]) -> None:
    drawing.panel(200, 150, "1 project", 100)
    _row(drawing, 2, 64, n["x"], "state", "x", 2)
    for name, role, top in (("q", "query", 26), ("K", "key", 56), ("V", "value", 104)):
        values = np.atleast_2d(n[name])
        drawing.arrow(88, 75, 106, top + 10 * len(values), role)
        drawing.matrix(110, top, values, role, "", (36, 20), digits=2 if name == "q" else 0)
        drawing.text(196, top + 10 * len(values) + 4, name.lower(), anchor="end")


def _cut(drawing: Drawing, n: dict[str, Matrix]) -> None:
    drawing.panel(200, 162, "2 cut", 100)
    for head in (0, 1):
        left = 6 + 104 * head
        drawing.text(left + 42, 34, f"head {head + 1}", "small soft")
        for name, role, top in (("q", "query", 42), ("K", "key", 68), ("V", "value", 114)):
            values = np.atleast_2d(n[name])[:, head : head + 1]
            drawing.matrix(left + 21, top, values, role, "", (42, 20), digits=2 if name == "q" else 0)


def _attend(drawing: Drawing, n: dict[str, Matrix]) -> None:
    drawing.panel(210, 150, "3 attend", 105)
    for head in (0, 1):
        top = 36 + 56 * head
        drawing.text(2, top + 15, f"head {head + 1}", "small soft", "start")
        drawing.matrix(46, top, n["alpha"][head][None], "weights", "weights", (40, 22), digits=2)
        drawing.arrow(130, top + 11, 150, top + 11)
        _row(drawing, 156, top, n["heads"][head : head + 1], "context")


def _join(drawing: Drawing, n: dict[str, Matrix]) -> None:
    drawing.panel(210, 110, "4 join", 105)
    _row(drawing, 4, 44, n["heads"], "context", "heads")
    drawing.arrow(92, 55, 118, 55)
    drawing.text(104, 48, "Wᴼ", "small soft")
    _row(drawing, 122, 44, n["attended"], "context", "found")


def _add(drawing: Drawing, n: dict[str, Matrix]) -> None:
    drawing.panel(200, 130, "5 add", 100)
    _sum(drawing, ((n["x"], "state", 2), (n["attended"], "context", 0), (n["added"], "state", 2)))
    drawing.text(50, 41, "x", anchor="end")


def _norm(drawing: Drawing, n: dict[str, Matrix]) -> None:
    drawing.panel(210, 110, "6 norm", 105)
    _row(drawing, 4, 44, n["added"], "state", "mean 9.05", 2)
    drawing.arrow(92, 55, 118, 55, "state")
    _row(drawing, 122, 44, n["normed"], "state", "mean 0")


def _widen(drawing: Drawing, n: dict[str, Matrix]) -> None:
    drawing.panel(210, 150, "7 widen", 105)
    _row(drawing, 64, 26, n["normed"], "state")
    drawing.arrow(106, 50, 106, 68)
    _row(drawing, 22, 70, n["wide"], "")
    drawing.arrow(106, 94, 106, 112)
    _row(drawing, 64, 114, n["narrow"], "context")


def _add_again(drawing: Drawing, n: dict[str, Matrix]) -> None:
    drawing.panel(200, 130, "8 add", 100)
    rows = (n["normed"], "state", 0), (n["narrow"], "context", 0), (n["last"], "state", 0)
    _sum(drawing, rows, "then norm, as in 6")
