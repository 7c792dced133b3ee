"""The glossary makes the index: each section that an entry of glossary.md links to is indexed under the entry's terms.

Sphinx's search reads the same index. So a term leads to the section that treats it, also where the section's own words
are others: a search for "KV cache" finds the section on the decoding loop. The glossary itself is cut into letters.
"""

import re
from itertools import groupby
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from book.contents import name_of

GLOSSARY = "glossary"
BLOCK = re.compile(r"^```\{glossary\}\n(.*?)^```", re.MULTILINE | re.DOTALL)
ENTRY = re.compile(r"^((?:[^\s:].*\n)+)((?:[ \t]+\S.*(?:\n|\Z))+)", re.MULTILINE)
SECTION = re.compile(r"\]\(([\w./-]+\.md)#([\w-]+)\)")


def entries(glossary: str) -> list[tuple[list[str], str]]:
    """Return the entries of the glossary's source: the terms of each, and its definition."""
    blocks = "".join(BLOCK.findall(glossary))
    return [(terms.splitlines(), definition.strip()) for terms, definition in ENTRY.findall(blocks)]


class Indexed(SphinxTransform):
    """Puts the index entries before the sections of a page, so that Sphinx collects them with the page's own."""

    default_priority = 840  # Sphinx collects the entries of a page at 850

    def apply(self) -> None:
        glossary = Path(self.env.doc2path(GLOSSARY))
        if not glossary.is_file() or self.env.docname == GLOSSARY:
            return
        self.env.note_dependency(str(glossary))  # a page is read again when a term leads to it that did not before
        every = [
            (terms, [(name_of(Path(page).absolute()), slug) for page, slug in SECTION.findall(text)])
            for terms, text in entries(glossary.read_text(encoding="utf8"))
        ]
        for section in list(self.document.findall(nodes.section)):
            here = self.env.docname, section.get("slug", "")
            of_section = [term for terms, targets in every if here in targets for term in terms]
            title = section.next_node(nodes.title).astext()
            # "main": the search shows these before what only mentions the words.
            indexed = [("single", f"{term}; {title}", section["ids"][0], "main", None) for term in of_section]
            if indexed:
                section.insert(1, addnodes.index(entries=indexed))


class Letters(SphinxTransform):
    """Cuts the glossary where a letter begins, and puts a line with all letters before it."""

    default_priority = 845

    def apply(self) -> None:
        for listed in list(self.document.findall(nodes.definition_list)):
            if self.env.docname != GLOSSARY or "glossary" not in listed["classes"]:
                continue
            parts: list[nodes.Node] = []
            letters = []
            for letter, items in groupby(listed.children, lambda item: item.astext()[0].upper()):
                name = f"letter-{letter.lower()}"
                letters.append(f'<a href="#{name}">{letter}</a>')
                part = nodes.definition_list("", *(item.deepcopy() for item in items), classes=listed["classes"])
                parts += [nodes.raw("", f'<p class="letter" id="{name}">{letter}</p>', format="html"), part]
            line = f'<nav class="letters" aria-label="Letters">{"".join(letters)}</nav>'
            listed.replace_self([nodes.raw("", line, format="html"), *parts])


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_transform(Indexed)
    app.add_transform(Letters)
    return {"parallel_read_safe": True}
