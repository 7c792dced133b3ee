"""Tests of the feedback pages: formulas can be read, nothing acts, and nothing comes from elsewhere."""

import re
from pathlib import Path

import nbformat
import nbgrader
import pytest
from traitlets.config import Config

from autograder.gradebook.formgrader import Sheet
from autograder.gradebook.html import Page, with_formulas

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


def exporter() -> Page:
    return Page(
        config=Config(
            HTMLExporter={
                "template_name": "feedback",
                "extra_template_basedirs": [str(TEMPLATES)],
                "extra_template_paths": [str(STATIC)],
            }
        )
    )


def formgrader(path: Path) -> str:
    """Return formgrader's page of an autograded notebook."""
    options = {"template_name": "formgrade", "extra_template_basedirs": [str(TEMPLATES)]}
    resources = {
        "student": "ada",
        "assignment_id": "bahdanau",
        "notebook_id": "bahdanau",
        "submission_id": "1",
        "index": 0,
    }
    resources |= {"total": 1, "base_url": "", "last_name": None, "first_name": None, "notebook_path": ""}
    return Sheet(config=Config(HTMLExporter=options)).from_filename(str(path), resources)[0]


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
    about = {"notebook": "bahdanau", "score": 2, "max_score": 6, "late_penalty": 0}
    return exporter().from_notebook_node(notebook, {"nbgrader": about})[0]


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


PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("![a](https://a.example/pixel.png)", False),
        ('<img src="//a.example/pixel.png">', False),
        ("![a](../../bo/bahdanau/plot.png)", False),
        ("![a](data:image/svg+xml;base64,AAAA)", False),
        ("![a](data:image/png;base64,iVBORw0KGgo=)", False),
        (f"![a](data:image/png;base64,{PIXEL})", True),
    ],
)
def test_a_picture_lies_in_the_page_or_is_left_out(text: str, stays: bool) -> None:
    shown = exporter()._page(text)
    assert ("src=" in shown) == stays


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("| a | `</s>` |\n|---|---|\n| 1 | 2 |", "<th><code>&lt;/s&gt;</code></th>"),
        ("the state at </s>, <unk> and a <b", "the state at &lt;/s&gt;, &lt;unk&gt; and a &lt;b"),
        ("```\n</s>\n```", "&lt;/s&gt;"),
        ("$a<b$", "<mo>&lt;</mo>"),
        ('</section><p class="total">66 of 66</p>', '&lt;/section&gt;&lt;p class="total"&gt;66 of 66'),
        ('```mermaid\n</pre><p class="total">66</p>\n```', "&lt;/pre&gt;&lt;p class="),
        ("<details>\n<summary>a</summary>\nb", "&lt;details&gt;"),
    ],
)
def test_a_students_tags_are_shown_as_they_were_written(written: str, shown: str) -> None:
    cell = nbformat.v4.new_markdown_cell(written, metadata={"nbgrader": {"solution": True}})
    assert shown in exporter().cell(cell).replace("&quot;", '"')
    task = nbformat.v4.new_markdown_cell("<details><summary>a hint</summary>b</details>", id="text-1")
    assert "<summary>a hint</summary>" in exporter().cell(task)


@pytest.mark.parametrize("target", ["data:text/html,<script>alert(1)</script>", " DATA:text/html,x", "javascript:x()"])
def test_a_link_leads_to_a_page_or_nowhere(target: str) -> None:
    assert "href" not in exporter()._page(f'<a href="{target}">x</a>')
    assert 'href="https://a.example/b"' in exporter()._page("[x](https://a.example/b)")


def test_what_would_cost_a_page_too_much_is_shown_as_it_was_written(monkeypatch) -> None:
    monkeypatch.setattr("autograder.gradebook.html.PAGE_SECONDS", 0.0)
    cells = [nbformat.v4.new_markdown_cell("*so* $x$ <b>"), nbformat.v4.new_code_cell("x = 1 < 2")]
    about = {"notebook": "bahdanau", "score": 2, "max_score": 6, "late_penalty": 0}
    shown = exporter().rendered(nbformat.v4.new_notebook(cells=cells), about)
    assert "<pre>*so* $x$ &lt;b&gt;</pre>" in shown
    assert "<pre>x = 1 &lt; 2</pre>" in shown
    monkeypatch.undo()
    long = exporter().rendered(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("*a* " * 9000)]), about)
    assert "<em>a</em>" not in long
