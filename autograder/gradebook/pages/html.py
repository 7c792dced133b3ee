"""Feedback pages: nbgrader's, without anything that could run in a reader's browser or load from elsewhere."""

import html
import math
import re
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar

from jinja2 import BaseLoader, FileSystemLoader, pass_context
from nbconvert.exporters import HTMLExporter
from nbconvert.filters import Highlight2HTML, ansi2html
from nbformat import NotebookNode
from traitlets import default

from autograder import katex
from autograder.gradebook.pages.parts import by_need, parts, truncated
from autograder.gradebook.store.rows import show_bonus
from autograder.judge import comparison
from autograder.judge.markup import clean_html, with_pictures
from autograder.kit.verdict.bonus import all_points
from autograder.submissions.normalise import is_by_student

CODE = re.compile(r"(<pre\b.*?</pre>|<code\b.*?</code>)", re.DOTALL)
FORMULA = re.compile(r"\$\$(?P<display>[^$<]{1,1000})\$\$|\$(?P<inline>[^$<]{1,1000})\$")
# MathML needs neither style sheet nor font, and `trust` off keeps links and styles out: students write formulas too.
KATEX = {"output": "mathml", "throwOnError": True, "strict": "ignore", "trust": False, "maxExpand": 200, "maxSize": 20}
SECONDS = 2.0  # of this process's CPU: on a busy machine a page is as on an idle one
SHORT_FORMULA, GROWTH = 2000, 60  # characters of MathML, in all and for each of a formula's: macros could make millions
# The limits of a page, whatever a student wrote: beyond them text and code are shown as they were written.
LONGEST_TEXT, LONGEST_CODE, PAGE_SECONDS = 20_000, 200_000, 10.0
LARGEST_PAGE = 7 << 20  # bytes
MOST_KEPT = 500  # texts and cells, as they look on a page

NO_CODE = re.compile(r"\x1b(?!\[[0-9;:?]*[A-Za-z])")  # begins no code of a terminal's: it may swallow the text behind
SHOWN = ("image/png", "image/jpeg", "text/plain")  # of a cell's outputs; HTML and scripts are not
EMPTY_HEADER = re.compile(r"<th(?: align=\"\w*\")?></th>")  # the corner of a matrix is no heading
PICTURE = re.compile(r"<img(?![^>]*\balt=)")
# Of a check's output.
CRITERION = re.compile(r" {1,3}([✓✗]) (.*)")
INDENTED = re.compile(r" {4}.*\S.*")


def _first_shown(data: dict[str, Any]) -> list[str]:
    """Return the MIME type in which an output is shown, [] for none."""
    return [form for form in SHOWN if form in data][:1]


class _TimeUp(Exception):
    """One text or cell takes too long to render."""


