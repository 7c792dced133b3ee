"""Parses the bytes of a notebook file, which may hold anything, into cells of plain values; raises Unreadable."""

import json
import re
from typing import Any

MOST_SECONDS = 10  # of processor time, to read a notebook
MOST_CELLS = 2000
MOST_TEXT = 1 << 20  # bytes of all cells as a notebook file holds them, outputs aside: a long notebook has 100,000
MOST_PASTED = 4 << 20  # bytes of the pictures pasted into its texts
LARGEST_KEPT = 5 << 20  # bytes of a file that is kept unchanged; a larger one is kept without outputs
LONGEST_NAME = 200  # characters of a cell's name; those of the release are shorter
LINE = 16  # bytes of a line in a notebook file besides its text
TRAIN = "train"  # the tag of a cell that trains

LARGEST_PICTURE = 4 << 20  # characters of base64
MOST_PICTURES = 100  # pasted into one cell
LONGEST_PICTURE_NAME = 1000  # characters
IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")
DATA_URL = re.compile(r"data:image/(\w{1,10});base64,([A-Za-z0-9+/=]+)", re.IGNORECASE)  # as Colab pastes pictures


class Unreadable(Exception):
    """A submission cannot be read as a notebook; the message says what was expected, what came, what to do."""


def parse_cells(content: bytes) -> dict[str, Any]:
    """Return {"assignment": name or None, "cells": [...]}: each cell's type, source, name and pasted pictures.

    Raise Unreadable for bytes that are no notebook, and above MOST_CELLS cells or MOST_TEXT bytes of text.
    """
    if not content.strip():
        raise Unreadable("the file is empty; save the notebook and hand it in again")
    try:
        tree = json.loads(_decode(content))
    except (ValueError, RecursionError) as error:
        reason = "nested too deep" if isinstance(error, RecursionError) else str(error)
        raise Unreadable(
            f"this is no notebook, its JSON is broken: {reason[:200]}; save the notebook in Jupyter, hand in that file"
        ) from None
    if not isinstance(tree, dict):
        raise Unreadable(f"this is no notebook: expected a JSON object, got a {type(tree).__name__}")
    cells = _cells(tree)
    if len(cells) > MOST_CELLS:
        raise Unreadable(f"the notebook has {len(cells)} cells, at most {MOST_CELLS} are read")
    parsed = [_cell(cell) for cell in cells if isinstance(cell, dict)]
    size = sum(written_size(cell["source"]) for cell in parsed)
    if size > MOST_TEXT:
        raise Unreadable(
            f"the cells hold {size / (1 << 20):.1f} MB of text, at most {MOST_TEXT >> 20} MB are read; load data from "
            "files"
        )
    metadata = tree.get("metadata")
    course_metadata = metadata.get("attention_workbook") if isinstance(metadata, dict) else None
    assignment = course_metadata.get("assignment") if isinstance(course_metadata, dict) else None
    return {"assignment": assignment if isinstance(assignment, str) else None, "cells": parsed}


def written_size(value: Any) -> int:
    """Return about the bytes of a JSON value in a notebook file, with each line of a text on its own."""
    if isinstance(value, str):
        return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")) + LINE * len(value.splitlines())
    if isinstance(value, dict):
        return sum(LINE + written_size(key) + written_size(item) for key, item in value.items())
    if isinstance(value, list):
        return sum(LINE + written_size(item) for item in value)
    return LINE


def without_outputs(notebook: dict[str, Any]) -> bytes:
    """Return the result of `parse_cells` as a notebook file without outputs, which parses to the same."""
    assignment = notebook["assignment"]
    metadata = {} if assignment is None else {"attention_workbook": {"assignment": assignment}}
    no_outputs = {"outputs": [], "execution_count": None}
    cells = [
        cell | (no_outputs if cell["cell_type"] == "code" else {}) for cell in _with_few_pictures(notebook["cells"])
    ]
    tree = {"nbformat": 4, "nbformat_minor": 4, "metadata": metadata, "cells": cells}
    return json.dumps(tree, ensure_ascii=False, indent=1).encode("utf-8")


