"""The course as its released notebooks have it: their order, and each one's parts with points and hints."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

KIT = Path(__file__).resolve().parents[2]
ORDER = KIT / "order.txt"  # the notebooks' names, one a line; `release` writes it
PACKAGES = KIT / "packages.txt"  # the kit's packages, one a line; `release` writes it
HEADING = re.compile(r"^## (\d+)\b", re.MULTILINE)
HINT = re.compile(r"<details><summary>(.*?)</summary>(.*?)</details>", re.DOTALL)


@dataclass(frozen=True)
class Part:
    """One checked function, or one question that a person grades (`written`), of a notebook."""

    name: str
    number: int | None
    points: float
    stars: int = 0
    written: bool = False
    hints: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """Return its place in words: "part 3", with its stars."""
        return " ".join(filter(None, ("★" * self.stars, "" if self.number is None else f"part {self.number}")))


def names() -> list[str]:
    """Return the names of the notebooks in their order; none in a kit without notebooks."""
    return ORDER.read_text(encoding="utf-8").split() if ORDER.is_file() else []


def packages() -> list[str]:
    """Return the packages of the kit, or the grader's own where this is no kit."""
    return PACKAGES.read_text(encoding="utf-8").split() if PACKAGES.is_file() else ["autograder"]


def released(name: str) -> dict[str, Any]:
    """Return the notebook as it was released: beside the kit, or in kit.zip inside it; raise FileNotFoundError."""
    places = [folder / name / f"{name}.ipynb" for folder in (KIT / "notebooks", KIT.parent)]
    place = next((place for place in places if place.is_file()), places[0])
    return json.loads(place.read_text(encoding="utf-8"))


def source_of(cell: dict[str, Any]) -> str:
    """Return a cell's text, which notebook files hold as one string or as a list of lines."""
    source = cell.get("source", "")
    return ("".join(source) if isinstance(source, list) else source).replace("\r\n", "\n")


def collapsed(source: str) -> str:
    """Return a text with one space where it has any white space."""
    return " ".join(source.split())


def grade_id(cell: dict[str, Any]) -> str:
    """Return nbgrader's name for a cell, "" for the others."""
    about = cell.get("metadata", {}).get("nbgrader", {})
    return about.get("grade_id", "") if isinstance(about, dict) else ""


@cache
def parts(name: str) -> dict[str, Part]:
    """Return the parts of a notebook by name, in their order; {} where it did not come with this kit."""
    try:
        return parts_of(released(name)["cells"])
    except FileNotFoundError:
        return {}


def numbers(cells: Iterable[Any]) -> dict[str, int | None]:
    """Return {function: number of the part of a notebook in which it is checked}, None below no numbered heading."""
    return {name: part.number for name, part in parts_of(cells).items() if not part.written}


def parts_of(cells: Iterable[Any]) -> dict[str, Part]:
    """Return the parts of a released notebook's cells by name, in their order."""
    by_name: dict[str, Part] = {}
    number, hints = None, []
    for cell in cells:
        if cell["cell_type"] == "markdown":
            headings = HEADING.findall(source_of(cell))
            number = int(headings[-1]) if headings else number
            hints += [f"**{title}**\n\n{text.strip()}" for title, text in HINT.findall(source_of(cell))]
        about, own = cell["metadata"].get("nbgrader", {}), cell["metadata"].get("attention_workbook", {})
        if about.get("grade"):
            part, stars = grade_id(cell).removeprefix("check-"), own.get("stars", 0)
            points = own.get("bonus", 0) if stars else about["points"]
            by_name[part] = Part(part, number, points, stars, bool(about.get("solution")), tuple(hints))
            hints = []
    return by_name