@contextmanager
def _bounded(until: float) -> Iterator[None]:
    """Raise _TimeUp in the block once its time is up: blank lines alone keep a highlighter's patterns busy for hours.

    Only a signal ends a pattern's search, and only the main thread, where pages are made, receives one.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(*_: object) -> None:
        raise _TimeUp

    left = max(0.01, min(SECONDS, until - time.process_time()))
    before = signal.signal(signal.SIGPROF, ring)
    earlier = signal.setitimer(signal.ITIMER_PROF, left, left)  # again and again: a library may swallow the first
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, *earlier)
        signal.signal(signal.SIGPROF, before)


def render(match: re.Match) -> str:
    """Return the formula as MathML, or as it was written if KaTeX cannot read it."""
    display = match["display"] is not None
    formula = html.unescape(match["display"] or match["inline"])
    options = KATEX | {"displayMode": display}
    try:
        mathml = katex.render(formula, options, SECONDS)
    except katex.FormulaError:
        return match[0]
    if len(mathml) > SHORT_FORMULA + GROWTH * len(formula):
        return match[0]
    # A wide formula scrolls by itself: the keyboard has to reach it.
    return mathml.replace("<math ", '<math tabindex="0" ', 1) if display else mathml


def with_formulas(page: str, until: float = math.inf) -> str:
    """Return clean HTML with its formulas rendered while there is time; code stays as it is."""

    def rendered(match: re.Match) -> str:
        return render(match) if time.process_time() < until else match[0]

    return "".join(part if i % 2 else FORMULA.sub(rendered, part) for i, part in enumerate(CODE.split(page)))


class Page(HTMLExporter):
    """An exporter whose pages need no other files, and whose Markdown runs nothing."""

    _until = math.inf
    _made: ClassVar[dict[tuple[str, str], str]] = {}  # {(kind, source): HTML}, of all pages that this process makes

    @default("extra_loaders")
    def _own_templates(self) -> list[BaseLoader]:
        return [FileSystemLoader(Path(__file__).with_name("feedback_page"))]

    def finished(self, page: str) -> str:
        """Return the page with an alternative text for every picture."""
        return PICTURE.sub('<img alt="a picture, not described"', page)

    def _init_resources(self, resources: Any) -> Any:
        self._until = time.process_time() + PAGE_SECONDS  # a page begins
        return super()._init_resources(resources)

    def prepare(self, released: NotebookNode) -> None:
        """Make the HTML of a released notebook's texts and code, which its pages share, while there is time for it."""
        for cell in released.cells:
            if cell.cell_type == "markdown":
                self._text(cell.source, cell)
            else:
                self._highlight(cell.source)

    def rendered(self, notebook: NotebookNode, about: dict[str, Any]) -> str:
        """Return the page of a notebook with its marks in it.

        A page that would be too large is made without colours, and without its largest parts.
        """
        page = self._set(notebook, about)
        if len(page.encode("utf-8", "replace")) <= LARGEST_PAGE:
            return page
        return self._set(truncated(notebook), about, plain=True)

    def _set(self, notebook: NotebookNode, about: dict[str, Any], plain: bool = False) -> str:
        resources = self._init_resources({"nbgrader": about})
        self._until = -math.inf if plain else self._until
        show_bonus(notebook.cells)
        page = self.template.render(nb=notebook, resources=resources)
        return self.finished(page.lstrip("\r\n"))

    def default_filters(self) -> Generator[Any, None, None]:
        """Yield the filters; the two that nbconvert makes anew for every page are made once."""
        yield from super().default_filters()
        yield "highlight_code", self._highlight
        yield "filter_data_type", _first_shown
        yield "ansi2html", self._terminal
        yield from {"parts": parts, "by_need": by_need, "cell_html": self.cell, "verdict_html": self.verdict}.items()
        # It is for old notebook servers, and its search takes quadratic time, beside pictures hours.
        yield "strip_files_prefix", lambda text: text

    def cell(self, cell: NotebookNode) -> str:
        """Return a cell as HTML: text rendered, code coloured, with its output."""
        if cell.cell_type == "markdown":
            return self._text(cell.source, cell)
        if cell.cell_type != "code":
            return f"<pre>{html.escape(cell.source)}</pre>"
        return self._highlight(cell.source) + "".join(self._output(output) for output in cell.outputs)

    def verdict(self, cell: NotebookNode) -> str:
        """Return a check's output, without the words that only repeat the points beside it."""
        made, known = [], all_points(cell.metadata.nbgrader.get("points") or 0)
        for output in cell.outputs:
            if output.output_type == "error" and output.traceback == [output.evalue]:
                made.append(verdict_html(output.evalue))  # no points: raised, for nbgrader's own validation
            elif output.output_type == "stream":
                made.append("" if output.text.strip() == known else verdict_html(output.text))
            elif comparison.MIME in output.get("data", {}):
                with suppress(ValueError, KeyError, TypeError):  # a notebook that was changed by hand
                    made.append(comparison.drawn(output.data[comparison.MIME]))
            elif output.output_type in {"error", "display_data"}:
                made.append(self._output(output))
        return "".join(made)

    def _output(self, output: NotebookNode) -> str:
        forms = output.get("data", {})
        if output.output_type == "stream":
            forms = {"text/plain": output.text}
        elif output.output_type == "error":
            forms = {"text/plain": "\n".join(output.traceback)}
        for form in _first_shown(forms):
            if form == "text/plain":
                return f'<pre class="output">{self._terminal(forms[form])}</pre>'
            content = "".join(forms[form].split())
            return f'<p><img src="data:{form};base64,{html.escape(content)}" alt="a picture that the cell drew"></p>'
        return ""

    @cached_property
    def _lexed(self) -> Highlight2HTML:
        return Highlight2HTML(pygments_lexer="ipython3", parent=self)

    def _highlight(self, source: str, metadata: Any = None) -> str:
        if len(source) <= LONGEST_CODE and time.process_time() <= self._until:
            with suppress(Exception):
                return self._kept(source, "code", lambda: self._in_time(self._lexed, source))
        return f'<div class="highlight"><pre>{html.escape(source)}</pre></div>'

    def _terminal(self, text: str) -> str:
        """Return an output with its colours, while there is time: every change of colour takes a copy of the rest."""
        if time.process_time() <= self._until:
            with suppress(Exception):
                return self._in_time(ansi2html, NO_CODE.sub("␛", text))
        return html.escape(text.replace("\x1b", "␛"))

    def _in_time(self, make: Callable[..., Any], *arguments: Any) -> str:
        with _bounded(self._until):
            return str(make(*arguments))

    def _kept(self, source: str, kind: str, make: Callable[[], str]) -> str:
        """Return the HTML of a text, made once for all pages: the released text is the same on each."""
        if (kind, source) in self._made:
            return self._made[kind, source]
        content = make()
        if len(source) <= LONGEST_TEXT and time.process_time() < self._until:
            if len(self._made) >= MOST_KEPT:
                self._made.clear()
            self._made[kind, source] = content
        return content

    @pass_context
    def markdown2html(self, context: Any, source: str) -> str:
        return self._text(source, context.get("cell"))

    def _text(self, source: str, cell: NotebookNode | None) -> str:
        by_student = cell is not None and is_by_student(cell)

        def ready() -> str:
            clean = self._in_time(clean_html, source, by_student)
            return EMPTY_HEADER.sub("<td></td>", with_formulas(clean, self._until))

        if len(source or "") <= LONGEST_TEXT and time.process_time() <= self._until:
            with suppress(Exception):
                content = self._kept(source or "", "answer" if by_student else "text", ready)
                return with_pictures(content, (cell or {}).get("attachments"))
        return f"<pre>{html.escape(source or '')}</pre>"


def verdict_html(text: str) -> str:
    """Return a check's text as HTML, every character of it escaped: criteria as a list, code as code."""
    made = []
    for kind, lines in groupby(text.splitlines(), _kind):
        if kind is CRITERION:
            items = "".join(CRITERION.sub(_item, line) for line in lines)
            made.append(f"<ul>{items}</ul>")
        elif kind is INDENTED:
            made.append(f"<pre>{html.escape(chr(10).join(line[4:] for line in lines))}</pre>")
        else:
            made += [f"<p>{html.escape(line.strip())}</p>" for line in lines if line.strip()]
    return f'<div class="verdict">{"".join(made)}</div>' if made else ""


def _kind(line: str) -> re.Pattern[str] | None:
    return next((kind for kind in (CRITERION, INDENTED) if kind.fullmatch(line)), None)


def _item(match: re.Match[str]) -> str:
    kind = "all-points" if match[1] == "✓" else "no-points"
    return f'<li class="{kind}"><span class="sign">{match[1]}</span> {html.escape(match[2])}</li>'
