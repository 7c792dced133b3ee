"""The first mention of a term on a page that does not treat it leads to its entry in the glossary, one a paragraph.

The link looks like the text around it, with dots below; book/_static/preview.js shows what the entry says.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from docutils import nodes
from indexed import GLOSSARY, SECTION, entries
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from book.contents import all_chapters, chapter_of, name_of, tools

PLAIN = {"attention", "corpus", "epoch", "head", "token"}  # what every reader knows, or what has another sense, too


def abroad(page: str, glossary: Path) -> dict[str, str]:
    """Return the terms that no section of a page treats, in lower case, each with its entry's first term."""
    by_word = {}
    for terms, text in entries(glossary.read_text(encoding="utf8")):
        homes = {name_of((glossary.parent / home).resolve()) for home, _ in SECTION.findall(text)}
        if page not in {*homes, *(chapter_of(home) for home in homes)}:
            by_word |= {term.lower(): term for term in terms if term.lower() not in PLAIN}
    return by_word


def is_read_in_order(page: str) -> bool:
    """Return whether a page is a chapter's or one of the tools: elsewhere words have their everyday sense."""
    return chapter_of(page) in all_chapters() or any(page in tools(name) for name in all_chapters())


class Terms(SphinxPostTransform):
    """Puts the links into the running text."""

    default_priority = 5  # before references are resolved: what is pending is none of the text

    def run(self, **kwargs: object) -> None:
        page, glossary = self.env.docname, Path(self.env.doc2path(GLOSSARY))
        objects = self.env.get_domain("std").objects  # pyright: ignore[reportAttributeAccessIssue]
        if not is_read_in_order(page) or not glossary.is_file() or self.app.builder.name != "html":
            return
        wanted = {
            term: objects["term", own][1] for term, own in abroad(page, glossary).items() if ("term", own) in objects
        }
        pattern = pattern_of(wanted)
        for paragraph in list(self.document.findall(nodes.paragraph)):
            if wanted and isinstance(paragraph.parent, nodes.section) and self.link_first(paragraph, wanted, pattern):
                pattern = pattern_of(wanted)

    def link_first(self, paragraph: nodes.paragraph, wanted: dict[str, str], pattern: re.Pattern) -> bool:
        """Link the first term of a paragraph that the page has not linked yet, and cross it off; return whether."""
        for text in running(paragraph):
            if not (match := pattern.search(text)):
                continue
            term = wanted.pop(match[1].lower())
            link = nodes.reference(
                "", match[0], refuri=self.app.builder.get_relative_uri(self.env.docname, GLOSSARY) + f"#{term}",
                internal=True, classes=["term"],
            )  # fmt: skip
            place = next(at for at, each in enumerate(text.parent.children) if each is text)
            parts = [nodes.Text(text[: match.start()]), link, nodes.Text(text[match.end() :])]
            text.parent[place : place + 1] = [part for part in parts if part.astext()]
            return True
        return False


def pattern_of(terms: Iterable[str]) -> re.Pattern:
    """Return the pattern of these terms, also in the plural; the longest counts where several begin in one place."""
    longest = sorted(map(re.escape, terms), key=len, reverse=True)
    return re.compile(rf"\b({'|'.join(longest)})(?:s\b|\b)", re.IGNORECASE)


def running(paragraph: nodes.paragraph) -> Iterator[nodes.Text]:
    """Yield the texts of a paragraph that stand in no link, no name and nothing that is emphasised."""
    yield from (child for child in list(paragraph.children) if isinstance(child, nodes.Text))


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_post_transform(Terms)
    return {"parallel_read_safe": True}
