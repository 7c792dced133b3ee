"""Pictures in notebooks and in students' texts: which ones a browser can bear. It needs no torch."""

import base64
import struct

MOST_PIXELS = 50_000_000  # of one picture; a browser takes four bytes for each, however small the file is
MOST_SCANS = 100  # of one JPEG: each goes over all its pixels again
_PNG, _JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8"
_SIZES = {0xC0, 0xC1, 0xC2}  # the JPEG segments that say a size in encodings that browsers know


def picture(mime: str, encoded: str) -> bool:
    """Tell whether base64 is a picture of this kind, of a size that a browser can bear."""
    try:
        content = base64.b64decode(encoded, validate=True)
    except ValueError:
        return False
    if mime == "image/png":
        named = content[12:16] == b"IHDR" or len(content) < 24
        return content.startswith(_PNG) and named and _bearable(content[16:24], ">LL")
    return mime == "image/jpeg" and _bearable_jpeg(content)


def _bearable(sides: bytes, form: str) -> bool:
    """Tell whether a picture is small enough; one that breaks off before its size shows nothing."""
    if len(sides) < struct.calcsize(form):
        return True
    one, other = struct.unpack(form, sides)
    return one * other <= MOST_PIXELS


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
