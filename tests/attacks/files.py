"""Files that are no notebook, or one in an unexpected shape; whatever can be read with good will is read."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.attacks.cases import NAME, Case, written

right = written([], "solved")
tree: dict[str, Any] = json.loads(right)
text = json.dumps(tree)
cut = text.replace("\\n", "\\r\\n")


def changed(**fields: Any) -> bytes:
    return json.dumps(tree | fields).encode()


def with_cells(*more: Any) -> bytes:
    return changed(cells=[*tree["cells"], *more])


def of_format_3() -> bytes:
    """Return the notebook as IPython 2 wrote it."""
    made = [
        {"input": "".join(each["source"]), "language": "python", "prompt_number": 1, **each}
        if each["cell_type"] == "code"
        else {"cell_type": "heading", "level": 1, "source": "hm"}
        for each in tree["cells"]
    ]
    old = {
        "nbformat": 3,
        "nbformat_minor": 0,
        "metadata": {"name": ""},
        "worksheets": [{"cells": made, "metadata": {}}],
    }
    return json.dumps(old).encode()


def many_cells() -> bytes:
    return changed(cells=[*tree["cells"], *[{"cell_type": "markdown", "source": "", "metadata": {}}] * 10**6])


def long_cells() -> bytes:
    """Return a notebook that is slow to look through: a thousand cells of a length that is still looked at."""
    sources = [f"x = [{n}" + ", (1)" * 9_900 + "]" for n in range(1000)]
    return with_cells(*({"cell_type": "code", "source": source, "metadata": {}} for source in sources))


def hollow() -> bytes:
    """Return sixty megabytes that are gigabytes once they are read."""
    return text[:-1].encode() + b', "more": [' + b"{}," * (20 << 20) + b"0]}"


def outputs(megabytes: int) -> bytes:
    picture = {"image/png": "A" * (1 << 20)}
    output = {"output_type": "display_data", "data": picture, "metadata": {}}
    code = {"cell_type": "code", "source": "1", "metadata": {}, "execution_count": 1, "outputs": [output] * megabytes}
    return with_cells(code)


ALL: dict[str, Any] = {
    "A byte order mark": b"\xef\xbb\xbf" + right,
    "UTF-16": text.encode("utf-16"),
    "UTF-16 without a mark": text.encode("utf-16-le"),
    "UTF-32": text.encode("utf-32"),
    "latin-1": json.dumps(tree, ensure_ascii=False).replace("α", "a").encode("latin-1", "replace"),
    "Line ends of Windows": right.replace(b"\n", b"\r\n"),
    "Line ends of Windows inside the cells": cut.encode(),
    "Line ends of old Macs": right.replace(b"\n", b"\r"),
    "nbformat 3": of_format_3,
    "nbformat 5": changed(nbformat=5),
    "nbformat as text": changed(nbformat="4", nbformat_minor=None),
    "nbformat_minor of the future": changed(nbformat_minor=99),
    "Without nbformat": json.dumps({"cells": tree["cells"]}).encode(),
    "The kernel of another name": changed(
        metadata=tree["metadata"] | {"kernelspec": {"name": "my-env", "display_name": "x"}}
    ),
    "The kernel of R": changed(metadata=tree["metadata"] | {"kernelspec": {"name": "ir", "language": "R"}}),
    "No kernel": changed(metadata={}),
    "Metadata that are a list": changed(metadata=[1]),
    "NaN and Infinity in the JSON": with_cells(
        {"cell_type": "raw", "source": "", "metadata": {"x": float("nan"), "y": float("inf")}}
    ),
    "Keys twice": right.replace(b'"nbformat": 4', b'"nbformat": 3, "nbformat": 4'),
    "Lone surrogates": with_cells({"cell_type": "code", "source": "x = '\ud800'", "metadata": {"\udfff": 1}}),
    "Null bytes in a cell": with_cells({"cell_type": "code", "source": "x = '\0'\0", "metadata": {}}),
    "Sources as numbers and objects": with_cells(
        *({"cell_type": "code", "source": odd} for odd in (7, {"a": 1}, [1, None], True))
    ),
    "Cells that are no cells": with_cells(None, 7, "code", [], [[]]),
    "Trailing spaces and line ends": right + b"\n \n\n",
    "Large outputs": lambda: outputs(20),
    "Large numbers": with_cells({"cell_type": "raw", "source": "", "metadata": {"x": 10**4000}}),
    "A long markdown cell": with_cells({"cell_type": "markdown", "source": "[" * 500_000, "metadata": {}}),
}
REFUSED: dict[str, Any] = {
    "A thousand long cells": long_cells,
    "Sixty megabytes that grow": hollow,
    "An empty file": b"",
    "White space": b" \n\t\r\n",
    "Half a notebook": right[: len(right) // 2],
    "A notebook with its end twice": right + right[-40:],
    "Invalid JSON": right.replace(b'"cells"', b"'cells'"),
    "A Python file": b"import torch\ndef masked_softmax(scores, mask=None):\n    return scores.softmax(-1)\n",
    "A page saved by the browser": b"<!DOCTYPE html><html><body>bahdanau.ipynb</body></html>",
    "A zip": b"PK\x03\x04\x14\x00\x00\x00\x08\x00" + bytes(range(256)),
    "A PDF": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",
    "Null bytes": bytes(10_000),
    "A merge conflict": right.replace(b'"cells": [', b'<<<<<<< HEAD\n"cells": [\n=======\n>>>>>>> mine', 1),
    "A list": b"[1, 2, 3]",
    "null": b"null",
    "Text": b'"a notebook"',
    "Cells as an object": changed(cells={"0": tree["cells"][0]}),
    "Nested a hundred thousand deep": b'{"cells": ' + b"[" * 100_000,
    "A million cells": many_cells,
    "Two megabytes of text in a cell": with_cells({"cell_type": "code", "source": "x = 1\n" * 350_000, "metadata": {}}),
    "More text than a page holds": with_cells({"cell_type": "markdown", "source": "a b " * 300_000, "metadata": {}}),
    "More than 64 MB": lambda: outputs(66),
    "A number of a million digits": b'{"cells": [], "x": ' + b"9" * 10**6 + b"}",
    "The notebook of another exercise": changed(metadata={"attention_workbook": {"assignment": "encoder_decoder"}}),
    "A checkpoint of git's large files": b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
}


def link(path: Path) -> None:
    path.with_name("peer.ipynb").write_bytes(right)
    path.symlink_to(path.with_name("peer.ipynb"))


def sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 1 << 40)


NO_FILES: dict[str, tuple[str, Callable[[Path], Any]]] = {  # what is called, and made, so
    "No file": (f"{NAME}.ipynb", lambda path: None),
    "A link to a peer's notebook": (f"{NAME}.ipynb", link),
    "A link to a device": (f"{NAME}.ipynb", lambda path: path.symlink_to("/proc/self/mem")),
    "A pipe that nobody writes to": (f"{NAME}.ipynb", os.mkfifo),
    "A folder": (f"{NAME}.ipynb", Path.mkdir),
    "A device": ("/dev/zero", lambda path: None),
    "A sparse file of a terabyte": (f"{NAME}.ipynb", sparse),
    "A name that is none": ("nul\0.ipynb", lambda path: None),
    "A name that is too long": ("a" * 5000, lambda path: None),
}


def cases() -> list[Case]:
    """Return the readable first, then those that are refused."""

    def written(content: Any) -> Callable[[Path], Any]:
        return lambda path: path.write_bytes(content() if callable(content) else content)

    def case(name: str, outcome: str, called: str, fill: Callable[[Path], Any]) -> Case:
        def make(folder: Path, _: dict[str, str]) -> Path:
            fill(folder / called)
            return folder / called

        return Case("files", name, outcome, make)

    tables = {"all": ALL, "refused": REFUSED}
    return [
        *(
            case(name, right, f"{NAME}.ipynb", written(made))
            for right, table in tables.items()
            for name, made in table.items()
        ),
        *(case(name, "refused", *about) for name, about in NO_FILES.items()),
    ]
