"""What the known mistakes are called: the first sentences of their docstrings, read and not run."""

import ast
import re
from pathlib import Path

from markupsafe import Markup, escape

CHECKS = Path(__file__).parent / "checks"
SENTENCE = re.compile(r"(.+?[.?!])(?=\s+[^a-zα-ω]|\s*$)", re.DOTALL)


def titles(assignment: str) -> dict[str, str]:
    """Return the first sentence of each mistake's docstring by its name."""
    own = f"{assignment}.py"
    found: dict[str, str] = {}
    for path in sorted(CHECKS.rglob("*.py"), key=lambda path: (path.name != own, path)):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and (said := ast.get_docstring(node)):
                found.setdefault(node.name, first_sentence(said))
    return found


def first_sentence(text: str) -> str:
    text = " ".join(text.split())
    sentence = SENTENCE.match(text)
    return sentence[1] if sentence else text


def code(sentence: str) -> Markup:
    """Return a docstring's sentence with what stands in backticks marked as code."""
    parts = sentence.split("`")
    marked = [Markup("<code>{}</code>").format(part) if i % 2 else escape(part) for i, part in enumerate(parts)]
    return Markup("").join(marked)
