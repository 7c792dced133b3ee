"""Each page says in its head what it is about: for search engines, and for the card that a shared link becomes."""

import re
from html import escape, unescape

from docutils import nodes
from sphinx.application import Sphinx

LONGEST = 200  # characters of a description
OPENING = "opening"  # the class of what holds the cover's first paragraph, and its buttons beside it
CARD = "_static/card.png"  # the cover, 1200 by 630 pixels


def description(doctree: nodes.document) -> str:
    """Return the first sentences of a page's running text, as many as fit, the first in any case."""
    for paragraph in doctree.findall(nodes.paragraph):
        if isinstance(paragraph.parent, nodes.section) or OPENING in paragraph.parent["classes"]:
            sentences = " ".join(paragraph.astext().split()).split(". ")
            text = sentences[0]
            for sentence in sentences[1:]:
                if len(text) + len(sentence) + 2 > LONGEST:
                    break
                text += f". {sentence}"
            return text.rstrip(".:") + "."
    return ""


def described(app: Sphinx, name: str, template: str, context: dict, doctree: nodes.document | None) -> None:
    """Add the description to the head of a page, and the card where the site's address is known (html_baseurl)."""
    if app.builder.name != "html" or doctree is None or not (text := description(doctree)):
        return
    title = unescape(re.sub(r"<[^>]+>", "", context.get("title", ""))).strip()  # it has the section's number as HTML
    properties = {"og:type": "article", "og:title": title, "og:description": text}
    properties["og:site_name"] = app.config.project
    if address := app.config.html_baseurl.rstrip("/"):
        properties |= {"og:url": f"{address}/{name}.html", "og:image": f"{address}/{CARD}"}
    tags = [f'<meta name="description" content="{escape(text)}"/>']
    tags += [f'<meta property="{key}" content="{escape(value)}"/>' for key, value in properties.items()]
    context["metatags"] = context.get("metatags", "") + "".join(tags)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", described)
    return {"parallel_read_safe": True}
