"""From the bytes that were handed in to cells as plain values: a large file is opened in a process with limits."""

import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

LARGEST_AT_ONCE = 4 << 20  # bytes; what is larger may grow to gigabytes as it is read
MOST_MEMORY = 1 << 30
MOST_SECONDS = 20
MOST_CELLS = 2000
LONGEST_SOURCE = 1 << 20
MOST_TEXT = 16 << 20  # characters in all cells
TRAIN = "train"  # the tag of a cell that trains


class Unreadable(Exception):
    """What was handed in is no notebook; says what was expected, what came and what to do."""


def opened(content: bytes) -> dict[str, Any]:
    """Return {"assignment": its name or None, "cells": [...]}, however large the file is."""
    if len(content) <= LARGEST_AT_ONCE:
        return plain(content)
    # Isolated: neither a folder of ours nor the environment has a say in what it imports.
    command = [sys.executable, "-I", "-S", str(Path(__file__))]
    try:
        done = subprocess.run(command, input=content, capture_output=True, timeout=3 * MOST_SECONDS, env={}, cwd="/")
    except subprocess.TimeoutExpired:
        raise Unreadable(_too_much(content)) from None
    if done.returncode != 0:
        raise Unreadable(_too_much(content))
    said = json.loads(done.stdout)
    if "refused" in said:
        raise Unreadable(said["refused"])
    return said


def _too_much(content: bytes) -> str:
    return (
        f"its {len(content) >> 20} MB take too long or too much memory to read; clear the outputs and hand it in again"
    )


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
    size = sum(len(cell["source"]) for cell in built)
    if size > MOST_TEXT:
        raise Unreadable(
            f"the cells hold {size >> 20} MB of text, at most {MOST_TEXT >> 20} MB are read; load data from files"
        )
    about = tree.get("metadata")
    ours = about.get("attention_workbook") if isinstance(about, dict) else None
    claimed = ours.get("assignment") if isinstance(ours, dict) else None
    return {"assignment": claimed if isinstance(claimed, str) else None, "cells": built}


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
        kept["nbgrader"] = {"grade_id": _text(ours["grade_id"])}
    if isinstance(tags, list) and TRAIN in tags:
        kept["tags"] = [TRAIN]
    return kept


def _text(source: Any) -> str:
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    if not isinstance(source, str):
        return ""
    lines = source[:LONGEST_SOURCE].replace("\r\n", "\n").replace("\r", "\n")
    return lines.encode("utf-8", "replace").decode("utf-8")


def main() -> None:
    """Open the notebook on standard input within limits, and write what the grader reads of it."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    try:
        said = plain(sys.stdin.buffer.read())
    except Unreadable as error:
        said = {"refused": str(error)}
    sys.stdout.write(json.dumps(said))


if __name__ == "__main__":
    main()
