"""The laws of the feedback pages: formulas can be read, nothing acts, and nothing comes from elsewhere."""

import re
from pathlib import Path

import nbformat
import nbgrader
import pytest
from traitlets.config import Config

from autograder.pages import Page, with_formulas

TEMPLATES = Path(nbgrader.__file__).parent / "server_extensions" / "formgrader" / "templates"
STATIC = TEMPLATES.parent / "static" / "node_modules" / "bootstrap" / "dist" / "css"
OUTSIDE = (
    r"<(?:script|link|iframe|object|embed|source)\b|@import|url\((?!['\"]?data:)|\b(?:src|href)=['\"]?(?:https?:)?//"
)

TEXT = r"""The weight $\alpha_j < 1$ and

$$
c = \sum_j \alpha_j h_j
$$
"""


def graded_cell(kind: str, name: str, source: str) -> nbformat.NotebookNode:
    cell = getattr(nbformat.v4, f"new_{kind}_cell")(source)
    about = {"grade_id": name, "grade": True, "solution": kind == "markdown", "locked": False, "task": False}
    cell.metadata["nbgrader"] = about | {"points": 3, "score": 1}
    return cell


@pytest.fixture(scope="module")
def page() -> str:
    check = graded_cell("code", "check-masked_softmax", 'check("bahdanau.masked_softmax", globals())')
    check.outputs = [nbformat.v4.new_output("stream", text="a hint " * 60)]
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_markdown_cell(TEXT),
            check,
            graded_cell("markdown", "reading_a_matrix", "My answer."),
        ]
    )
    exporter = Page(
        config=Config(
            HTMLExporter={
                "template_name": "feedback",
                "extra_template_basedirs": [str(TEMPLATES)],
                "extra_template_paths": [str(STATIC)],
            }
        )
    )
    about = {"notebook": "bahdanau", "score": 2, "max_score": 6, "late_penalty": 0}
    return exporter.from_notebook_node(notebook, {"nbgrader": about})[0]


def test_a_page_needs_nothing_from_elsewhere(page):
    assert re.findall(OUTSIDE, page) == []
    assert "masked_softmax" in page


def test_long_lines_wrap(page):
    assert "white-space: pre-wrap !important" in page


def test_formulas_are_mathml(page):
    assert page.count("<math ") == 2
    assert 'display="block"' in page
    assert "$" not in re.sub(r"<style.*?</style>", "", page, flags=re.DOTALL)


def test_the_table_of_contents_names_the_exercises(page):
    assert '<a href="#check-masked_softmax">masked_softmax</a>' in page
    assert '<a href="#reading_a_matrix">reading_a_matrix</a>' in page
    assert "Test cell" not in page


@pytest.mark.parametrize(
    "formula", [r"\href{javascript:alert(1)}{x}", r"\htmlStyle{color:red}{x}", r"\includegraphics{http://a.example/b}"]
)
def test_a_students_formula_cannot_act(formula):
    rendered = re.sub(r"<annotation.*?</annotation>", "", with_formulas(f"${formula}$"))
    assert not re.search(r"<[^>]*(javascript|color:red|a\.example)", rendered)


@pytest.mark.parametrize(
    "text",
    [r"$\frac{1$", r"$\def\a{\a\a}\a$", "<pre>$a $b</pre>", "<code>$x$</code>", "it costs 5$", "$" + "{" * 900 + "$"],
)
def test_what_is_no_formula_stays_as_it_was_written(text):
    assert with_formulas(text) == text
