"""Drawings are SVG inside the page, so that they take the page's colours in light and dark; each says what it shows."""

import json
import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

TOLD = re.compile(r'<svg[^>]*role="img"[^>]*>\s*<title[^>]*>[^<]{10,}</title>\s*<desc[^>]*>[^<]{40,}</desc>')

TITLE = re.compile(r"<title.*?</desc>", re.DOTALL)
ROLE = re.compile(r' (?:role|aria-labelledby)="[^"]*"')


class Drawing(SphinxDirective):
    """`{drawing} NAME` puts a chapter's drawings/NAME.svg on the page, with the content as its caption.

    With the states of drawings/NAME.json, book/_static/touch.js lets readers touch it; the caption's second paragraph
    is of the drawing as it stands, and hides when a state is chosen.
    """

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict] = {"name": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        places = sorted(Path(self.env.srcdir).glob(f"*/drawings/{name}.svg"))
        relative, absolute = self.env.relfn2path(f"/{places[0].relative_to(self.env.srcdir)}" if places else name)
        self.env.note_dependency(relative)
        if not Path(absolute).is_file():
            raise self.error(f"no drawing {relative}")
        drawing = Path(absolute).read_text(encoding="utf8")
        if not TOLD.search(drawing):
            raise self.error(f'{relative}: expected role="img", then <title> and <desc> that say what it shows')
        if Path(absolute).with_suffix(".json").is_file():
            self.env.note_dependency(str(Path(relative).with_suffix(".json")))
        figure = nodes.figure("", nodes.raw("", with_states(Path(absolute)), format="html"))
        figure["classes"].append("drawn")
        self.add_name(figure)
        if self.content:
            caption = nodes.caption()
            parsed = nodes.Element()
            self.state.nested_parse(self.content, self.content_offset, parsed)
            paragraphs = list(parsed.findall(nodes.paragraph))
            if not paragraphs:
                raise self.error(f"{relative}: expected a caption that begins with a sentence")
            always, *at_rest = paragraphs
            caption += always.children
            for paragraph in at_rest:
                caption += nodes.inline("", " ", *paragraph.children, classes=["at-rest"])
            figure += caption
        return [figure]


def card(
    role: str, rawtext: str, text: str, lineno: int, inliner: Any, options: object = None, content: Sequence[str] = ()
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """{card}`NAME` puts a chapter's small picture into a line; a screen reader passes it by. Without one: nothing."""
    env = inliner.document.settings.env
    file = Path(env.srcdir) / text / "drawings" / f"{text}_card.svg"
    env.note_dependency(str(file.relative_to(env.srcdir)))
    if not file.is_file():
        return [], []
    picture = TITLE.sub("", file.read_text(encoding="utf8")).replace("<svg ", '<svg aria-hidden="true" ', 1)
    picture = ROLE.sub("", picture).replace("\n", "")
    return [nodes.raw("", f'<span class="drawing picture">{picture}</span>', format="html")], []


def with_states(file: Path) -> str:
    """Return a drawing as a page has it: as wide as it says, and around it what readers may choose, of NAME.json."""
    drawing = file.read_text(encoding="utf8")
    width = re.search(r'viewBox="\S+ \S+ (\S+)', drawing)[1]  # type: ignore[index]
    sized = drawing.replace("<svg ", f'<svg style="--w: {width}" ', 1)
    drawing = f'<div class="drawing">{sized}</div>'
    states = file.with_suffix(".json")
    if not states.is_file():
        return drawing
    compact = json.dumps(json.loads(states.read_text(encoding="utf8")), ensure_ascii=False)
    data = f'style="--w: {width}" data-states="{escape(compact)}"'
    return f'<div class="touch" {data}><div class="chooser"></div>{drawing}</div>'


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("drawing", Drawing)
    app.add_role("card", card)
    return {"parallel_read_safe": True}
