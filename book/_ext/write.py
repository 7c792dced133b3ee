"""`{write} FUNCTION`: a taught function of the chapter as something to write first, and to compare afterwards.

A box says which part of the notebook asks for it and how long that takes, and shows what goes in and comes out. Below
it a fold, *Compare*, holds the body, its helpers, and the sentences that explain it: the directive's content. The
students' edition has the box alone. Shapes stand in comments there, as readers write them; the source keeps its
jaxtyping. On a page that is no chapter's, the argument is CHAPTER.FUNCTION. A function with a star is never printed.
`{listing} FILE FUNCTION` shows any other code of ours in the same way.
"""

import ast
import copy
import os
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from edition import ANSWERS
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from autograder.release.blank import BlankError, Module
from book.contents import chapter_of
from book.notebook_parts import Part, helpers_of, notebook, part_of

ROOT = Path(__file__).parents[2]
WIDTH = 58  # characters of a line of a signature: what the box shows of it at 1,100 pixels
TYPES = {"Float", "Int", "Bool", "Integer", "Shaped", "Num", "Inexact", "UInt8"}  # of jaxtyping
YOURS = "raise NotImplementedError  # yours to write"


def spelled(annotation: ast.expr | None) -> str:
    """Return a type as readers write it: a tensor's shape in brackets, a function as what it makes of what."""
    match annotation:
        case None:
            return ""
        case ast.Subscript(ast.Name(kind), ast.Tuple([_, ast.Constant(str(axes))])) if kind in TYPES:
            return f"({', '.join(axes.split())})" if axes.strip() else "a scalar"
        case ast.Subscript(ast.Name("Callable"), ast.Tuple([ast.List(given), made])):
            return f"maps {', '.join(map(spelled, given))} to {spelled(made)}"
        case ast.Subscript(ast.Name("tuple"), ast.Tuple(several)):
            return ", ".join(map(spelled, several))
        case ast.BinOp(left, ast.BitOr(), ast.Constant(None)):
            return f"{spelled(left)} or None"
    return ast.unparse(annotation)


def has_shape(annotation: ast.expr | None) -> bool:
    """Return whether a tensor with its shape is in a type."""
    return annotation is not None and any(
        isinstance(each, ast.Subscript) and isinstance(each.value, ast.Name) and each.value.id in TYPES
        for each in ast.walk(annotation)
    )


def shapes(node: ast.FunctionDef) -> list[str]:
    """Return lines that say what goes in and comes out: "x (batch, units)", then "returns (batch, units)"."""
    given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    inside = [f"{each.arg} {spelled(each.annotation)}" for each in given if has_shape(each.annotation)]
    made = f"returns {spelled(node.returns)}" if has_shape(node.returns) or inside else ""
    return [line for text in (", ".join(inside), made) for line in wrapped(text, "# ")]


def wrapped(text: str, before: str = "") -> list[str]:
    """Return lines of a text in which a name stays with its shape."""
    whole = re.sub(r"(?:\w+ )?\([^()]*\)", lambda shape: shape[0].replace(" ", "\0"), text)
    lines = textwrap.wrap(whole, WIDTH, initial_indent=before, subsequent_indent=before)
    return [line.replace("\0", " ") for line in lines]


def untyped(arguments: ast.arguments) -> ast.arguments:
    """Return a function's parameters without their types."""
    bare = copy.deepcopy(arguments)
    for each in ast.walk(bare):
        if isinstance(each, ast.arg):
            each.annotation = None
    return bare


def head(node: ast.FunctionDef) -> list[str]:
    """Return the lines of a signature without types."""
    opened = f"def {node.name}("
    return textwrap.wrap(f"{opened}{ast.unparse(untyped(node.args))}):", WIDTH, subsequent_indent=" " * len(opened))


def first_sentence(node: ast.FunctionDef | ast.ClassDef) -> list[str]:
    """Return the lines of a docstring with the first sentence alone, and nothing for what has none."""
    paragraph = (ast.get_docstring(node) or "").partition("\n\n")[0]
    if not paragraph:
        return []
    sentence = re.split(r"(?<=[.:])\s", " ".join(paragraph.split()))[0].removesuffix(":").removesuffix(".")
    return wrapped(f'"""{sentence}."""')