def _with_few_pictures(cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the cells; once the pasted pictures exceed MOST_PASTED bytes together, later cells lose theirs."""
    left, kept = MOST_PASTED, []
    for cell in cells:
        size = written_size(cell.get("attachments", {}))
        kept.append(cell if size <= left else {key: value for key, value in cell.items() if key != "attachments"})
        left -= size if size <= left else 0
    return kept


def _decode(content: bytes) -> str:
    """Return the text of a file in UTF-8, UTF-16 or UTF-32, with or without a byte order mark, else in Latin-1."""
    try:
        return content.decode(json.detect_encoding(content))
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _cells(tree: dict[str, Any]) -> list[Any]:
    """Return the cells of a notebook of any format: 4 and later have a list of them, 3 and earlier have sheets."""
    if isinstance(tree.get("cells"), list):
        return tree["cells"]
    sheets = tree.get("worksheets")
    if isinstance(sheets, list):
        lists = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
        all_cells = [cell for cells in lists if isinstance(cells, list) for cell in cells]
        return [_from_format_3(cell) for cell in all_cells if isinstance(cell, dict)]
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
    source, pictures = _joined(cell.get("source")), _attachments(cell.get("attachments"))
    if kind != "code":
        source = DATA_URL.sub(lambda match: _move_picture(match, pictures), source)
    return {
        "cell_type": kind if kind in ("code", "markdown") else "raw",
        "metadata": _metadata(metadata if isinstance(metadata, dict) else {}),
        "source": _text(source),
    } | ({"attachments": pictures} if pictures else {})


def _attachments(attachments: Any) -> dict[str, dict[str, str]]:
    """Return {name: {media type: base64}} of pasted pictures; {} for unknown types, "text/plain" for too large ones."""
    named = list(attachments.items())[:MOST_PICTURES] if isinstance(attachments, dict) else []
    return {
        _text(name, LONGEST_PICTURE_NAME): _image(forms if isinstance(forms, dict) else {}) for name, forms in named
    }


def _image(forms: dict[str, Any]) -> dict[str, str]:
    mime = next((mime for mime in IMAGE_TYPES if mime in forms), "")
    content = _joined(forms.get(mime))
    if len(content) > LARGEST_PICTURE:
        return {"text/plain": ""}
    return {mime: _text(content, LARGEST_PICTURE)} if content else {}


def _move_picture(url: re.Match[str], pictures: dict[str, dict[str, str]]) -> str:
    """Move a picture from a data URL in the text to the attachments; return the reference that replaces the URL."""
    mime = f"image/{url[1].lower().replace('jpg', 'jpeg')}"
    name = f"{len(pictures) + 1}.{mime[6:]}"
    if len(pictures) < MOST_PICTURES:
        pictures[name] = _image({mime: url[2]})
    return f"attachment:{name}"


def _metadata(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata that the grader reads: the cell's name (`grade_id`) and the tag `train`."""
    kept: dict[str, Any] = {}
    nbgrader, tags = metadata.get("nbgrader"), metadata.get("tags")
    if isinstance(nbgrader, dict) and isinstance(nbgrader.get("grade_id"), str):
        kept["nbgrader"] = {"grade_id": _text(nbgrader["grade_id"])[:LONGEST_NAME]}
    if isinstance(tags, list) and TRAIN in tags:
        kept["tags"] = [TRAIN]
    return kept


def _joined(source: Any) -> str:
    """Return a cell's text, which notebook files hold as one string or as a list of lines; "" for anything else."""
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else ""


def _text(source: Any, longest: int | None = None) -> str:
    lines = _joined(source)[:longest].replace("\r\n", "\n").replace("\r", "\n")
    return lines.encode("utf-8", "replace").decode("utf-8")
