"""Pictures in notebooks and in students' texts, as far as a browser can bear them. It needs no torch."""

import base64
import html
import io
import re
import unicodedata
import warnings
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import quote, unquote

from PIL import Image

MOST_PIXELS = 50_000_000  # of one picture; a browser takes four bytes for each, however small the file is
# Kinds of pictures, the mark of a part that costs a browser time (scans, frames), and the most of them in a picture.
KINDS = {
    "image/png": (b"fcTL", 300),
    "image/jpeg": (b"\xff\xda", 100),
    "image/gif": (b"\x21\xf9\x04", 300),
    "image/webp": (b"ANMF", 300),
}

# The limits of the pictures pasted into a notebook: all are in the graded notebook and on the feedback page.
MOST_PASTED = 4 << 20  # characters of base64
MOST_NUMBER = 50
REASON = "text/plain"  # the form of a picture that is not shown: the reason
TOO_LARGE = (
    f"is too large: {MOST_NUMBER} pictures of {MOST_PASTED * 3 // 4 >> 20} MB together are shown; "
    "it is in the file that was handed in"
)
NO_PICTURE = f"is no picture that can be shown: expected PNG, JPEG, GIF or WebP of {MOST_PIXELS // 10**6} megapixels"


def is_picture(mime: str, encoded: str) -> bool:
    """Return whether base64 is a picture of this kind, of a size that a browser can bear."""
    if mime not in KINDS:
        return False
    (mark, most), kind = KINDS[mime], mime.removeprefix("image/").upper()
    try:
        content = base64.b64decode(encoded, validate=True)
        with warnings.catch_warnings(action="ignore"), Image.open(io.BytesIO(content), formats=[kind]) as opened:
            wide, high = opened.size
            opened.verify()
    except Exception:  # Pillow raises what its reader of the kind raises
        return False
    return wide * high <= MOST_PIXELS and content.count(mark) <= most


def name_key(name: str) -> str:
    """Return one form of a picture's name for all spellings: editors write spaces and letters in their own ways."""
    return unicodedata.normalize("NFC", unquote(html.unescape(name)))


def keep_pasted(cells: Iterable[Any], first: Callable[[Any], bool], longest: int) -> None:
    """Keep the pictures that text cells show, or the reasons why not, within the limits of one notebook.

    The cells chosen by `first` come first; texts above `longest` are not rendered as Markdown, and show none.
    """
    left, number = MOST_PASTED, MOST_NUMBER
    for cell in sorted(cells, key=lambda cell: not first(cell)):
        given, kept = cell.pop("attachments", None) or {}, {}
        text = given and cell.cell_type == "markdown" and len(cell.source) <= longest
        source = name_key(cell.source) if text else ""
        for name, forms in given.items():
            if f"attachment:{name_key(name)}" in source:
                kept[name] = _judged(forms, left if number else 0)
                size = sum(len(content) for mime, content in kept[name].items() if mime != REASON)
                left, number = left - size, number - bool(size)
        if kept:
            cell.attachments = kept


def _judged(forms: dict[str, str], left: int) -> dict[str, str]:
    """Return a picture in the one form in which it can be read, or the reason why it is not shown."""
    mime, content = next(iter(forms.items()), ("", ""))
    content = "".join(content.split())
    if mime == REASON or (len(content) > left and mime in KINDS):
        return {REASON: TOO_LARGE}
    return {mime: content} if is_picture(mime, content) else {REASON: NO_PICTURE}


# Editors also write a pasted picture as a tag, with its width, and with NAME in pointed brackets.
_TAG = re.compile(
    r"<img\b[^<>]*?\bsrc\s*=\s*(?:\"(attachment:[^\"<>]*)\"|'(attachment:[^'<>]*)'|(attachment:[^\s\"'<>]+))[^<>]*>",
    re.I,
)
_POINTED = re.compile(r"(?<=\()\s*<(attachment:[^<>\n]*)>")


def as_markdown(source: str) -> str:
    """Return a text with each pasted picture as ![](NAME), and without its other brackets."""
    source = _TAG.sub(lambda tag: f"![]({_as_url(tag[1] or tag[2] or tag[3])})", source)
    return _POINTED.sub(lambda name: _as_url(name[1]), source)


def _as_url(name: str) -> str:
    return re.sub(r"[\s()]", lambda sign: quote(sign[0]), name)
