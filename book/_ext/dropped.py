"""A link to a chapter that is not in `_toc.yml` is plain text: whoever drops chapters has no sentence to change."""

import re
from pathlib import Path

from sphinx.application import Sphinx

LINK = re.compile(r"\[(?P<text>[^\[\]]*)\]\((?P<name>[\w-]+)\.md(?:#[\w-]*)?\)")
TITLE = re.compile(r"^#\s+(.+?)\s*$", re.MULTILINE)


def title(page: Path) -> str:
    """Return a chapter's first heading, else its name."""
    heading = TITLE.search(page.read_text(encoding="utf8"))
    return heading[1] if heading else page.stem


def without_links(text: str, folder: Path, built: set[str]) -> str:
    """Return a page's source in which only pages that are built are linked; what is nowhere stays an error."""

    def plain(link: re.Match[str]) -> str:
        page = folder / f"{link['name']}.md"
        is_dropped = link["name"] not in built and page.is_file()
        return (link["text"] or title(page)) if is_dropped else link[0]

    return LINK.sub(plain, text)


def read(app: Sphinx, docname: str, source: list[str]) -> None:
    source[0] = without_links(source[0], Path(app.srcdir), set(app.env.found_docs))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", read)
    return {"parallel_read_safe": True}
