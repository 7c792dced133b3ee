"""Formgrader's page of a submission: it loads nothing from elsewhere, and runs nothing that a student wrote."""

import html
import json
import re
from pathlib import Path
from typing import Any

from jinja2 import BaseLoader, FileSystemLoader
from nbconvert.exporters import TemplateExporter
from nbformat import NotebookNode
from traitlets import default

from autograder.assignment import bonus, grade_id
from autograder.gradebook.pages.html import Page
from autograder.gradebook.store.rows import show_bonus

ICONS = re.compile(r"@font-face\s*\{[^{}]*\}")  # Bootstrap's, whose files are not part of the page
PAGE = Path(__file__).with_name("formgrader_page")


class Sheet(Page):
    """The exporter behind formgrader's page, instead of nbconvert's own."""

    @default("extra_loaders")
    def _own_templates(self) -> list[BaseLoader]:
        return [FileSystemLoader(PAGE)]

    def finished(self, page: str) -> str:
        """Return the page without links to missing files."""
        return super().finished(ICONS.sub("", page))

    def from_notebook_node(
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **kwargs: Any
    ) -> tuple[str, dict[str, Any]]:
        """Return the page with rubrics, on which a score may be as high as the bonus."""
        show_bonus(nb.cells)
        # HTMLExporter's own would parse each page again, to do the work of `finished`.
        page, resources = TemplateExporter.from_notebook_node(self, nb, resources, **kwargs)
        scripts = f"<script>\n{(PAGE / 'marking.js').read_text('utf-8')}</script>\n"
        # Formgrader takes no score above the gradebook's maximum, which is 0 for a bonus: "full credit" would take it.
        if points := {grade_id(cell): bonus(cell) for cell in nb.cells if bonus(cell)}:
            scripts = (PAGE / "bonus.html").read_text("utf-8").replace("MOST", json.dumps(points)) + scripts
        above, end, below = self.finished(page).rpartition("</body>")
        return f"{above}{scripts}{end}{below}", resources

    def from_filename(
        self, filename: str, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[str, dict[str, Any]]:
        """Return the page; nbgrader's template would take a student's name for HTML."""
        escaped = {
            name: html.escape(value) if isinstance(value, str) else value for name, value in (resources or {}).items()
        }
        return super().from_filename(filename, escaped, **kw)
