"""Two editions of one source: the students' edition shows the functions that hold answers without their bodies."""

import ast
import re
import textwrap
from collections.abc import Iterator
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.directives.code import LiteralInclude
from sphinx.util.docutils import SphinxDirective

from autograder.release.blank import Module
from autograder.release.blank import blanked as blanked_module

ROOT = Path(__file__).parents[2]
ANSWERS = ("attention.py",)  # holds the functions that students write, and their parts
MARK = re.compile(r"^#\|\s*exercise\s+(\w+)", re.MULTILINE)


def graded(name: str, root: Path = ROOT) -> set[str]:
    """Return the functions that a student of this chapter writes: those its exercise marks with `#| exercise`."""
    exercise = root / "exercises" / name / "notebook.md"
    return set(MARK.findall(exercise.read_text(encoding="utf8"))) if exercise.is_file() else set()


def blanked(file: Path, function: str, hint: str) -> str:
    """Return a function's signature and docstring, as an exercise shows them, with a hint instead of its body."""
    head, _ = Module(file, file.read_text(encoding="utf8")).head_and_body(function)
    return "\n".join([*head, textwrap.indent(f"{hint}\nraise NotImplementedError", "    "), ""])


def whole(file: Path) -> str:
    """Return the module without the bodies of its functions, as the students' kit has it."""
    return blanked_module(Module(file, file.read_text(encoding="utf8")))


def hint(chapter: str, function: str) -> str:
    """Return the comment that stands instead of a body: the parts of a graded function are left out with it."""
    if function in graded(chapter):
        return f"# Yours to write: the notebook {chapter}.ipynb has the place, hints and a check."
    return "# Left out in the students' edition: it is a part of an exercise."


class Code(LiteralInclude):
    """`literalinclude` that keeps the answers out of the students' edition."""

    def run(self) -> list[nodes.Node]:
        nodes_of_cell = super().run()
        file = Path(self.env.relfn2path(self.arguments[0])[1])
        if self.config.edition != "students" or file.name not in ANSWERS:
            return nodes_of_cell
        function, chapter = self.options.get("pyobject"), file.parent.name
        selected = set(self.options) - {"pyobject", "language", "caption", "class", "name"}
        if selected:
            raise self.error(f"{self.arguments[0]} holds answers: include it whole or by :pyobject:, not by {selected}")
        exercise = ROOT / "exercises" / chapter / "notebook.md"
        if exercise.is_file():
            self.env.note_dependency(str(exercise))
        for block in [block for node in nodes_of_cell for block in node.findall(nodes.literal_block)]:
            block.rawsource = blanked(file, function, hint(chapter, function)) if function else whole(file)
            block.children = [nodes.Text(block.rawsource)]
        return nodes_of_cell


def listings(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield each function and class of a module: its name, what it returns by its first sentence, its code."""
    lines = text.splitlines()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            paragraph = " ".join((ast.get_docstring(node) or "").split("\n\n")[0].split())
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            sentence = re.split(r"(?<=\.)\s(?=[A-Z])", paragraph)[0].removeprefix("Return ")
            yield node.name, sentence[:1].upper() + sentence[1:], "\n".join(lines[first - 1 : node.end_lineno])


class Functions(SphinxDirective):
    """`{functions} NAME` lists what a chapter's attention.py has, a line each, which opens to the listing."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        file = ROOT / "solutions" / self.arguments[0] / "attention.py"
        self.env.note_dependency(str(file))
        text = whole(file) if self.config.edition == "students" else file.read_text(encoding="utf8")
        made: list[nodes.Node] = []
        for name, paragraph, code in listings(text):
            summary = escape(paragraph.replace("`", ""))
            head = f'<details class="listed"><summary><code>{name}</code> <span>{summary}</span></summary>'
            made += [nodes.raw("", head, format="html"), nodes.literal_block(code, code, language="python")]
            made.append(nodes.raw("", "</details>", format="html"))
        return made


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("functions", Functions)
    app.add_config_value("edition", "full", "env", types=[str])
    app.add_directive("literalinclude", Code, override=True)
    return {"parallel_read_safe": True}
