"""From the bytes that were handed in to cells as plain values, or a reason why not."""

import json
import re
from typing import Any

MOST_SECONDS = 10  # of processor time, to read a notebook
MOST_CELLS = 2000
MOST_TEXT = 1 << 20  # bytes of all cells as a notebook file holds them, outputs aside: a long notebook has 100,000
MOST_PASTED = 4 << 20  # bytes of the pictures pasted into its texts
LARGEST_KEPT = 5 << 20  # bytes that are kept as they were handed in; of a larger file, the notebook without outputs
LONGEST_NAME = 200  # characters of a cell's name; those of the release are shorter
LINE = 16  # bytes that a notebook file takes for a line besides its text
TRAIN = "train"  # the tag of a cell that trains

LARGEST_PICTURE = 4 << 20  # characters of base64
MOST_PICTURES = 100  # that were pasted into one cell
LONGEST_PICTURE_NAME = 1000  # characters
PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
INSIDE = re.compile(r"data:image/(\w{1,10});base64,([A-Za-z0-9+/=]+)", re.IGNORECASE)  # as Colab pastes pictures


class Unreadable(Exception):
    """What was handed in is no notebook; says what was expected, what came and what to do."""


def plain(content: bytes) -> dict[str, Any]:
    """Return what the grader reads of a notebook: the cells' types, sources and names, and its assignment."""
    if not content.strip():
        raise Unreadable("the file is empty; save the notebook and hand it in again")
    try:
        tree = json.loads(_decode(content))
    except (ValueError, RecursionError) as error:
        said = "nested too deep" if isinstance(error, RecursionError) else str(error)
        raise Unreadable(f"this is no notebook, its JSON is broken: {said[:200]}") from None
    if not isinstance(tree, dict):
        raise Unreadable(f"this is no notebook: expected a JSON object, got a {type(tree).__name__}")
    cells = _cells(tree)
    if len(cells) > MOST_CELLS:
        raise Unreadable(f"the notebook has {len(cells)} cells, at most {MOST_CELLS} are read")
    built = [_cell(cell) for cell in cells if isinstance(cell, dict)]
    size = sum(written_size(cell["source"]) for cell in built)
    if size > MOST_TEXT:
        raise Unreadable(
            f"the cells hold {size / (1 << 20):.1f} MB of text, at most {MOST_TEXT >> 20} MB are read; load data from "
            "files"
        )
    about = tree.get("metadata")
    ours = about.get("attention_workbook") if isinstance(about, dict) else None
    claimed = ours.get("assignment") if isinstance(ours, dict) else None
    return {"assignment": claimed if isinstance(claimed, str) else None, "cells": built}


def written_size(value: Any) -> int:
    """Return about how many bytes a value takes in a notebook file, where every line of a text is a line of its own."""
    if isinstance(value, str):
        return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")) + LINE * len(value.splitlines())
    if isinstance(value, dict):
        return sum(LINE + written_size(key) + written_size(item) for key, item in value.items())
    if isinstance(value, list):
        return sum(LINE + written_size(item) for item in value)
    return LINE


def without_outputs(notebook: dict[str, Any]) -> bytes:
    """Return what `plain` reads as a notebook file that reads the same: the cells without their outputs."""
    claimed = notebook["assignment"]
    metadata = {} if claimed is None else {"attention_workbook": {"assignment": claimed}}
    unrun = {"outputs": [], "execution_count": None}
    cells = [cell | (unrun if cell["cell_type"] == "code" else {}) for cell in _with_few_pictures(notebook["cells"])]
    whole = {"nbformat": 4, "nbformat_minor": 4, "metadata": metadata, "cells": cells}
    return json.dumps(whole, ensure_ascii=False, indent=1).encode("utf-8")


