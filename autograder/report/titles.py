"""Titles of the known mistakes: the first sentences of their docstrings, read from the source."""

import ast
import re
from pathlib import Path

from markupsafe import Markup, escape

CHECKS = Path(__file__).parents[1] / "checks"
SENTENCE = re.compile(r".+?(?<!i\.e)(?<!e\.g)[.?!](?=\s|$)")


class Titles:
    """The titles of one assignment's mistakes; of two mistakes with one name, the hint says which was made.

    A suffix after a double underscore distinguishes mistakes that share one title.
    """

    def __init__(self, assignment: str) -> None:
        self.titles: dict[str, list[str]] = {}
        for path in sorted(CHECKS.rglob("*.py"), key=lambda path: (path.parent.name != assignment, path)):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef) and (docstring := ast.get_docstring(node)):
                    self.titles.setdefault(node.name, []).append(first_sentence(docstring))

    def of(self, name: str, hint: str) -> str:
        """Return the first sentence of the docstring that the hint quotes, else of any mistake with this name."""
        titles = self.titles.get(name.partition("__")[0], [name.replace("_", " ").capitalize() + "."])
        return next((title for title in titles if title in hint), titles[0])


def first_sentence(text: str) -> str:
    text = " ".join(text.split())
    sentence = SENTENCE.match(text)
    return sentence[0] if sentence else text


def code(sentence: str) -> Markup:
    """Return a docstring's sentence as HTML, with text in backticks as code."""
    parts = sentence.split("`")
    marked = [Markup("<code>{}</code>").format(part) if i % 2 else escape(part) for i, part in enumerate(parts)]
    return Markup("").join(marked)
