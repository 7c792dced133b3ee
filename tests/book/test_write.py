"""`{write}`: a taught function stands as something to write; its body is folded, and not in the students' edition."""

import ast

import pytest
import write

from autograder.release.blank import Module
from book.contents import chapters
from book.notebook_parts import helpers_of, parts
from tests.support.sites import built, shown

FOLDED = '<details class="sd-sphinx-override sd-dropdown'
SETTINGS = {
    "extensions": ["myst_parser", "sphinx_design", "edition", "write"],
    "myst_enable_extensions": ["colon_fence"],
}
BODY = "forward = outputs[rows, lengths - 1, :units]"
WHY = "A slice will not do."


def page(argument: str) -> dict[str, str]:
    return {"index": f"# Page\n\n```{{write}} {argument}\n{WHY}\n```\n\nAfter it.\n"}


def text_of(folder) -> str:
    return shown((folder / "html" / "index.html").read_text(encoding="utf8"))


@pytest.mark.parametrize("edition", ["full", "students"])
def test_the_body_and_what_explains_it_are_folded_and_only_the_full_edition_has_them(tmp_path, edition):
    assert not built(tmp_path, page("encoder_decoder.last_states"), **SETTINGS, edition=edition)
    text, is_full = text_of(tmp_path), edition == "full"
    before, _, fold = text.partition("Compare")
    assert "Write it: part 2, 10 minutes" in before
    assert "encoder_decoder.ipynb" in before
    assert "def last_states(outputs, lengths):" in before
    assert "# returns (batch, both_units)" in before
    assert "raise NotImplementedError" in before
    assert BODY not in before
    assert WHY not in before
    assert (BODY in fold, WHY in fold) == (is_full, is_full)
    assert "After it." in text
    assert (FOLDED in (tmp_path / "html" / "index.html").read_text(encoding="utf8")) == is_full


@pytest.mark.parametrize(
    ("argument", "says"),
    [
        ("encoder_decoder.nucleus", "it has a star, and no page prints its body"),
        ("encoder_decoder.nobody", "no part of the notebook encoder_decoder asks for 'nobody': they ask for"),
        ("last_states", "exercises/index/notebook.md"),
    ],
)
def test_what_cannot_stand_so_is_an_error(tmp_path, argument, says):
    warned = built(tmp_path, page(argument), **SETTINGS, edition="full")
    assert f"{{write}} {argument}: " in warned
    assert says in warned
    assert BODY not in text_of(tmp_path)


def test_the_fold_has_the_helpers_that_no_part_asks_for(tmp_path):
    assert helpers_of("bahdanau", "additive_attention") == ["additive_scores", "weighted_sum"]
    assert helpers_of("luong", "attentional_state") == []
    assert not built(tmp_path, page("bahdanau.additive_attention"), **SETTINGS, edition="full")
    before, _, fold = text_of(tmp_path).partition("Compare")
    assert "def additive_scores(projected_query, projected_keys, v):" in fold
    assert "additive_scores" not in before


def every_function() -> list[tuple[str, str]]:
    """Return all that notebooks ask for and a module holds, but for what has a star."""
    return [
        (chapter, name)
        for chapter in chapters()
        for part in parts(chapter)
        for name in part.functions
        if not part.is_bonus and name in Module.of(chapter).functions
    ]


@pytest.mark.parametrize(("chapter", "name"), every_function(), ids=lambda each: each)
def test_each_function_can_stand_on_a_page_without_types_and_computes_the_same(chapter, name):
    """What is shown is the source but for its types: the same code, when both are stripped of what says nothing."""
    module = Module.of(chapter)
    asked, answer = write.asked(module, name), write.answer(module, name)
    assert max(map(len, asked.splitlines())) <= write.WIDTH + 8
    assert not [kind for kind in write.TYPES for text in (asked, answer) if f"{kind}[" in text.partition("\n    ")[0]]
    assert ast.parse(asked)
    given = module.find(name)
    wanted, got = bare(ast.parse(ast.unparse(given))), bare(ast.parse(answer))
    assert got == wanted


def bare(tree: ast.Module) -> str:
    """Return code without the types of its signatures, docstrings and comments."""
    tops = [tree.body[0], *(tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else [])]
    for node in tops:
        if isinstance(node, ast.FunctionDef):
            node.args, node.returns = write.untyped(node.args), None
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    return ast.dump(tree)


def test_a_shape_is_spelled_as_readers_write_it():
    given = 'x: Float[Tensor, "batch units"], n: int, g: Callable[[Int[Tensor, " t"]], Float[Tensor, ""]] | None = None'
    node = ast.parse(f"def f({given}) -> tuple[Bool[Tensor, 'a b'], float]: ...").body[0]
    assert isinstance(node, ast.FunctionDef)
    assert write.shapes(node) == ["# x (batch, units), g maps (t) to a scalar or None", "# returns (a, b), float"]
    assert write.head(node) == ["def f(x, n, g=None):"]