def _with_few_pictures(cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the cells, without the pasted pictures of those that hold more than there is room for."""
    left, kept = MOST_PASTED, []
    for cell in cells:
        size = written_size(cell.get("attachments", {}))
        kept.append(cell if size <= left else {key: of for key, of in cell.items() if key != "attachments"})
        left -= size if size <= left else 0
    return kept


def _decode(content: bytes) -> str:
    """Editors write byte order marks, UTF-16 and UTF-32; that is no student's fault."""
    if content.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return content.decode("utf-32")
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16")
    if content[:2].count(0) == 1:  # UTF-16 without a mark: JSON begins with ASCII
        return content.decode("utf-16-le" if content[1] == 0 else "utf-16-be")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _cells(tree: dict[str, Any]) -> list[Any]:
    """Return the cells of a notebook of any format: 4 and later have a list of them, 3 and earlier have sheets."""
    if isinstance(tree.get("cells"), list):
        return tree["cells"]
    sheets = tree.get("worksheets")
    if isinstance(sheets, list):
        lists = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
        found = [cell for cells in lists if isinstance(cells, list) for cell in cells]
        return [_from_format_3(cell) for cell in found if isinstance(cell, dict)]
    raise Unreadable("this is no notebook: it has no list of cells")


def _from_format_3(cell: dict[str, Any]) -> dict[str, Any]:
    if cell.get("cell_type") == "heading":
        level = cell.get("level")
        marks = "#" * (level if type(level) is int and 1 <= level <= 6 else 1)
        return {**cell, "cell_type": "markdown", "source": f"{marks} {_text(cell.get('source'))}"}
    return {**cell, "source": cell.get("input", cell.get("source"))}


def _cell(cell: dict[str, Any]) -> dict[str, Any]:
    kind = cell.get("cell_type")
    metadata = cell.get("metadata")
    source, pictures = _joined(cell.get("source")), _pictures(cell.get("attachments"))
    if kind != "code":
        source = INSIDE.sub(lambda inside: _taken_out(inside, pictures), source)
    return {
        "cell_type": kind if kind in ("code", "markdown") else "raw",
        "metadata": _metadata(metadata if isinstance(metadata, dict) else {}),
        "source": _text(source),
    } | ({"attachments": pictures} if pictures else {})


def _pictures(attachments: Any) -> dict[str, dict[str, str]]:
    """Return the pictures that were pasted into a cell, each in one form: {} that of none, text that of too large."""
    named = list(attachments.items())[:MOST_PICTURES] if isinstance(attachments, dict) else []
    return {
        _text(name, LONGEST_PICTURE_NAME): _picture(forms if isinstance(forms, dict) else {}) for name, forms in named
    }


def _picture(forms: dict[str, Any]) -> dict[str, str]:
    mime = next((mime for mime in PICTURES if mime in forms), "")
    content = _joined(forms.get(mime))
    if len(content) > LARGEST_PICTURE:
        return {"text/plain": ""}
    return {mime: _text(content, LARGEST_PICTURE)} if content else {}


def _taken_out(inside: re.Match[str], pictures: dict[str, dict[str, str]]) -> str:
    """Put a picture that lies in the text among the pasted ones; return what the text calls it."""
    mime = f"image/{inside[1].lower().replace('jpg', 'jpeg')}"
    name = f"{len(pictures) + 1}.{mime[6:]}"
    if len(pictures) < MOST_PICTURES:
        pictures[name] = _picture({mime: inside[2]})
    return f"attachment:{name}"


def _metadata(metadata: dict[str, Any]) -> dict[str, Any]:
    """Keep what the grader reads: the cell's name and whether it trains."""
    kept: dict[str, Any] = {}
    ours, tags = metadata.get("nbgrader"), metadata.get("tags")
    if isinstance(ours, dict) and isinstance(ours.get("grade_id"), str):
        kept["nbgrader"] = {"grade_id": _text(ours["grade_id"])[:LONGEST_NAME]}
    if isinstance(tags, list) and TRAIN in tags:
        kept["tags"] = [TRAIN]
    return kept


def _joined(source: Any) -> str:
    """Return text, which notebooks hold as a whole or as a list of lines."""
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else ""


def _text(source: Any, longest: int | None = None) -> str:
    lines = _joined(source)[:longest].replace("\r\n", "\n").replace("\r", "\n")
    return lines.encode("utf-8", "replace").decode("utf-8")
