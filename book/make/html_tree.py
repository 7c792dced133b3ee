"""A built page as a tree of Beautiful Soup's tags: what the question bank takes its pieces from, and tests read."""

import re
from collections.abc import Iterable, Iterator

from bs4 import BeautifulSoup, Comment, Tag
from bs4.formatter import EntitySubstitution, HTMLFormatter

AS_HTML = HTMLFormatter(
    EntitySubstitution.substitute_xml, void_element_close_prefix="", empty_attributes_are_booleans=True
)
Piece = Tag | str


def parsed(html: str) -> Tag:
    """Return a tag that holds what the HTML holds, without its comments."""
    page = BeautifulSoup(html, "html.parser")
    for comment in page.find_all(string=lambda text: isinstance(text, Comment)):
        comment.extract()
    return page


def tags(tag: Tag) -> list[Tag]:
    """Return the tags right within one."""
    return [child for child in tag.children if isinstance(child, Tag)]


def classes(tag: Tag) -> set[str]:
    return set(tag.get_attribute_list("class")) - {None}


def find(tag: Tag, name: str = "", kind: str = "") -> list[Tag]:
    """Return the tags within one, of a name and a class; an empty string stands for any."""
    return [each for each in tag.find_all(name or True) if not kind or kind in classes(each)]


def text(*pieces: Piece) -> str:
    """Return the text of pieces, with single blanks; a formula counts once, by its source."""
    return re.sub(r"\s+", " ", "".join(_texts(pieces))).strip()


def _texts(pieces: Iterable[object]) -> Iterator[str]:
    for piece in pieces:
        if not isinstance(piece, Tag):
            yield str(piece)
        elif "katex-html" not in classes(piece) and piece.name != "mrow":
            yield from _texts(piece.children)


def html(piece: Piece) -> str:
    """Return a piece as HTML."""
    return piece.decode(formatter=AS_HTML) if isinstance(piece, Tag) else EntitySubstitution.substitute_xml(piece)
