"""From the bytes that were handed in to cells as plain values, or a reason why not."""

import json
from typing import Any

MOST_SECONDS = 10  # of processor time, to read a notebook
MOST_CELLS = 2000
MOST_TEXT = 1 << 20  # bytes of all cells as a notebook file holds them, outputs aside: a long notebook has 100,000
MOST_PASTED = 4 << 20  # bytes of the pictures pasted into its texts
LARGEST_KEPT = 5 << 20  # bytes that are kept as they were handed in; of a larger file, the notebook without outputs
LONGEST_NAME = 200  # characters of a cell's name; those of the release are shorter
LINE = 16  # bytes that a notebook file takes for a line besides its text
TRAIN = "train"  # the tag of a cell that trains


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
    return {
        "cell_type": kind if kind in ("code", "markdown") else "raw",
        "metadata": _metadata(metadata if isinstance(metadata, dict) else {}),
        "source": _text(cell.get("source")),
    }


def _metadata(metadata: dict[str, Any]) -> dict[str, Any]:
    """Keep what the grader reads: the cell's name and whether it trains."""
    kept: dict[str, Any] = {}
    ours, tags = metadata.get("nbgrader"), metadata.get("tags")
    if isinstance(ours, dict) and isinstance(ours.get("grade_id"), str):
        kept["nbgrader"] = {"grade_id": _text(ours["grade_id"])[:LONGEST_NAME]}
    if isinstance(tags, list) and TRAIN in tags:
        kept["tags"] = [TRAIN]
    return kept


def _text(source: Any) -> str:
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    if not isinstance(source, str):
        return ""
    lines = source.replace("\r\n", "\n").replace("\r", "\n")
    return lines.encode("utf-8", "replace").decode("utf-8")
