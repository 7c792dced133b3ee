"""Pictures in notebooks and in students' texts: which ones a browser can bear. It needs no torch."""

import base64
import html
import re
import struct
import unicodedata
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import quote, unquote

MOST_PIXELS = 50_000_000  # of one picture; a browser takes four bytes for each, however small the file is
MOST_SCANS = 100  # of one JPEG: each goes over all its pixels again
MOST_FRAMES = 300  # of a picture that moves
_PNG, _JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8"
_SIZES = {0xC0, 0xC1, 0xC2}  # the JPEG segments that say a size in encodings that browsers know

# What is kept of the pictures pasted into a notebook: all of it is in the graded notebook and on the feedback page.
MOST_PASTED = 4 << 20  # characters of base64
MOST_NUMBER = 50
REASON = "text/plain"  # the form of a picture that is not shown: why
TOO_LARGE = (
    f"is too large: {MOST_NUMBER} pictures of {MOST_PASTED * 3 // 4 >> 20} MB together are shown; "
    "it is in the file that was handed in"
)
NO_PICTURE = f"is no picture that can be shown: expected PNG, JPEG, GIF or WebP of {MOST_PIXELS // 10**6} megapixels"


def picture(mime: str, encoded: str) -> bool:
    """Return whether base64 is a picture of this kind, of a size that a browser can bear."""
    try:
        content = base64.b64decode(encoded, validate=True)
    except ValueError:
        return False
    return mime in _KINDS and _KINDS[mime](content)


def _bearable(sides: bytes, form: str) -> bool:
    """Return whether a picture is small enough; one that breaks off before its size shows nothing."""
    if len(sides) < struct.calcsize(form):
        return True
    one, other = struct.unpack(form, sides)
    return one * other <= MOST_PIXELS


def _bearable_png(content: bytes) -> bool:
    named = content[12:16] == b"IHDR" or len(content) < 24
    return content.startswith(_PNG) and named and _bearable(content[16:24], ">LL")


def _bearable_jpeg(content: bytes) -> bool:
    """Look through the segments before the first scan: a size is said once, and there."""
    at, sizes = len(_JPEG), 0
    while content[at : at + 1] == b"\xff" and len(content) >= at + 4 and content[at + 1] != 0xDA:
        if content[at + 1] in _SIZES:
            sizes += 1
            if not _bearable(content[at + 5 : at + 9], ">HH"):
                return False
        at += 2 + int.from_bytes(content[at + 2 : at + 4], "big")
    return content.startswith(_JPEG) and sizes == 1 and content.count(b"\xff\xda") <= MOST_SCANS


def _bearable_gif(content: bytes) -> bool:
    known = content.startswith((b"GIF87a", b"GIF89a"))
    return known and content.count(b"\x21\xf9\x04") <= MOST_FRAMES and _bearable(content[6:10], "<HH")


def _bearable_webp(content: bytes) -> bool:
    """Look into the first chunk, which says the size in one of three ways."""
    if content[:4] != b"RIFF" or content[8:12] != b"WEBP" or content.count(b"ANMF") > MOST_FRAMES:
        return False
    kind, body = content[12:16], content[20:30].ljust(10, b"\0")
    if kind == b"VP8X":
        wide, high = (1 + int.from_bytes(body[at : at + 3], "little") for at in (4, 7))
    elif kind == b"VP8L":
        bits = int.from_bytes(body[1:5], "little")
        wide, high = 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    else:
        wide, high = (int.from_bytes(body[at : at + 2], "little") & 0x3FFF for at in (6, 8))
    return kind in (b"VP8X", b"VP8L", b"VP8 ") and wide * high <= MOST_PIXELS


_KINDS: dict[str, Callable[[bytes], bool]] = {
    "image/png": _bearable_png,
    "image/jpeg": _bearable_jpeg,
    "image/gif": _bearable_gif,
    "image/webp": _bearable_webp,
}


def name_key(name: str) -> str:
    """Return a picture's name as all ways of writing it have it: editors write spaces and letters in their own ways."""
    return unicodedata.normalize("NFC", unquote(html.unescape(name)))


def keep_pasted(cells: Iterable[Any], first: Callable[[Any], bool], longest: int) -> None:
    """Leave in text cells the pictures that their text shows, or why not, within one notebook's limits.

    The cells that `first` names have the first say; longer texts are not set as markdown, and show none.
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
    """Return a picture in the one form in which it was read, or why it is not shown."""
    mime, content = next(iter(forms.items()), ("", ""))
    content = "".join(content.split())
    if mime == REASON or (len(content) > left and mime in _KINDS):
        return {REASON: TOO_LARGE}
    return {mime: content} if picture(mime, content) else {REASON: NO_PICTURE}


# What editors write for a pasted picture besides ![](NAME): a tag, to say its width, and NAME in pointed brackets.
_TAG = re.compile(
    r"<img\b[^<>]*?\bsrc\s*=\s*(?:\"(attachment:[^\"<>]*)\"|'(attachment:[^'<>]*)'|(attachment:[^\s\"'<>]+))[^<>]*>",
    re.I,
)
_POINTED = re.compile(r"(?<=\()\s*<(attachment:[^<>\n]*)>")


def as_markdown(source: str) -> str:
    """Return a text in which each pasted picture is ![](NAME): other brackets are taken from students' texts."""
    source = _TAG.sub(lambda tag: f"![]({_as_url(tag[1] or tag[2] or tag[3])})", source)
    return _POINTED.sub(lambda name: _as_url(name[1]), source)


def _as_url(name: str) -> str:
    return re.sub(r"[\s()]", lambda sign: quote(sign[0]), name)
