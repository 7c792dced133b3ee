"""Two editions of one source: in the students' edition a graded function shows its blanked form instead of its body."""

import ast
import re
import textwrap
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.directives.code import LiteralInclude

ROOT = Path(__file__).parents[2]
MARK = re.compile(r"^#\|\s*exercise\s+(\w+)", re.MULTILINE)


def graded(name: str, root: Path = ROOT) -> set[str]:
    """Return the functions that a student of this chapter writes: those its exercise marks with `#| exercise`."""
    exercise = root / "exercises" / f"{name}.md"
    return set(MARK.findall(exercise.read_text(encoding="utf8"))) if exercise.is_file() else set()


def blanked(source: str, name: str) -> str:
    """Return a function's signature and docstring, with the place to write it instead of its body."""
    function = ast.parse(source).body[0]
    body = function.body
    documented = ast.get_docstring(function) is not None
    last = body[0].end_lineno if documented else body[0].lineno - 1
    head = "\n".join(source.splitlines()[:last])
    hint = f"# Yours to write, in the notebook {name}.ipynb\nraise NotImplementedError"
    return f"{head}\n{textwrap.indent(hint, '    ')}\n"


class Code(LiteralInclude):
    """`literalinclude` that keeps the answers out of the students' edition."""

    def run(self) -> list[nodes.Node]:
        found = super().run()
        chapter = Path(self.env.relfn2path(self.arguments[0])[1]).parent.name
        if self.config.edition == "students":
            self.env.note_dependency(str(ROOT / "exercises" / f"{chapter}.md"))
            for block in [block for node in found for block in node.findall(nodes.literal_block)]:
                self.blank(block, chapter)
        return found

    def blank(self, block: nodes.literal_block, chapter: str) -> None:
        function = self.options.get("pyobject")
        names = graded(chapter)
        if function in names:
            text = blanked(block.rawsource, chapter)
            block.rawsource = text
            block.children = [nodes.Text(text)]
        elif function is None and names:
            raise self.error(f"{self.arguments[0]} holds graded functions: include them by :pyobject:")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_config_value("edition", "full", "env", types=[str])
    app.add_directive("literalinclude", Code, override=True)
    return {"parallel_read_safe": True}
