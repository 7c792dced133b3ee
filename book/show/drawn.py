"""Drawings whose numbers are computed: matrices, boxes and arrows as SVG in the page, in the colours of their roles."""

from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import ArrayLike

# Line and fill in light colours, for readers without styles; book.css has both themes.
COLOURS = {
    "": ("#222832", "#f3f4f5"),
    "query": ("#ad3f0e", "#fbe4d8"),
    "key": ("#2191cf", "#e1f2fc"),
    "value": ("#0b7850", "#d8f0e5"),
    "state": ("#00427a", "#d9e5f2"),
    "context": ("#9e5885", "#f5e4ef"),
    "weights": ("#bd7a00", "#faeccf"),
}
SOFT = "#48566b"


def number(value: float, digits: int) -> str:
    """Return a number as the book writes it: no zero before the point, a true minus."""
    text = f"{abs(value):.{digits}f}"
    if not float(text):
        return "0"
    return ("−" if value < 0 else "") + (text.removeprefix("0") if "." in text else text)


class Drawing:
    """Panels of SVG that grow by calls, side by side where there is room; `described` says what they show.

    One unit is one pixel; a panel at most 330 wide is read on a phone.
    """

    def __init__(self, title: str, described: str) -> None:
        self.title, self.described = title, described
        self.panels: list[tuple[float, float, list[str]]] = []

    def panel(self, width: float, height: float, title: str = "", x: float = 0, y: float = 14) -> None:
        """Begin the next panel: what follows is drawn there, from its own (0, 0); its title has its middle at x."""
        self.panels.append((width, height, []))
        if title:
            self.text(x, y, title)

    @property
    def parts(self) -> list[str]:
        return self.panels[-1][2]

    def text(self, x: float, y: float, words: str, kind: str = "small", anchor: str = "middle") -> None:
        """Write words; `kind` is of book.css: small, or small soft."""
        place = "" if anchor == "middle" else f" {anchor}"
        colour = f' fill="{SOFT}"' if "soft" in kind else ""
        about = f'class="{kind}{place}"{colour} font-size="12" text-anchor="{anchor}"'
        self.parts.append(f'<text x="{x:g}" y="{y:g}" {about}>{escape(words)}</text>')

    def box(
        self, x: float, y: float, width: float, height: float, role: str = "", words: str = "", *,
        kind: str = "small", hot: bool = False,
    ) -> None:  # fmt: skip
        """Draw a box at (`x`, `y`) of this `width` and `height`, in the colour of `role`, with `words` in its middle.

        `kind` is the class of the words' letters; a `hot` box has a thick frame.
        """
        line, fill = COLOURS[role]
        names = " ".join(filter(None, ("box", role, "hot" if hot else "")))
        self.parts.append(
            f'<rect class="{names}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="2" fill="{fill}"'
            f' stroke="{line}"/>'
        )
        if words:
            self.text(x + width / 2, y + height / 2 + 4, words, kind)

    def arrow(self, x1: float, y1: float, x2: float, y2: float, role: str = "") -> None:
        """Draw an arrow from one point to another."""
        length = max(np.hypot(x2 - x1, y2 - y1), 1e-9)
        u, v = (x2 - x1) / length, (y2 - y1) / length
        x, y, line = x2 - 7 * u, y2 - 7 * v, COLOURS[role][0]
        kind = f"ink {role}".strip()
        self.parts.append(
            f'<line class="{kind}" x1="{x1:g}" y1="{y1:g}" x2="{x:.1f}" y2="{y:.1f}" stroke="{line}"/>'
            f'<polygon class="{f"tip {role}".strip()}" fill="{line}"'
            f' points="{x2:g},{y2:g} {x - 3 * v:.1f},{y + 3 * u:.1f} {x + 3 * v:.1f},{y - 3 * u:.1f}"/>'
        )

    def rule(self, x1: float, y1: float, x2: float, y2: float, role: str = "", width: float = 0.6) -> None:
        """Draw a line without a tip from (`x1`, `y1`) to (`x2`, `y2`), in the colour of `role` and of this `width`."""
        self.parts.append(
            f'<line class="beam {role}" stroke-width="{width:.1f}" x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"'
            f' stroke="{COLOURS[role][0]}"/>'
        )

    def dotted(self, x1: float, y1: float, x2: float, y2: float) -> None:
        """Draw a dotted line."""
        self.parts.append(
            f'<line class="ink" stroke-dasharray="2 4" x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"'
            f' stroke="{COLOURS[""][0]}"/>'
        )

    def matrix(
        self,
        x: float,
        y: float,
        values: ArrayLike,
        role: str = "",
        name: str = "",
        size: tuple[float, float] = (30, 20),
        words: tuple[Sequence[str], Sequence[str]] = ((), ()),
        digits: int | None = 1,
        hot: int | None = None,
    ) -> tuple[float, float]:
        """Draw `values` as a matrix at (`x`, `y`); return its right edge and the middle of its height.

        `name` stands above it, `role` gives the colour, and `size` is that of a cell. Weights are as dark as they are
        large; `words` stand beside the rows and above the columns; row `hot` has a thick frame. Where `digits` is None,
        there are squares alone, in full colour for 1.
        """
        table, (wide, high) = np.atleast_2d(np.asarray(values, float)), size
        line, fill = COLOURS[role]
        for i, row in enumerate(table):
            for j, value in enumerate(row):
                left, top = x + j * wide, y + i * high
                if digits is None:
                    self.parts.append(
                        f'<rect class="shade {role}" x="{left:g}" y="{top:g}" width="{wide:g}" height="{high:g}"'
                        f' fill="{line}" fill-opacity="{value:.2f}"/>'
                    )
                    continue
                shade = f' fill-opacity="{0.06 + 0.54 * value:.2f}"' if role == "weights" else ""
                colour = line if role == "weights" else fill
                kind = "cell weights" if role == "weights" else f"box {role}".strip()
                self.parts.append(
                    f'<rect class="{kind}" x="{left:g}" y="{top:g}" width="{wide:g}" height="{high:g}"'
                    f' fill="{colour}"{shade} stroke="{line}"/>'
                )
                self.text(left + wide / 2, top + high / 2 + 4, number(value, digits))
        for i, word in enumerate(words[0]):
            self.text(x - 5, y + i * high + high / 2 + 4, word, anchor="end")
        for j, word in enumerate(words[1]):
            self.text(x + j * wide + wide / 2, y - 5, word)
        right, bottom = x + wide * table.shape[1], y + high * len(table)
        if hot is not None:
            self.parts.append(
                f'<rect class="frame" x="{x:g}" y="{y + hot * high:g}" width="{right - x:g}" height="{high:g}"'
                f' fill="none" stroke="#222832" stroke-width="2"/>'
            )
        if name:
            self.text((x + right) / 2, bottom + 16, name, "small soft")
        return right, (y + bottom) / 2

    def _repr_html_(self) -> str:
        label = escape(f"{self.title}. {self.described}")
        spoken = [f'role="img" aria-label="{label}"', *['aria-hidden="true"'] * (len(self.panels) - 1)]
        panels = "".join(map(svg, self.panels, spoken))
        return f'<div class="drawing panels">{panels}</div><p class="below">{escape(self.title)}</p>'


def svg(panel: tuple[float, float, list[str]], spoken: str) -> str:
    width, height, parts = panel
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" style="--w: {width:g}" {spoken} xmlns="http://www.w3.org/2000/svg"'
        f' fill="#222832" font-family="serif" text-anchor="middle">{"".join(parts)}</svg>'
    )
