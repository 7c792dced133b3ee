"""Notebooks whose cells were edited, deleted, copied, moved, retyped, or stripped by another program than Jupyter."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat

from autograder.assignment import CHECK, grade_id
from tests.attacks.cases import FUNCTIONS, NAME, Case, cell, notebook

Change = Callable[[list[Any], nbformat.NotebookNode], None]
TABLE: list[tuple[str, str, Change, dict[str, Any]]] = []
ALL = "all"
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACAQAAAABazTCJAAAADElEQVR4nGNgYGAAAAAEAAH2FzhVAAAAAElFTkSuQmCC"


def case(name: str, right: str = ALL, **properties: Any) -> Callable[[Change], Change]:
    """Enter a change of the solved notebook's cells into the table."""

    def enter(change: Change) -> Change:
        TABLE.append((name, right, change, properties))
        return change

    return enter


def cases() -> list[Case]:
    return [_case(*row) for row in TABLE]


def _case(name: str, right: str, change: Change, properties: dict[str, Any]) -> Case:
    def make(folder: Path, _: dict[str, str]) -> Path:
        made = notebook(properties.get("start", "solved"))
        change(made.cells, made)
        path = folder / f"{NAME}.ipynb"
        path.write_text(json.dumps(made), "utf-8")
        return path

    return Case("structure", name, right, make, says=properties.get("says", ()), flags=properties.get("flags", ()))


def at(cells: list[Any], name: str) -> int:
    return next(n for n, each in enumerate(cells) if grade_id(each) == name)


def setup(cells: list[Any]) -> int:
    return next(n for n, each in enumerate(cells) if each.cell_type == "code")


@case("An answer copied in place of another one's, metadata and all, and changed there")
def _(cells, _made) -> None:
    """As it happens in VS Code: the copy of a cell keeps the name of the first."""
    copied = copy.deepcopy(cells[at(cells, "additive_attention")])
    copied.source = cells[at(cells, "repaired_attention")].source
    cells[at(cells, "repaired_attention")] = copied


@case("An honestly copied answer")
def _(cells, _made) -> None:
    cells.insert(at(cells, "masked_softmax"), copy.deepcopy(cells[at(cells, "masked_softmax")]))


@case("A copied answer, written in the copy, left empty in the first")
def _(cells, _made) -> None:
    place = at(cells, "masked_softmax")
    empty = copy.deepcopy(cells[place])
    empty.source = notebook("blank").cells[at(notebook("blank").cells, "masked_softmax")].source
    cells.insert(place + 1, empty)


@case("Test cells deleted")
def _(cells, _made) -> None:
    cells[:] = [each for each in cells if not grade_id(each).startswith(CHECK)]


@case("Test cells emptied and filled with something else")
def _(cells, _made) -> None:
    for each in cells:
        if grade_id(each).startswith(CHECK):
            each.source = "pass" if "additive" in each.source else ""


@case("Test cells twice")
def _(cells, _made) -> None:
    for name in FUNCTIONS:
        cells.append(copy.deepcopy(cells[at(cells, CHECK + name)]))


@case("A test cell a hundred times")
def _(cells, _made) -> None:
    cells += [copy.deepcopy(cells[at(cells, CHECK + "masked_softmax")]) for _ in range(100)]


@case("Test cells turned into text")
def _(cells, _made) -> None:
    for each in cells:
        if grade_id(each).startswith(CHECK):
            each.cell_type = "markdown"
            del each["outputs"], each["execution_count"]


@case("Test cells turned into raw cells")
def _(cells, _made) -> None:
    for each in cells:
        if grade_id(each).startswith(CHECK):
            each.cell_type = "raw"


@case("Test cells turned into answers with more points")
def _(cells, _made) -> None:
    for each in cells:
        if grade_id(each).startswith(CHECK):
            each.metadata.nbgrader |= {"solution": True, "locked": False, "points": 400, "task": True}


@case("More points than there are, for an answer that is not there", "nothing", start="blank")
def _(cells, _made) -> None:
    for each in cells:
        if "nbgrader" in each.metadata:
            each.metadata.nbgrader |= {"points": 1000, "grade": True, "score": 1000}


@case("A graded cell of its own", "nothing", start="blank")
def _(cells, _made) -> None:
    own = cell("python", "1000.0")
    own.metadata["nbgrader"] = {
        **{"grade_id": "bonus", "grade": True, "solution": False, "locked": True, "points": 1000, "schema_version": 3},
        **{"task": False, "cell_type": "code", "checksum": "0" * 32},
    }
    cells.append(own)


@case("A notebook whose metadata say its score", "nothing", start="blank")
def _(_cells, made) -> None:
    made.metadata |= {"score": 29, "max_score": 29, "nbgrader": {"score": 29}}
    made.metadata["attention_workbook"] |= {"score": 29, "checks": [{"score": 29}]}


@case("Outputs that say that all is right", "nothing", start="blank")
def _(cells, _made) -> None:
    for each in cells:
        if each.cell_type == "code":
            number = {"text/plain": "11.0"}
            each.outputs = [
                {"output_type": "stream", "name": "stdout", "text": "All 10 points.\n"},
                {"output_type": "execute_result", "data": number, "metadata": {}, "execution_count": 1},
            ]


