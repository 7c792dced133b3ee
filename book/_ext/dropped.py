"""Pages say nothing of a chapter that is left out: links to it are plain text, lists and tables lose its lines.

So anyone who drops chapters, by course.toml or in `_toc.yml`, has no sentence to change. What goes: in a list, an item
that begins with a link to the chapter; in a table, a row that begins with its name as code, behind a week's
number or not, and the rows of a bold name whose row links it; a section that is explained in it or bears its name.
"""

import re
from pathlib import Path

from sphinx.application import Sphinx

from book.contents import all_chapters, name_of

LINK = re.compile(r"\[(?P<text>[^\[\]]*)\]\((?P<page>[\w./-]+\.md)(?:#[\w-]*)?\)")
TITLE = re.compile(r"^#\s+(.+?)\s*$", re.MULTILINE)
ROW = re.compile(r"^\| (?:\*\*(?P<bold>[^*|]+)\*\* \|.*|.*)\n", re.MULTILINE)


def title(page: Path) -> str:
    """Return a chapter's first heading, else its name."""
    heading = TITLE.search(page.read_text(encoding="utf8"))
    return heading[1] if heading else name_of(page)


def without_links(text: str, folder: Path, built: set[str]) -> str:
    """Return a page's source in which only pages that are built are linked; what is nowhere stays an error."""

    def plain(link: re.Match[str]) -> str:
        page = (folder / link["page"]).resolve()
        is_dropped = page.is_file() and name_of(page) not in built
        return (link["text"] or title(page)) if is_dropped else link[0]

    return LINK.sub(plain, text)


def without_lines(text: str, names: set[str]) -> str:
    """Return a page's source without the list items, table rows and sections that are about chapters of these names."""
    if not names:
        return text
    name = "|".join(sorted(names))
    text = re.sub(rf"^1\. \[\]\((?:{name})/lesson\.md\).*\n(?: +.*\n)*", "", text, flags=re.MULTILINE)
    text = re.sub(rf"^\| (?:(?:or )?\d+ \| )?`(?:{name})` \|.*\n", "", text, flags=re.MULTILINE)
    explained = rf"^## [^\n]*\n\nExplained in \[\]\([./]*(?:{name})/lesson\.md\)\.\n.*?(?=^## |\Z)"
    text = re.sub(rf"{explained}|^### `(?:{name})`\n.*?(?=^##|\Z)", "", text, flags=re.MULTILINE | re.DOTALL)
    rows = list(ROW.finditer(text))
    gone = {row["bold"] for row in rows if row["bold"] and re.search(rf"\]\([./]*(?:{name})/lesson\.md\)", row[0])}
    return ROW.sub(lambda row: "" if row["bold"] in gone else row[0], text)


def dropped(app: Sphinx) -> set[str]:
    """Return the names of the chapters that are not in this book: pages with a notebook that are not built."""
    return set(all_chapters(Path(app.srcdir).parent)) - set(app.env.found_docs)


def read(app: Sphinx, docname: str, source: list[str]) -> None:
    folder, built = Path(app.env.doc2path(docname)).parent, set(app.env.found_docs)
    source[0] = without_links(without_lines(source[0], dropped(app)), folder, built)


def include(app: Sphinx, path: Path, docname: str, source: list[str]) -> None:
    source[0] = without_lines(source[0], dropped(app))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", read)
    app.connect("include-read", include)
    return {"parallel_read_safe": True}
