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
ABOUT = {"notebook": "bahdanau", "score": 2, "max_score": 6, "late_penalty": 0}
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
    return Page()


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


def test_a_page_needs_nothing_from_elsewhere_and_can_be_read() -> None:
    check = graded_cell("code", "check-masked_softmax", 'check("bahdanau.masked_softmax", globals())')
    check.outputs = [nbformat.v4.new_output("stream", text="a hint " * 60)]
    cells = [nbformat.v4.new_markdown_cell(TEXT), check, graded_cell("markdown", "reading_a_matrix", "My answer.")]
    page = exporter().rendered(nbformat.v4.new_notebook(cells=cells), ABOUT)
    assert re.findall(OUTSIDE, page) == []
    assert "white-space: pre-wrap !important" in page
    assert page.count("<math ") == 2
    assert 'display="block"' in page
    assert "$" not in re.sub(r"<style.*?</style>", "", page, flags=re.DOTALL)
    for part in ("check-masked_softmax", "reading_a_matrix"):
        assert f'<a href="#{part}">{part.removeprefix("check-")}</a>' in page


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


def test_what_would_cost_a_page_too_much_is_shown_as_it_was_written(monkeypatch) -> None:
    monkeypatch.setattr("autograder.gradebook.html.PAGE_SECONDS", 0.0)
    cells = [nbformat.v4.new_markdown_cell("*so* $x$ <b>"), nbformat.v4.new_code_cell("x = 1 < 2")]
    shown = exporter().rendered(nbformat.v4.new_notebook(cells=cells), ABOUT)
    assert "<pre>*so* $x$ &lt;b&gt;</pre>" in shown
    assert "<pre>x = 1 &lt; 2</pre>" in shown
    monkeypatch.undo()
    long = exporter().rendered(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("*a* " * 9000)]), ABOUT)
    assert "<em>a</em>" not in long