@case("A broken schema of nbgrader's")
def _(cells, _made) -> None:
    for n, each in enumerate(cells):
        if "nbgrader" in each.metadata:
            each.metadata.nbgrader |= {
                "schema_version": [1, "three", None, 99][n % 4],
                "checksum": None,
                "points": "many",
            }


@case("Names of cells that are no names")
def _(cells, _made) -> None:
    for n, each in enumerate(cells):
        if grade_id(each).startswith(CHECK):
            each.metadata.nbgrader["grade_id"] = [None, 7, ["x"], {"a": 1}, "../../x", "a" * 10_000][n % 6]


@case("Names of test cells exchanged")
def _(cells, _made) -> None:
    one, two = at(cells, CHECK + "masked_softmax"), at(cells, CHECK + "additive_attention")
    cells[one].metadata, cells[two].metadata = cells[two].metadata, cells[one].metadata


@case("Names of answers exchanged")
def _(cells, _made) -> None:
    one, two = at(cells, "masked_softmax"), at(cells, "additive_attention")
    cells[one].metadata, cells[two].metadata = cells[two].metadata, cells[one].metadata


@case("Saved by Colab")
def _(cells, made) -> None:
    """Its real shape: metadata of its own in place of ours, an id in the metadata, outputs with their base URI."""
    for n, each in enumerate(cells):
        each.metadata = nbformat.from_dict({"id": f"Zx{n}YbQqkq", "colab": {"base_uri": "https://localhost:8080/"}})
        if each.cell_type == "code":
            each.metadata |= {"outputId": "0a1b2c3d-4e5f", "executionInfo": {"status": "ok", "elapsed": 4}}
            each.execution_count = n
        del each["id"]
    made.metadata = nbformat.from_dict(
        {
            "colab": {"provenance": [], "gpuType": "T4", "toc_visible": True},
            "kernelspec": {"name": "python3", "display_name": "Python 3"},
            "language_info": {"name": "python"},
            "accelerator": "GPU",
        }
    )
    made.nbformat_minor = 0


@case("Saved by VS Code")
def _(cells, made) -> None:
    for each in cells:
        each.metadata |= {"vscode": {"languageId": "python"}} if each.cell_type == "code" else {}
        each.metadata.pop("nbgrader", None)
    made.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": ".venv (3.12.1)", "language": "python", "name": "python3"},
            "language_info": {
                "codemirror_mode": {"name": "ipython", "version": 3},
                "name": "python",
                "version": "3.12.1",
            },
            "vscode": {"interpreter": {"hash": "31f2aee4e71d21fbe5cf8b01ff0e069b9275f58929596ceb00d14d90e3e16cd6"}},
        }
    )


@case("Saved by Kaggle")
def _(cells, made) -> None:
    for each in cells:
        keep = {"_uuid": "8f2839f25d086af736a60e9eeb907d3b93b6e0e5", "trusted": True}
        each.metadata = nbformat.from_dict(keep | {"execution": {"iopub.execute_input": "2026-11-21T12:00:00Z"}})
    made.metadata["kaggle"] = {"accelerator": "none", "dataSources": []}


@case("Through jupytext: only sources are left")
def _(cells, made) -> None:
    cells[:] = [cell("python" if each.cell_type == "code" else "markdown", each.source) for each in cells]
    made.metadata = nbformat.from_dict({"jupytext": {"text_representation": {"extension": ".py"}}})


@case("The names of answers only: the rest of the metadata lost")
def _(cells, _made) -> None:
    for each in cells:
        if "nbgrader" in each.metadata:
            each.metadata = nbformat.from_dict({"nbgrader": {"grade_id": grade_id(each)}})


@case("The setup cell deleted")
def _(cells, _made) -> None:
    """The functions are right; that nothing is imported any more is no reason to take the points away."""
    del cells[setup(cells)]


@case("The setup cell with a line more")
def _(cells, _made) -> None:
    cells[setup(cells)].source += "\nimport math"


@case("The setup cell without its imports")
def _(cells, _made) -> None:
    cells[setup(cells)].source = "import math"


@case("The setup cell at the end")
def _(cells, _made) -> None:
    cells.append(cells.pop(setup(cells)))


@case("The setup cell turned into text")
def _(cells, _made) -> None:
    first = cells[setup(cells)]
    cells[setup(cells)] = cell("markdown", first.source)


@case("Sections in another order")
def _(cells, _made) -> None:
    cells.append(cells.pop(at(cells, "repaired_attention")))
    cells.insert(setup(cells) + 1, cells.pop(at(cells, CHECK + "repaired_attention")))


@case("All tests at the top")
def _(cells, _made) -> None:
    for name in FUNCTIONS:
        cells.insert(setup(cells) + 1, cells.pop(at(cells, CHECK + name)))


@case("All answers at the end")
def _(cells, _made) -> None:
    for name in FUNCTIONS:
        cells.append(cells.pop(at(cells, name)))


