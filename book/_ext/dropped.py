"""Pages say nothing of a chapter that is left out: links to it are plain text, lists and tables lose its lines.

So anyone who drops chapters, by course.toml or in `_toc.yml`, has no sentence to change. What goes: in a list, an item
that begins with a link to the chapter; in a table, a row that begins with its name as code, behind a week's
number or not, and the rows of a bold name whose row links it; a section that is explained in it or bears its name.
"""

import re
from pathlib import Path

from sphinx.application import Sphinx

LINK = re.compile(r"\[(?P<text>[^\[\]]*)\]\((?P<name>[\w-]+)\.md(?:#[\w-]*)?\)")
TITLE = re.compile(r"^#\s+(.+?)\s*$", re.MULTILINE)
ROW = re.compile(r"^\| (?:\*\*(?P<bold>[^*|]+)\*\* \|.*|.*)\n", re.MULTILINE)


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


def without_lines(text: str, names: set[str]) -> str:
    """Return a page's source without the list items, table rows and sections that are about chapters of these names."""
    if not names:
        return text
    name = "|".join(sorted(names))
    text = re.sub(rf"^1\. \[\]\((?:{name})\.md\).*\n(?: +.*\n)*", "", text, flags=re.MULTILINE)
    text = re.sub(rf"^\| (?:(?:or )?\d+ \| )?`(?:{name})` \|.*\n", "", text, flags=re.MULTILINE)
    explained = rf"^## [^\n]*\n\nExplained in \[\]\((?:{name})\.md\)\.\n.*?(?=^## |\Z)"
    text = re.sub(rf"{explained}|^### `(?:{name})`\n.*?(?=^##|\Z)", "", text, flags=re.MULTILINE | re.DOTALL)
    rows = list(ROW.finditer(text))
    gone = {row["bold"] for row in rows if row["bold"] and re.search(rf"\]\((?:{name})\.md\)", row[0])}
    return ROW.sub(lambda row: "" if row["bold"] in gone else row[0], text)


def dropped(app: Sphinx) -> set[str]:
    """Return the names of the chapters that are not in this book: pages with a notebook that are not built."""
    folder, built = Path(app.srcdir), set(app.env.found_docs)
    return {page.stem for page in folder.glob("*.md")} - built & {
        notebook.stem for notebook in folder.parent.glob("exercises/*.md")
    }


def read(app: Sphinx, docname: str, source: list[str]) -> None:
    source[0] = without_links(without_lines(source[0], dropped(app)), Path(app.srcdir), set(app.env.found_docs))


def include(app: Sphinx, path: Path, docname: str, source: list[str]) -> None:
    source[0] = without_lines(source[0], dropped(app))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", read)
    app.connect("include-read", include)
    return {"parallel_read_safe": True}
