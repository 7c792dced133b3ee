"""Notebooks whose cells were edited, deleted, copied, moved, retyped, or stripped by another program than Jupyter."""

import copy
from typing import Any

import nbformat

from autograder.assignment import CHECK, grade_id
from tests.attacks.cases import FUNCTIONS, Case, at, cell, notebook, of_change, setup
from tests.support.notebooks import graded

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACAQAAAABazTCJAAAADElEQVR4nGNgYGAAAAAEAAH2FzhVAAAAAElFTkSuQmCC"


MORE = {  # of cases that keep not all points, or raise a flag
    "an_answer_through_exec": {"flags": ("exec",)},
    "the_answer_of_another_exercise_in_its_place": {"right": "additive_attention nothing, others all"},
}


def cases() -> list[Case]:
    kinds = ((Changes, "solved", "all"), (Pretences, "blank", "nothing"))
    return [
        of_change(change, start, **({"right": right} | MORE.get(name, {})))
        for kind, start, right in kinds
        for name, change in vars(kind).items()
        if callable(change)
    ]


def checks_of(cells: list[Any]) -> list[Any]:
    return [each for each in cells if grade_id(each).startswith(CHECK)]


class Changes:
    """What is done to the cells of the solved notebook: they keep all their points."""

    def an_answer_copied_in_place_of_another_ones_metadata_and_all_and_changed_there(self, cells, _made):
        """As it happens in VS Code: the copy of a cell keeps the name of the first."""
        copied = copy.deepcopy(cells[at(cells, "additive_attention")])
        copied.source = cells[at(cells, "repaired_attention")].source
        cells[at(cells, "repaired_attention")] = copied

    def an_honestly_copied_answer(self, cells, _made):
        cells.insert(at(cells, "masked_softmax"), copy.deepcopy(cells[at(cells, "masked_softmax")]))

    def a_copied_answer_written_in_the_copy_left_empty_in_the_first(self, cells, _made):
        place = at(cells, "masked_softmax")
        empty = copy.deepcopy(cells[place])
        empty.source = notebook("blank").cells[at(notebook("blank").cells, "masked_softmax")].source
        cells.insert(place + 1, empty)

    def check_cells_deleted(self, cells, _made):
        cells[:] = [each for each in cells if not grade_id(each).startswith(CHECK)]

    def check_cells_emptied_and_filled_with_something_else(self, cells, _made):
        for each in checks_of(cells):
            each.source = "pass" if "additive" in each.source else ""

    def check_cells_twice(self, cells, _made):
        for name in FUNCTIONS:
            cells.append(copy.deepcopy(cells[at(cells, CHECK + name)]))

    def a_test_cell_a_hundred_times(self, cells, _made):
        cells += [copy.deepcopy(cells[at(cells, CHECK + "masked_softmax")]) for _ in range(100)]

    def check_cells_turned_into_text(self, cells, _made):
        for each in checks_of(cells):
            each.cell_type = "markdown"
            del each["outputs"], each["execution_count"]

    def check_cells_turned_into_raw_cells(self, cells, _made):
        for each in checks_of(cells):
            each.cell_type = "raw"

    def check_cells_turned_into_answers_with_more_points(self, cells, _made):
        for each in checks_of(cells):
            each.metadata.nbgrader |= {"solution": True, "locked": False, "points": 400, "task": True}

    def a_broken_schema_of_nbgraders(self, cells, _made):
        for n, each in enumerate(cells):
            if "nbgrader" in each.metadata:
                version = [1, "3", None, 9][n % 4]
                each.metadata.nbgrader |= {"checksum": None, "points": "many", "schema_version": version}

    def names_of_cells_that_are_no_names(self, cells, _made):
        for n, each in enumerate(cells):
            if grade_id(each).startswith(CHECK):
                each.metadata.nbgrader["grade_id"] = [None, 7, ["x"], {"a": 1}, "../../x", "a" * 10_000][n % 6]

    def names_of_test_cells_exchanged(self, cells, _made):
        one, two = at(cells, CHECK + "masked_softmax"), at(cells, CHECK + "additive_attention")
        cells[one].metadata, cells[two].metadata = cells[two].metadata, cells[one].metadata

    def names_of_answers_exchanged(self, cells, _made):
        one, two = at(cells, "masked_softmax"), at(cells, "additive_attention")
        cells[one].metadata, cells[two].metadata = cells[two].metadata, cells[one].metadata

    def saved_by_colab(self, cells, made):
        """Its real shape: metadata of its own in place of ours, an id in the metadata, outputs with their base URI."""
        for n, each in enumerate(cells):
            each.metadata = nbformat.from_dict({"id": f"Zx{n}YbQqkq", "colab": {"base_uri": "https://localhost:8080/"}})
            if each.cell_type == "code":
                each.metadata |= {"outputId": "0a1b2c3d-4e5f", "executionInfo": {"status": "ok", "elapsed": 4}}
                each.execution_count = n
            del each["id"]
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}, "language_info": {"name": "python"}}
        made.metadata = nbformat.from_dict(kernel | {"colab": {"provenance": []}, "accelerator": "GPU"})
        made.nbformat_minor = 0

    def saved_by_vs_code(self, cells, made):
        for each in cells:
            each.metadata |= {"vscode": {"languageId": "python"}} if each.cell_type == "code" else {}
            each.metadata.pop("nbgrader", None)
        kernel = {"display_name": ".venv (3.12.1)", "language": "python", "name": "python3"}
        made.metadata = nbformat.from_dict({"kernelspec": kernel, "vscode": {"interpreter": {"hash": "31f2aee4"}}})

    def saved_by_kaggle(self, cells, made):
        for each in cells:
            keep = {"_uuid": "8f2839f25d086af736a60e9eeb907d3b93b6e0e5", "trusted": True}
            each.metadata = nbformat.from_dict(keep | {"execution": {"iopub.execute_input": "2026-11-21T12:00:00Z"}})
        made.metadata["kaggle"] = {"accelerator": "none", "dataSources": []}

    def through_jupytext_only_sources_are_left(self, cells, made):
        cells[:] = [cell("python" if each.cell_type == "code" else "markdown", each.source) for each in cells]
        made.metadata = nbformat.from_dict({"jupytext": {"text_representation": {"extension": ".py"}}})

    def the_names_of_answers_only_the_rest_of_the_metadata_lost(self, cells, _made):
        for each in cells:
            if "nbgrader" in each.metadata:
                each.metadata = nbformat.from_dict({"nbgrader": {"grade_id": grade_id(each)}})

    def the_setup_cell_deleted(self, cells, _made):
        """The functions are right; that nothing is imported any more is no reason to take the points away."""
        del cells[setup(cells)]

    def the_setup_cell_with_a_line_more(self, cells, _made):
        cells[setup(cells)].source += "\nimport math"

    def the_setup_cell_without_its_imports(self, cells, _made):
        cells[setup(cells)].source = "import math"

    def the_setup_cell_at_the_end(self, cells, _made):
        cells.append(cells.pop(setup(cells)))

    def the_setup_cell_turned_into_text(self, cells, _made):
        first = cells[setup(cells)]
        cells[setup(cells)] = cell("markdown", first.source)

    def sections_in_another_order(self, cells, _made):
        cells.append(cells.pop(at(cells, "repaired_attention")))
        cells.insert(setup(cells) + 1, cells.pop(at(cells, CHECK + "repaired_attention")))

    def all_tests_at_the_top(self, cells, _made):
        for name in FUNCTIONS:
            cells.insert(setup(cells) + 1, cells.pop(at(cells, CHECK + name)))

    def all_answers_at_the_end(self, cells, _made):
        for name in FUNCTIONS:
            cells.append(cells.pop(at(cells, name)))

    def an_answer_in_a_test_cell(self, cells, _made):
        answer, test = cells[at(cells, "masked_softmax")], cells[at(cells, CHECK + "masked_softmax")]
        test.source = f"{answer.source}\n\n{test.source}"
        answer.source = ""

    def an_answer_in_a_cell_of_its_own_the_given_one_empty(self, cells, _made):
        place = at(cells, "additive_attention")
        cells.insert(place + 1, cell("python", cells[place].source))
        cells[place].source = ""

    def an_answer_in_a_cell_of_its_own_the_given_one_deleted(self, cells, _made):
        place = at(cells, "additive_attention")
        cells[place] = cell("python", cells[place].source)

    def an_answer_split_over_two_cells(self, cells, _made):
        place = at(cells, "additive_attention")
        head, helper, rest = cells[place].source.partition("def additive_scores")
        cells[place].source = helper + rest
        cells.insert(place + 1, cell("python", head))

    def a_test_cell_split_in_two(self, cells, _made):
        place = at(cells, CHECK + "masked_softmax")
        cells[place].source = 'check("bahdanau.masked_softmax",'
        cells.insert(place + 1, cell("python", "globals())"))

    def all_code_in_one_cell(self, cells, made):
        sources = [
            each.source for each in cells if each.cell_type == "code" and "train" not in each.metadata.get("tags", [])
        ]
        cells[:] = [cell("python", "\n\n".join(sources))]

    def only_the_functions_and_what_they_import(self, cells, _made):
        cells[:] = [cell("python", cells[at(cells, name)].source) for name in FUNCTIONS]
        cells.insert(0, cell("python", "import torch\nfrom torch import Tensor\nfrom jaxtyping import *"))

    def an_answer_that_is_imported_from_a_file_that_the_notebook_writes(self, cells, _made):
        place = at(cells, "masked_softmax")
        header = "import torch\nfrom torch import Tensor\nfrom jaxtyping import Bool, Float\n"
        cells[place].source = f"%%writefile mine.py\n{header}{cells[place].source}"
        cells.insert(place + 1, cell("python", "import sys; sys.path.insert(0, '.')\nfrom mine import masked_softmax"))

    def an_answer_through_exec(self, cells, _made):
        answer = cells[at(cells, "masked_softmax")]
        answer.source = f"exec({answer.source!r})"

    def an_answer_as_text(self, cells, _made):
        place = at(cells, "masked_softmax")
        cells[place].cell_type = "markdown"
        for name in ("outputs", "execution_count"):
            cells[place].pop(name, None)

    def the_answer_of_another_exercise_in_its_place(self, cells, _made):
        cells[at(cells, "additive_attention")].source = "def greedy_decode(*a):\n    return 1"

    def cells_without_type_source_metadata(self, cells, _made):
        cells += [{}, {"cell_type": "code"}, {"cell_type": "markdown", "source": None}, {"source": ["x", 1]}]

    def the_same_id_in_every_cell(self, cells, _made):
        for each in cells:
            each["id"] = "same"

    def ids_that_are_the_graders_own(self, cells, _made):
        for n, each in enumerate(cells):
            each["id"] = f"own-{n % 3}"

    def a_cell_with_an_attachment_and_an_unknown_field(self, cells, _made):
        cells[0]["attachments"] = {"image.png": {"image/png": "aGVsbG8="}}
        cells[0]["whatever"] = {"deep": [1, 2, {"er": None}]}

    def a_picture_pasted_into_the_written_answer(self, cells, _made):
        answer = cells[at(cells, "reading_a_matrix")]
        answer.source = "![image.png](attachment:image.png) ![gone](attachment:gone.png) ![x](attachment:)"
        answer["attachments"] = {"image.png": {"image/png": PNG}, "x": None, "": [7], "y": {"image/png": {"z": 1}}}

    def attachments_that_are_none_in_cells_of_every_type(self, cells, _made):
        odd = [None, 7, "x", [1], {"a": 1}, {"a": {"image/png": [None, 7]}}, {"a": {"image/svg+xml": "<svg/>"}}]
        for n, each in enumerate(cells):
            each["attachments"] = odd[n % len(odd)]
        cells += [cell("markdown", "![](attachment:a)"), cell("markdown", f"![x](data:image/png;base64,{PNG})")]

    def every_cell_collapsed_hidden_tagged_to_be_skipped(self, cells, _made):
        for each in cells:
            tags = [*each.metadata.get("tags", []), "skip-execution", "remove_cell"]
            each.metadata |= {"collapsed": True, "jupyter": {"source_hidden": True}, "tags": tags}

    def a_right_answer_tagged_as_training(self, cells, _made):
        cells[at(cells, "masked_softmax")].metadata["tags"] = ["train"]


