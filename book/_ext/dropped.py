"""Pages say nothing of a chapter that is left out: links to it are plain text, lists and tables lose its lines.

So anyone who drops chapters, by course.toml or in `_toc.yml`, has no sentence to change. What goes: in a list, an item
that begins with a link to the chapter; in a table, a row that begins with such a link or with its name as code, behind
a week's number or not, and the rows of a bold name whose row links it; a section that is explained in it or is called
by its name or number.

Nor does a page hold a chapter's number: {chapters}`luong, transformer` becomes "chapters" and their numbers, of those
that are in this book, and {Chapters}`…` the same at the beginning of a sentence.
"""

import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from book.contents import all_chapters, chapters, name_of

LINK = re.compile(r"\[(?P<text>[^\[\]]*)\]\((?P<page>[\w./-]+\.md)(?:#[\w-]*)?\)")
NUMBERS = re.compile(r"\{(?P<word>[Cc]hapter)s\}`(?P<names>[^`]+)`")
TITLE = re.compile(r"^#\s+(.+?)\s*$", re.MULTILINE)
ROW = re.compile(r"^\| (?:\*\*(?P<bold>[^*|]+)\*\* \|.*|.*)\n", re.MULTILINE)


def title(page: Path) -> str:
    """Return a chapter's first heading, else its name."""
    heading = TITLE.search(page.read_text(encoding="utf8"))
    return heading[1] if heading else name_of(page)


def with_numbers(text: str, order: list[str], titles: dict[str, str]) -> str:
    """Return a page's source with the numbers of the chapters that it names; where none is in this book, their titles.

    Raise ExtensionError for a name that no chapter has.
    """

    def numbers(named: re.Match[str]) -> str:
        names = [name.strip() for name in named["names"].split(",")]
        if unknown := [name for name in names if name not in titles]:
            raise ExtensionError(f"{named[0]}: no chapter is called {unknown[0]}")
        kept_numbers = [str(order.index(name) + 1) for name in names if name in order]
        if not kept_numbers:
            return _listed([f"“{titles[name]}”" for name in names])
        return f"{named['word']}{'s' if len(kept_numbers) > 1 else ''} {_listed(kept_numbers)}"

    return NUMBERS.sub(numbers, text)


def _titles() -> dict[str, str]:
    return {name: chapter["title"] for name, chapter in all_chapters().items()}


def _listed(words: list[str]) -> str:
    """Return words as a list in a sentence: "1, 2 and 3"."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


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
    text = re.sub(rf"^1\. \[\]\([./]*(?:{name})/lesson\.md\).*\n(?:\n* +.*\n)*", "", text, flags=re.MULTILINE)
    called = rf"`(?:{name})`|\[[^\[\]]*\]\([\w./]*\b(?:{name})/lesson\.md\)"
    text = re.sub(rf"^\| (?:(?:or )?\d+ \| )?(?:{called}) \|.*\n", "", text, flags=re.MULTILINE)
    explained = rf"^## [^\n]*\n\nExplained in \[\]\([./]*(?:{name})/lesson\.md\)\.\n.*?(?=^## |\Z)"
    own = rf"^###? (?:\{{Chapters\}})?`(?:{name})`.*?(?=^##|\Z)"
    text = re.sub(f"{explained}|{own}", "", text, flags=re.MULTILINE | re.DOTALL)
    rows = list(ROW.finditer(text))
    gone = {row["bold"] for row in rows if row["bold"] and re.search(rf"\]\([./]*(?:{name})/lesson\.md\)", row[0])}
    return ROW.sub(lambda row: "" if row["bold"] in gone else row[0], text)


def dropped(app: Sphinx) -> set[str]:
    """Return the names of the chapters that are not in this book: pages with a notebook that are not built."""
    return set(all_chapters(Path(app.srcdir).parent)) - set(app.env.found_docs)


def read(app: Sphinx, docname: str, source: list[str]) -> None:
    folder, built = Path(app.env.doc2path(docname)).parent, set(app.env.found_docs)
    text = with_numbers(without_lines(source[0], dropped(app)), chapters(), _titles())
    source[0] = without_links(text, folder, built)


def include(app: Sphinx, path: Path, docname: str, source: list[str]) -> None:
    source[0] = with_numbers(without_lines(source[0], dropped(app)), chapters(), _titles())


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", read)
    app.connect("include-read", include)
    return {"parallel_read_safe": True}
