"""A text cell as harmless HTML: tags that do nothing, and pictures that lie in the cell itself."""

import html
import json
import re
from typing import Any

import bleach
from mistune.util import striptags
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from autograder.judge.pictures import REASON, is_picture, name_key

HARMLESS = (
    "a abbr b blockquote br code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark "
    "ol p pre s samp small span strong sub summary sup table tbody td tfoot th thead tr tt u ul"
)
TAGS = frozenset(HARMLESS.split())
ATTRIBUTES = {"a": {"href"}, "img": {"alt", "src"}, "td": {"align"}, "th": {"align"}}
PICTURE_INSIDE = re.compile(r"data:(?P<mime>image/(?:png|jpeg));base64,(?P<content>[A-Za-z0-9+/=\s]*)")
# Stands for a picture until the text is rendered and cleaned, which megabytes would slow down: its key, in hex.
PLACE = re.compile(r"place:[0-9a-f]+")
PLACES = re.compile(r'<img src="place:([0-9a-f]+)">')
NOT_HERE = "is not in the notebook that was handed in; paste a picture into the text cell"
LONGEST_NAME = 200  # characters of a picture's name that are shown


def _is_allowed(tag: str, name: str, value: str) -> bool:
    """Return whether an attribute may stay: a link waits for a click, a picture must lie in the page itself."""
    if name == "src":
        inside = PICTURE_INSIDE.fullmatch(value)
        return tag == "img" and (
            PLACE.fullmatch(value) is not None
            or (inside is not None and is_picture(inside["mime"], "".join(inside["content"].split())))
        )
    if name == "href" and value.lstrip().lower().startswith("data:"):
        return False
    return name in {"class", "id", "title"} or name in ATTRIBUTES.get(tag, ())


PROTOCOLS = frozenset({"http", "https", "mailto", "data", "place"})
_CLEANER = bleach.Cleaner(tags=TAGS, attributes=_is_allowed, protocols=PROTOCOLS)


class _Renderer(IPythonRenderer):
    """nbconvert's renderer, which raises where a picture is missing; here each picture becomes a place for it."""

    def image(self, text: str, url: str, title: str | None = None) -> str:
        if url.startswith("data:"):
            return super().image(text, url, title)
        source = [html.unescape(striptags(text)), html.unescape(url)]
        return f'<img src="place:{json.dumps(source).encode().hex()}">'

    def block_mermaidjs(self, code: str) -> str:
        return self.block_code(code)  # nbconvert's own leaves the tags in it


def clean_html(source: str, escape: bool = False) -> str:
    """Return markdown as harmless HTML, with places for its pictures; with `escape`, tags are shown as they stand.

    A student's tags could imitate the page's own words: even harmless ones are not allowed.
    """
    return _CLEANER.clean(MarkdownWithMath(renderer=_Renderer(escape=escape)).render(source))


def with_pictures(page: str, attachments: Any) -> str:
    """Return clean HTML with its pictures in their places: each once, and the reason where one cannot be shown."""
    given = attachments if isinstance(attachments, dict) else {}
    by_key = {name_key(name): forms for name, forms in given.items()} | given
    seen: set[str] = set()

    def put(place: re.Match) -> str:
        text, url = json.loads(bytes.fromhex(place[1]))
        scheme, _, name = url.partition(":")
        key = name if name in by_key else name_key(name)
        if scheme != "attachment" or key not in by_key:
            return _note(name if scheme == "attachment" else url, NOT_HERE)
        if key in seen:
            return _note(name, "is shown above")
        seen.add(key)
        return _shown(text or name, name, by_key[key])

    return PLACES.sub(put, page)


def _shown(text: str, name: str, forms: Any) -> str:
    mime, content = next(iter(forms.items()), ("", "")) if isinstance(forms, dict) else ("", "")
    if is_picture(mime, content):
        return f'<img src="data:{mime};base64,{content}" alt="{html.escape(text)}">'
    return _note(name, content if mime == REASON else "cannot be shown")


def _note(name: str, why: str) -> str:
    label = name_key(name)
    label = label if len(label) <= LONGEST_NAME else f"{label[:LONGEST_NAME]}…"
    return f"<em>[The picture “{html.escape(label)}” {html.escape(why)}.]</em>"
