"""The way through the book goes from lesson to lesson; what else a chapter has is linked small at the lesson's end.

The theme's *previous* and *next* go in the order of the contents, in which a chapter's further pages, its program and
its evidence lie between two lessons. Here a lesson's are the lessons before and after it, and a page below a lesson
leads back to it. At its end a lesson has a large link to the next one and small ones to its own pages.
"""

import re
from html import escape, unescape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from book.contents import EVIDENCE, PROGRAM, all_chapters, chapter_of, chapters, further

NOTEBOOK = re.compile(r'href="(_downloads/[^"]+\.ipynb)"')


def title(app: Sphinx, name: str) -> str:
    return app.env.titles[name].astext()


def beside(app: Sphinx, name: str, body: str) -> list[tuple[str, str]]:
    """Return the addresses and words of what a chapter has beside its lesson."""
    pages = {page: title(app, page) for page in further(name)}
    pages |= {name + PROGRAM: "The whole program", name + EVIDENCE: "The evidence"}
    links = [(f"{page}.html", words) for page, words in pages.items() if page in app.env.found_docs]
    notebook = NOTEBOOK.search(body)
    return [*links, (notebook[1] if notebook else "#exercises", "The notebook")]


def end_of_lesson(app: Sphinx, name: str, body: str) -> str:
    """Return the end of a lesson: the next one with its question, and links to the chapter's other pages."""
    order = chapters()
    after = order[order.index(name) + 1 :][:1]
    large = "".join(
        f'<a class="next-lesson" href="{each}.html"><span>Next lesson</span> <b>{escape(title(app, each))}</b> '
        f"<span>{escape(all_chapters()[each]['question'])}</span></a>"
        for each in after
    )
    small = "".join(f'<li><a href="{href}">{escape(words)}</a></li>' for href, words in beside(app, name, body))
    return f'<nav class="onward" aria-label="After this lesson">{large}<ul>{small}</ul></nav>'


def onward(app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Lead the page's links to the lessons before and after it, and add the end of a lesson."""
    order, chapter = chapters(), chapter_of(name)
    if app.builder.name != "html" or doctree is None or chapter not in order:
        return
    place = order.index(chapter)
    if name == chapter:
        ways = {"prev": order[place - 1] if place else "start", "next": "".join(order[place + 1 : place + 2])}
        context["body"] += end_of_lesson(app, name, unescape(context["body"]))
    else:
        is_on_the_way = name in further(chapter)
        ways = {"prev": chapter, "next": "".join(order[place + 1 : place + 2]) if is_on_the_way else ""}
    for way, to in ways.items():
        context[way] = {"link": f"{to}.html", "title": escape(title(app, to))} if to else None


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", onward)
    return {"parallel_read_safe": True}
