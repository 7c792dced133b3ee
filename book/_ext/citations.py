"""A citation says what it cites: the first of a section in the margin, the others where one points at them."""

from html import escape

from docutils import nodes
from pybtex.database import Entry
from sphinx.application import Sphinx

PLAIN = {ord("{"): "", ord("}"): ""}  # BibTeX's braces, which keep letters as they are
MOST_NAMES = 3  # of a work by more authors the first is named


def cited(entry: Entry) -> str:
    """Return authors, title and year of a work, in one line: "Cho et al.: Learning phrase …, 2014"."""
    names = [" ".join(person.last_names).strip("{}") for person in entry.persons.get("author", [])]
    authors = ", ".join(names) if len(names) <= MOST_NAMES else f"{names[0]} et al."
    title = entry.fields["title"].translate(PLAIN)
    return f"{authors}: {title}, {entry.fields['year']}".replace("--", "–")


def noted(app: Sphinx, doctree: nodes.document, name: str) -> None:
    """Put behind each citation of a page a note with what is cited."""
    if app.builder.name != "html":
        return
    entries = {each.citation_id: each.entry for each in app.env.get_domain("cite").citations}
    placed: set[tuple[int, str]] = set()  # section of the second level, work
    for reference in list(doctree.findall(nodes.reference)):
        work = reference.get("refuri", "").rpartition("#")[2] or reference.get("refid", "")
        if work not in entries or "reftitle" not in reference:  # what sphinxcontrib-bibtex gives its links
            continue
        place = (id(chapter_section(reference)), work)
        is_in_margin = has_margin(reference) and place not in placed
        placed |= {place} if is_in_margin else set()
        classes = "cited first" if is_in_margin else "cited"
        # Not read aloud: the link leads to the whole entry, and a note amid a sentence would break it.
        note = f'<span class="{classes}" aria-hidden="true">{escape(cited(entries[work]))}</span>'
        reference.parent.insert(reference.parent.index(reference) + 1, nodes.raw("", note, format="html"))


def has_margin(node: nodes.Node) -> bool:
    """Return whether a node stands in the running text, and not in a list, a table or a box."""
    while isinstance(node, nodes.Inline):
        node = node.parent
    return isinstance(node, nodes.paragraph) and isinstance(node.parent, nodes.section)


def chapter_section(node: nodes.Node) -> nodes.Node:
    """Return the section right below the page's own that holds a node, or the page's own."""
    sections = []
    while node.parent is not None:
        node = node.parent
        sections += [node] if isinstance(node, nodes.section) else []
    return sections[-2] if len(sections) > 1 else sections[-1]


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-resolved", noted)
    return {"parallel_read_safe": True}
