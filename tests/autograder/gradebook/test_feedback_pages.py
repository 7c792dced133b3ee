"""Tests of the feedback pages: formulas can be read, nothing acts or is lost, what needs a look comes first."""

import re
from pathlib import Path
from typing import Any

import nbformat
import nbgrader
import pytest
from nbformat import NotebookNode
from traitlets.config import Config

from autograder.gradebook.pages.formgrader import Sheet
from autograder.gradebook.pages.html import Page, verdict_html, with_formulas
from autograder.gradebook.pages.parts import EMPTY, PARTLY, RIGHT, WAITS, WRONG, by_need, parts
from autograder.gradebook.store.rows import NO_RESPONSE
from tests.support.notebooks import graded

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


def test_a_page_is_the_same_whether_its_texts_were_prepared_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    book = nbformat.v4.new_notebook(cells=[text(TEXT), check("masked_softmax", 1, 3, "a hint")])
    monkeypatch.setattr(Page, "_made", {})
    expected = exporter().rendered(book, ABOUT)
    monkeypatch.setattr(Page, "_made", {})
    prepared = exporter()
    prepared.prepare(book)
    assert ("text", TEXT) in Page._made
    assert prepared.rendered(book, ABOUT) == expected


def test_a_page_needs_nothing_from_elsewhere_and_can_be_read() -> None:
    cells = [text(TEXT), check("masked_softmax", 1, 3, "a hint " * 60), written("reading_a_matrix", "My answer.")]
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
    monkeypatch.setattr("autograder.gradebook.pages.html.PAGE_SECONDS", 0.0)
    cells = [nbformat.v4.new_markdown_cell("*so* $x$ <b>"), nbformat.v4.new_code_cell("x = 1 < 2")]
    shown = exporter().rendered(nbformat.v4.new_notebook(cells=cells), ABOUT)
    assert "<pre>*so* $x$ &lt;b&gt;</pre>" in shown
    assert "<pre>x = 1 &lt; 2</pre>" in shown
    monkeypatch.undo()
    long = exporter().rendered(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("*a* " * 9000)]), ABOUT)
    assert "<em>a</em>" not in long


def cell(kind: str, source: str, name: str = "", outputs: str = "", **about: Any) -> NotebookNode:
    more = {"outputs": [nbformat.v4.new_output("stream", text=outputs)]} if outputs else {}
    made = getattr(nbformat.v4, f"new_{kind}_cell")(source, **more)
    made.metadata |= graded(name, **about) if name else {}
    return nbformat.from_dict(made)


def solution(name: str, comment: str | None = None) -> NotebookNode:
    return cell("code", f"def {name}():\n    return 1 < 2", name, solution=True, comment=comment)


def check(name: str, score: float, points: float, text: str = "") -> NotebookNode:
    return cell("code", f'check("{name}")', f"check-{name}", text, grade=True, score=score, points=points)


def written(name: str, source: str, **about: Any) -> NotebookNode:
    return cell("markdown", source, name, grade=True, solution=True, points=3, **about)


def text(source: str) -> NotebookNode:
    return cell("markdown", source)


@pytest.fixture
def notebook() -> NotebookNode:
    cells = [
        text("# The notebook"),
        text("## 1 · Right"),
        solution("first"),
        check("first", 4, 4, "All 4 points.\n"),
        text("## 2 · Half"),
        solution("second"),
        cell("code", "second()", outputs="own print"),
        check("second", 1, 5, "second: 1 of 5 points.\n  ✓ shape (1)\n  ✗ values (4): <b>\nTry it:\n    second(1)\n"),
        text("## 3 · Wrong"),
        solution("third"),
        check("third", 0, 2),
        text("## 4 · Empty"),
        solution("fourth", NO_RESPONSE),
        check("fourth", 0, 7),
        text("## 5 · Questions"),
        written("answered", "My answer", waits=True),
        written("marked", "Another", score=2, comment="Well read, *but*."),
        written("skipped", "YOUR ANSWER HERE", comment=NO_RESPONSE),
        text("## 6 · The end"),
    ]
    return nbformat.v4.new_notebook(cells=cells)


@pytest.fixture
def page(notebook: NotebookNode) -> str:
    return exporter().rendered(notebook, {"notebook": "bahdanau", "score": 7, "max_score": 27, "late_penalty": 1.5})


def test_every_cell_is_in_one_part_or_around_them(notebook):
    made, around = parts(notebook)
    inside = [cell for part in made for cell in [*part.task, *part.work, *([] if part.written else [part.graded])]]
    assert sorted(map(id, [*inside, *around])) == sorted(map(id, notebook.cells))
    assert [cell.source for cell in around] == ["# The notebook", "## 6 · The end"]
    assert [[cell.source for cell in part.task] for part in made][4:] == [["## 5 · Questions"], [], []]


def test_each_state_has_its_words_and_what_lost_points_comes_first(notebook):
    made, _ = parts(notebook)
    states = {part.name: part.result for part in made}
    assert states == {
        "first": RIGHT,
        "second": PARTLY,
        "third": WRONG,
        "fourth": EMPTY,
        "answered": WAITS,
        "marked": PARTLY,
        "skipped": EMPTY,
    }
    assert [part.name for part in by_need(made)] == [
        *("third", "second", "marked", "answered", "fourth", "skipped", "first")
    ]


def test_a_notebook_without_headings_or_graded_cells_is_shown_whole():
    cells = [text("only text"), nbformat.v4.new_code_cell("x = 1")]
    made, around = parts(nbformat.v4.new_notebook(cells=cells))
    assert (made, len(around)) == ([], 2)
    about = {"notebook": "n", "score": 0, "max_score": 0, "late_penalty": 0}
    shown = exporter().rendered(nbformat.v4.new_notebook(cells=cells), about)
    assert "only text" in shown


def test_the_page_has_points_and_what_waits_and_opens_what_lost_points(page):
    assert '<html lang="en">' in page
    assert "<strong>7</strong> of 27 points, after 1.5 were taken off for being late" in page
    assert "1 written answer waits for your teacher: up to 3 of these points are not given yet." in page
    sections = {part.partition('"')[0]: part for part in page.split('id="')[1:]}
    opened = {name for name, section in sections.items() if "<details open>" in section}
    assert opened == {"check-second", "check-third", "marked"}
    assert "own print" in sections["check-second"]
    assert "All 4 points" not in page  # the points say it already
    assert "second: 1 of 5 points" in page
    assert page.count("Well read, <em>but</em>.") == 1
    assert NO_RESPONSE not in page  # it is a state


def test_a_verdict_is_a_list_and_code_and_all_of_it_escaped():
    made = verdict_html("second: 1 of 5 points.\n  ✓ shape (1)\n  ✗ values (4): <b>\nTry it:\n    second(1)\n\n    x\n")
    assert made == (
        '<div class="verdict"><p>second: 1 of 5 points.</p>'
        '<ul><li class="all-points"><span class="sign">✓</span> shape (1)</li>'
        '<li class="no-points"><span class="sign">✗</span> values (4): &lt;b&gt;</li></ul>'
        "<p>Try it:</p><pre>second(1)</pre><pre>x</pre></div>"
    )
    assert verdict_html("") == ""
