"""What the known mistakes are called: the first sentences of their docstrings, read and not run."""

import ast
import re
from pathlib import Path

from markupsafe import Markup, escape

CHECKS = Path(__file__).parents[1] / "checks"
SENTENCE = re.compile(r".+?(?<!i\.e)(?<!e\.g)[.?!](?=\s|$)")


class Titles:
    """The titles of one assignment's mistakes; where two functions have one of the same name, the hint says which.

    What a name has behind a double underscore tells twins apart, which have one title.
    """

    def __init__(self, assignment: str) -> None:
        self.known: dict[str, list[str]] = {}
        for path in sorted(CHECKS.rglob("*.py"), key=lambda path: (path.parent.name != assignment, path)):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef) and (said := ast.get_docstring(node)):
                    self.known.setdefault(node.name, []).append(first_sentence(said))

    def of(self, name: str, hint: str) -> str:
        """Return the first sentence of the docstring that the hint quotes, else of any mistake with this name."""
        known = self.known.get(name.partition("__")[0], [name.replace("_", " ").capitalize() + "."])
        return next((title for title in known if title in hint), known[0])


def first_sentence(text: str) -> str:
    text = " ".join(text.split())
    sentence = SENTENCE.match(text)
    return sentence[0] if sentence else text


def code(sentence: str) -> Markup:
    """Return a docstring's sentence with what stands in backticks marked as code."""
    parts = sentence.split("`")
    marked = [Markup("<code>{}</code>").format(part) if i % 2 else escape(part) for i, part in enumerate(parts)]
    return Markup("").join(marked)