def functions(module: Module, name: str) -> tuple[list[str], list[ast.FunctionDef]]:
    """Return the line that opens a class, and its methods; of a function nothing, and itself."""
    node = module.find(name)
    if isinstance(node, ast.FunctionDef):
        return [], [node]
    bases = ", ".join(map(ast.unparse, node.bases))
    return [f"class {name}({bases}):" if bases else f"class {name}:"], module.methods(name)


def asked(module: Module, name: str) -> str:
    """Return the head of the function that students write: signature, first sentence, shapes."""
    opening, every = functions(module, name)
    return _joined(opening, [(head(node), [*first_sentence(node), *shapes(node), YOURS]) for node in every])


def answer(module: Module, name: str) -> str:
    """Return the function with its body, its types left out."""
    opening, every = functions(module, name)
    bodies = [textwrap.dedent("\n".join(module.cut(node)[1])).splitlines() for node in every]
    return _joined(opening, [(head(node), [*shapes(node), *body]) for node, body in zip(every, bodies, strict=True)])


def _joined(opening: list[str], blocks: list[tuple[list[str], list[str]]]) -> str:
    every = ["\n".join([*first, *(f"    {line}".rstrip() for line in body)]) for first, body in blocks]
    return "\n".join([*opening, textwrap.indent("\n\n".join(every), "    " if opening else "")])


class Write(SphinxDirective):
    """`{write} FUNCTION`, or CHAPTER.FUNCTION: the box, and the fold with the body and the content."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        chapter, _, name = self.arguments[0].rpartition(".")
        chapter = chapter or chapter_of(self.env.docname)
        try:
            part, module = part_of(chapter, name), Module.of(chapter)
            code = asked(module, name), answer(module, name)
            helpers = [answer(module, each) for each in helpers_of(chapter, name)]
        except (LookupError, BlankError, OSError) as error:
            raise self.error(f"{{write}} {self.arguments[0]}: {error}") from None
        if part.is_bonus:
            raise self.error(f"{{write}} {self.arguments[0]}: it has a star, and no page prints its body")
        for file in (module.path, notebook(chapter)):
            self.env.note_dependency(str(file))
        box = self.box(chapter, part, name, code[0])
        if self.config.edition != "students":
            box += self.fold("\n\n\n".join([code[1], *helpers]))
        return self.parsed(box)

    def box(self, chapter: str, part: Part, name: str, code: str) -> list[str]:
        where = f"`{chapter}.ipynb`"
        if chapter in self.env.found_docs:
            lesson = os.path.relpath(self.env.doc2path(chapter), Path(self.env.doc2path(self.env.docname)).parent)
            where = f"[`{chapter}.ipynb`]({Path(lesson).as_posix()}#exercises)"
        others = [f"`{each}`" for each in part.functions if each != name]
        whole = f" with {' and '.join(others)}" if others else ""
        title = f"Write it: part {part.number}, {part.minutes} minutes{whole}"
        head = [f"::::{{admonition}} {title}", ":class: write", "", f"In {where}, with hints and a check:", ""]
        return [*head, *fenced(code), "::::", ""]

    def fold(self, code: str) -> list[str]:
        head = ["::::{dropdown} Compare", ":class-container: compare", ""]
        return [*head, *fenced(code), "", *self.content, "::::", ""]

    def parsed(self, lines: list[str]) -> list[nodes.Node]:
        source, _ = self.get_source_info()
        holder = nodes.Element()
        self.state.nested_parse(StringList(lines, source), self.content_offset, holder)
        return list(holder.children)


class Listing(SphinxDirective):
    """`{listing} FILE FUNCTION …` shows functions of a file without their types; not of one that holds answers."""

    required_arguments = 2
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        relative, absolute = self.env.relfn2path(self.arguments[0])
        file = Path(absolute)
        if file.name in ANSWERS:
            raise self.error(f"{relative} holds answers: use {{write}}")
        self.env.note_dependency(relative)
        try:
            module = Module(file, file.read_text(encoding="utf-8"))
            code = "\n\n\n".join(answer(module, name) for name in self.arguments[1].split())
        except (BlankError, OSError) as error:
            raise self.error(f"{{listing}} {relative}: {error}") from None
        block = nodes.literal_block(code, code, language="python")
        self.set_source_info(block)
        return [block]


def fenced(code: str) -> Iterator[str]:
    """Yield the lines of a block of Python."""
    yield from ("```python", *code.splitlines(), "```")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("write", Write)
    app.add_directive("listing", Listing)
    return {"parallel_read_safe": True}
