"""Pages say nothing of a chapter that is left out: links to it are plain text, lists and tables lose its lines.

So anyone who drops chapters, by course.toml or in `_toc.yml`, has no sentence to change. What goes: in a list, an item
that begins with a link to the chapter; in a table, a row that begins with its name as code, behind a week's
number or not, and the rows of a bold name whose row links it; a section that is explained in it or bears its name.

Nor does a page hold a chapter's number: {chapters}`luong, transformer` becomes "chapters 3 and 7", of those that are in
this book, and {Chapters}`…` the same at the beginning of a sentence.
"""

import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from autograder.contents import chapters

LINK = re.compile(r"\[(?P<text>[^\[\]]*)\]\((?P<name>[\w-]+)\.md(?:#[\w-]*)?\)")
NUMBERS = re.compile(r"\{(?P<word>[Cc]hapter)s\}`(?P<names>[^`]+)`")
TITLE = re.compile(r"^#\s+(.+?)\s*$", re.MULTILINE)
ROW = re.compile(r"^\| (?:\*\*(?P<bold>[^*|]+)\*\* \|.*|.*)\n", re.MULTILINE)


def title(page: Path) -> str:
    """Return a chapter's first heading, else its name."""
    heading = TITLE.search(page.read_text(encoding="utf8"))
    return heading[1] if heading else page.stem


def with_numbers(text: str, folder: Path, order: list[str]) -> str:
    """Return a page's source with the numbers of the chapters that it names; where none is in this book, their titles.

    Raise ExtensionError for a name that is no page of the book.
    """

    def numbers(named: re.Match[str]) -> str:
        names = [name.strip() for name in named["names"].split(",")]
        if unknown := [name for name in names if not (folder / f"{name}.md").is_file()]:
            raise ExtensionError(f"{named[0]}: no page is called {unknown[0]}")
        there = [str(order.index(name) + 1) for name in names if name in order]
        if not there:
            return _listed([f"“{title(folder / f'{name}.md')}”" for name in names])
        return f"{named['word']}{'s' if len(there) > 1 else ''} {_listed(there)}"

    return NUMBERS.sub(numbers, text)


def _listed(words: list[str]) -> str:
    """Return words as a list in a sentence: "1, 2 and 3"."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


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
    folder = Path(app.srcdir)
    text = with_numbers(without_lines(source[0], dropped(app)), folder, chapters())
    source[0] = without_links(text, folder, set(app.env.found_docs))


def include(app: Sphinx, path: Path, docname: str, source: list[str]) -> None:
    source[0] = with_numbers(without_lines(source[0], dropped(app)), Path(app.srcdir), chapters())


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", read)
    app.connect("include-read", include)
    return {"parallel_read_safe": True}