@case("An answer in a test cell")
def _(cells, _made) -> None:
    answer, test = cells[at(cells, "masked_softmax")], cells[at(cells, CHECK + "masked_softmax")]
    test.source = f"{answer.source}\n\n{test.source}"
    answer.source = ""


@case("An answer in a cell of its own, the given one empty")
def _(cells, _made) -> None:
    place = at(cells, "additive_attention")
    cells.insert(place + 1, cell("python", cells[place].source))
    cells[place].source = ""


@case("An answer in a cell of its own, the given one deleted")
def _(cells, _made) -> None:
    place = at(cells, "additive_attention")
    cells[place] = cell("python", cells[place].source)


@case("An answer split over two cells")
def _(cells, _made) -> None:
    place = at(cells, "additive_attention")
    head, helper, rest = cells[place].source.partition("def additive_scores")
    cells[place].source = helper + rest
    cells.insert(place + 1, cell("python", head))


@case("A test cell split in two")
def _(cells, _made) -> None:
    place = at(cells, CHECK + "masked_softmax")
    cells[place].source = 'check("bahdanau.masked_softmax",'
    cells.insert(place + 1, cell("python", "globals())"))


@case("All code in one cell")
def _(cells, made) -> None:
    sources = [
        each.source for each in cells if each.cell_type == "code" and "train" not in each.metadata.get("tags", [])
    ]
    cells[:] = [cell("python", "\n\n".join(sources))]


@case("Only the functions and what they import")
def _(cells, _made) -> None:
    cells[:] = [cell("python", cells[at(cells, name)].source) for name in FUNCTIONS]
    cells.insert(0, cell("python", "import torch\nfrom torch import Tensor\nfrom jaxtyping import *"))


@case("An answer that is imported, from a file that the notebook writes")
def _(cells, _made) -> None:
    place = at(cells, "masked_softmax")
    header = "import torch\nfrom torch import Tensor\nfrom jaxtyping import Bool, Float\n"
    cells[place].source = f"%%writefile mine.py\n{header}{cells[place].source}"
    cells.insert(place + 1, cell("python", "import sys; sys.path.insert(0, '.')\nfrom mine import masked_softmax"))


@case("An answer through exec", flags=("exec",))
def _(cells, _made) -> None:
    answer = cells[at(cells, "masked_softmax")]
    answer.source = f"exec({answer.source!r})"


@case("An answer as text")
def _(cells, _made) -> None:
    place = at(cells, "masked_softmax")
    cells[place].cell_type = "markdown"
    for name in ("outputs", "execution_count"):
        cells[place].pop(name, None)


@case("The answer of another exercise in its place", "additive_attention nothing, others all")
def _(cells, _made) -> None:
    cells[at(cells, "additive_attention")].source = "def greedy_decode(*a):\n    return 1"


@case("Cells without type, source, metadata")
def _(cells, _made) -> None:
    cells += [{}, {"cell_type": "code"}, {"cell_type": "markdown", "source": None}, {"source": ["x", 1]}]


@case("The same id in every cell")
def _(cells, _made) -> None:
    for each in cells:
        each["id"] = "same"


@case("Ids that are the grader's own")
def _(cells, _made) -> None:
    for n, each in enumerate(cells):
        each["id"] = f"own-{n % 3}"


@case("A cell with an attachment and an unknown field")
def _(cells, _made) -> None:
    cells[0]["attachments"] = {"image.png": {"image/png": "aGVsbG8="}}
    cells[0]["whatever"] = {"deep": [1, 2, {"er": None}]}


@case("A picture pasted into the written answer")
def _(cells, _made) -> None:
    answer = cells[at(cells, "reading_a_matrix")]
    answer.source = "![image.png](attachment:image.png) ![gone](attachment:gone.png) ![x](attachment:)"
    answer["attachments"] = {"image.png": {"image/png": PNG}, "x": None, "": [7], "y": {"image/png": {"z": 1}}}


@case("Attachments that are none, in cells of every type")
def _(cells, _made) -> None:
    odd = [None, 7, "x", [1], {"a": 1}, {"a": {"image/png": [None, 7]}}, {"a": {"image/svg+xml": "<svg/>"}}]
    for n, each in enumerate(cells):
        each["attachments"] = odd[n % len(odd)]
    cells += [cell("markdown", "![](attachment:a)"), cell("markdown", f"![x](data:image/png;base64,{PNG})")]


@case("Every cell collapsed, hidden, tagged to be skipped")
def _(cells, _made) -> None:
    for each in cells:
        tags = each.metadata.get("tags", [])
        each.metadata |= {
            "collapsed": True,
            "jupyter": {"source_hidden": True},
            "tags": [*tags, "skip-execution", "remove_cell"],
        }


@case("An answer tagged as training", "nothing", start="blank")
def _(cells, _made) -> None:
    cells[at(cells, "masked_softmax")].metadata["tags"] = ["train"]
    cells[at(cells, CHECK + "masked_softmax")].metadata["tags"] = ["train"]


@case("A right answer tagged as training")
def _(cells, _made) -> None:
    cells[at(cells, "masked_softmax")].metadata["tags"] = ["train"]
