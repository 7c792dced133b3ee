"""Whatever a cell prints or holds: it ends no grading, and what cannot be rendered is shown as text."""

import html
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.judge.assess import _written
from autograder.judge.judge import Judged, refused
from autograder.judge.session import clean_outputs
from autograder.submissions.normalise import submission
from tests.autograder.gradebook.test_feedback_pages import exporter, formgrader
from tests.support.notebooks import NAME, RIGHT, as_bytes, cells, code, form, markdown, tree

UNFINISHED = (
    *("\x1b[38m", "\x1b[48m", "\x1b[38;5m", "\x1b[38;5;m", "\x1b[48;2;1m", "\x1b[38;2m", "\x1b[1;38m", "\x1b[38;;m"),
    *("\x1b[38;5;-1m", "\x1b[38;5;999m", "\x1b[38;2;1;2m", "\x1b[48;2;300;1;1m", "\x1b[" + "9" * 5000 + "m"),
    *("\x1b[", "\x1b", "\x1b[0;38", "\x1b[38;5;٣m", "\x1b[١;38m", "\x1b]8;;\x07", "\x1b[38:5:1m", "\x9b38m"),
    *("\x1b[1;4;7;38;2;1;2;3;48m", "\x1b[[38m", "\x1b[38\n", "\x1b\x1b[38m"),
)
LONG_MARKDOWN = {  # how often each part is repeated
    3000: "- ,> ,1. ,[,![,*a ,_,`,~~,|,$,<,<!--,<?,[a][a,x@y.z ,😀,\\".split(","),
    900: ("\\begin{a}", "<![CDATA[", "Title\n===\n", "[x](<", "https://", "a\n:   b\n", "- [ ] a\n", "[a]: b\n"),
    300: ("```", "![a](attachment:", "![a](data:image/png;base64,", "<img src='attachment:", "a\u0334\u0300"),
    50: ("$\\frac{", "$$\\begin{matrix}"),
}
ODD_MARKDOWN = (
    *(part * times for times, parts in LONG_MARKDOWN.items() for part in parts),
    *("".join("  " * n + "- x\n" for n in range(130)), "|" * 5000 + "\n" + "|-" * 2500, "* * *\n" * 3000),
    *("| a |\n|--|\n" + "| b " * 4000, "&#xd800; &amp" * 900, "$\\def\\a{\\a}\\a$", "```mermaid\nx", "``` {"),
    *("```nosuchlanguage\nx", "```python3 <b>\nx", "&#x110000; &#0;", "{{ 7*7 }}" * 300),
    *("\x00\x01\x02\x7f\x85\u2028", "\ud800\udfff", "\ufeff\u202e\u2066"),
)


def outputs(text: str) -> list[dict[str, Any]]:
    """Return outputs of every kind with a text in each of their fields."""
    return [
        {"output_type": "stream", "name": "stdout", "text": text},
        {"output_type": "stream", "name": text, "text": text},
        {"output_type": "error", "ename": text, "evalue": text, "traceback": [text, text]},
        {"output_type": "display_data", "data": {"text/plain": text, "text/html": text, text: text}, "metadata": {}},
        {"output_type": "execute_result", "data": {"text/plain": text, "image/png": text}, "metadata": {text: text}},
        {"output_type": "display_data", "data": {"image/jpeg": text, "text/markdown": text, "text/latex": text}},
        {"output_type": text, "data": text, "text": [text], "traceback": text, "name": None},
    ]


def graded(texts: list[str]) -> bytes:
    """Return what is kept of a submission with these texts in cells and outputs of every kind."""
    own: list[dict] = []
    for text in texts:
        own += [code(text), markdown(text), {"cell_type": "raw", "source": text, "metadata": {}}]
    template = form()
    given = cells(RIGHT)
    given[4]["source"] = texts[-1]  # the written answer
    notebook = submission(as_bytes(tree([*given, *own])), template, [NAME])
    judged: Judged = refused(template, "")
    own_code = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.id.startswith("own-")]
    judged.outputs = {
        cell.id: clean_outputs(outputs(text)) for cell, text in zip(own_code[-len(texts) :], texts, strict=True)
    }
    return _written(notebook, judged)


def both_pages(kept: bytes, folder: Path) -> list[str]:
    """Return the feedback page and formgrader's."""
    notebook = nbformat.v4.reads(kept.decode())
    for cell in notebook.cells:
        if "nbgrader" in cell.metadata:
            cell.metadata.nbgrader["score"] = 0
    (folder / "kept.ipynb").write_bytes(kept)
    about = {"notebook": NAME, "score": 0, "max_score": 14, "late_penalty": 0}
    return [exporter().rendered(notebook, about), formgrader(folder / "kept.ipynb")]


def test_every_unfinished_colour_code_in_every_kind_of_output_leaves_both_pages(tmp_path: Path) -> None:
    for shown in both_pages(graded([f"here{colour}there" for colour in UNFINISHED]), tmp_path):
        assert shown.count("there") >= 6 * len(UNFINISHED)


@pytest.mark.parametrize("source", ODD_MARKDOWN, ids=lambda source: ascii(source[:15]))
def test_odd_markdown_is_set_or_shown_as_text(source: str) -> None:
    shown = exporter().markdown2html({}, source[:19_000])
    assert isinstance(shown, str)
    assert len(shown) < 2 << 20


@pytest.mark.parametrize("filter_name", ["ansi2html", "clean_html"])
def test_whatever_a_library_raises_the_text_is_there(monkeypatch, filter_name: str) -> None:
    for error in (IndexError, RecursionError, MemoryError, AssertionError, UnicodeEncodeError("a", "b", 0, 1, "c")):

        def fails(_: str, error: Any = error) -> str:
            raise error

        monkeypatch.setattr(f"autograder.gradebook.pages.html.{filter_name}", fails)
        shown = exporter()._terminal("<b> 1") + exporter().markdown2html({}, "<b> 1")
        assert "&lt;b&gt; 1" in shown
        assert html.unescape(shown).count("1") == 2