class Pretences:
    """What is done to the notebook as it was released: it gets nothing."""

    def more_points_than_there_are_for_an_answer_that_is_not_there(self, cells, _made):
        for each in cells:
            if "nbgrader" in each.metadata:
                each.metadata.nbgrader |= {"points": 1000, "grade": True, "score": 1000}

    def a_graded_cell_of_its_own(self, cells, _made):
        own = cell("python", "1000.0")
        own.metadata |= graded("bonus", grade=True, locked=True, points=1000, cell_type="code", checksum="0" * 32)
        cells.append(own)

    def a_notebook_whose_metadata_say_its_score(self, _cells, made):
        made.metadata |= {"score": 29, "max_score": 29, "nbgrader": {"score": 29}}
        made.metadata["attention_workbook"] |= {"score": 29, "checks": [{"score": 29}]}

    def outputs_that_say_that_all_is_right(self, cells, _made):
        for each in cells:
            if each.cell_type == "code":
                number = {"text/plain": "11.0"}
                each.outputs = [
                    {"output_type": "stream", "name": "stdout", "text": "All 10 points.\n"},
                    {"output_type": "execute_result", "data": number, "metadata": {}, "execution_count": 1},
                ]

    def an_answer_tagged_as_training(self, cells, _made):
        cells[at(cells, "masked_softmax")].metadata["tags"] = ["train"]
        cells[at(cells, CHECK + "masked_softmax")].metadata["tags"] = ["train"]
