"""Pages lie in folders, and their addresses do not show it: book/NAME/lesson.md is NAME.html (book/contents.py).

Only the pages in the list of contents are read.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.project import Project

from book.contents import name_of


class Pages(Project):
    """The project, with a page's name in place of its path."""

    listed: frozenset[str] = frozenset()

    def path2doc(self, filename: str | os.PathLike[str]) -> str | None:
        """Return the name of a page, for a path from the book's folder or a whole one; None for another file."""
        name = super().path2doc(filename)
        return name and name_of(Path(f"{name}.md"))

    def discover(self, exclude_paths: Iterable[str] = (), include_paths: Iterable[str] = ("**",)) -> set[str]:
        """Find the pages that are in the list of contents."""
        super().discover(exclude_paths, include_paths)
        for name in self.docnames - self.listed:
            del self._path_to_docname[self._docname_to_path.pop(name)]
        self.docnames &= self.listed
        return self.docnames


def install(app: Sphinx) -> None:
    app.project.__class__ = Pages
    app.project.listed = frozenset(app.config.external_site_map)  # pyright: ignore[reportAttributeAccessIssue]


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", install, priority=1)
    return {"parallel_read_safe": True}
