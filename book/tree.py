"""A built page as a tree of elements, by the standard library's parser: what book/slides.py takes its pieces from."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
RAW = {"script", "style"}  # their text is not escaped


@dataclass
class Element:
    """An element of a page: `children` are elements and texts, in their order."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list["Element | str"] = field(default_factory=list)

    @property
    def classes(self) -> set[str]:
        return set(self.attributes.get("class", "").split())

    @property
    def elements(self) -> list["Element"]:
        return [child for child in self.children if isinstance(child, Element)]

    @property
    def text(self) -> str:
        """The text within, with single blanks; a formula counts once, by its source."""
        return re.sub(r"\s+", " ", "".join(self._texts())).strip()

    def _texts(self) -> Iterator[str]:
        if "katex-html" in self.classes or self.name == "mrow":
            return
        for child in self.children:
            yield from [child] if isinstance(child, str) else child._texts()

    @property
    def inner_text(self) -> str:
        """The text within as it stands, blanks and line ends too: code."""
        return "".join(child if isinstance(child, str) else child.inner_text for child in self.children)

    def walk(self) -> Iterator["Element"]:
        """Yield this element and all within, in the page's order."""
        yield self
        for child in self.elements:
            yield from child.walk()

    def find(self, name: str = "", kind: str = "") -> list["Element"]:
        """Return the elements within (this one, too) of a name and a class; an empty string stands for any."""
        return [each for each in self.walk() if name in ("", each.name) and (not kind or kind in each.classes)]

    def html(self) -> str:
        """Return the element as HTML."""
        # Without a value for an empty string: <details open>, <input checked>.
        pairs = "".join(f' {key}="{escape(value)}"' if value else f" {key}" for key, value in self.attributes.items())
        if self.name in VOID:
            return f"<{self.name}{pairs}>"
        return f"<{self.name}{pairs}>{self.inner()}</{self.name}>"

    def inner(self) -> str:
        """Return what is within the element as HTML."""
        keep = str if self.name in RAW else lambda text: escape(text, quote=False)
        return "".join(keep(child) if isinstance(child, str) else child.html() for child in self.children)

    def mapped(self, change: Callable[["Element"], "list[Element | str]"]) -> list["Element | str"]:
        """Return what `change` makes of a copy of this element whose children have been changed before it."""
        children: list[Element | str] = []
        for child in self.children:
            children += [child] if isinstance(child, str) else child.mapped(change)
        return change(Element(self.name, dict(self.attributes), children))


class _Reader(HTMLParser):
    """Builds the tree. Comments are dropped, and so is what closes nothing; what is not closed ends with its parent."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Element("page")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = Element(tag, {key: value or "" for key, value in attrs})
        self.open[-1].children.append(made)
        if tag not in VOID:
            self.open.append(made)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:  # <path/> of a drawing
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        names = [element.name for element in self.open]
        if tag in names[1:]:
            del self.open[len(names) - 1 - names[::-1].index(tag) :]

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def parsed(html: str) -> Element:
    """Return an element "page" that holds what the HTML holds."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.open[0]
