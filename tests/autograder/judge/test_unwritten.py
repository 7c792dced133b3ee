"""What a notebook leaves as it was released is judged as ever, at less cost; what is written in another way counts."""

import dataclasses

import nbformat
import pytest

from autograder.assignment import assignments, grade_id, template
from autograder.judge.judge import Judge, Judged, _Run
from autograder.places import released_notebook, source_notebook
from autograder.submissions.normalise import submission

HIDDEN = "globals()['masked_' + 'softmax'] = mine"  # no cell says that it defines the function


def judged(judge: Judge, name: str, *below: str) -> Judged:
    """Judge the released notebook, with own cells below its first answer."""
    notebook = nbformat.read(released_notebook(name), as_version=4)
    place = next(n for n, cell in enumerate(notebook.cells) if grade_id(cell) == "masked_softmax") if below else 0
    notebook.cells[place + 1 : place + 1] = [nbformat.v4.new_code_cell(source) for source in below]
    content = nbformat.writes(notebook).encode()
    form = template(name)
    return judge.notebook(submission(content, form, assignments()), form, content, "ada")


@pytest.mark.parametrize("name", ["bahdanau", "encoder_decoder"])
def test_the_verdict_is_that_on_cases_of_its_own(
    course_judge: Judge, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    short = judged(course_judge, name)
    monkeypatch.setattr(_Run, "_is_unwritten", lambda *_: False)
    long = judged(course_judge, name)
    assert {f: dataclasses.asdict(v) for f, v in short.verdicts.items()} == {
        f: dataclasses.asdict(v) for f, v in long.verdicts.items()
    }
    assert (short.flags, short.score) == (long.flags, long.score)
    assert any("not written yet" in (verdict.hint or "") for verdict in short.verdicts.values())


def test_a_function_that_is_written_in_another_way_is_judged_on_cases_of_its_own(
    course_judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = nbformat.read(source_notebook("bahdanau"), as_version=4).cells
    source = next(cell.source for cell in cells if grade_id(cell) == "masked_softmax")
    right = source.replace("def masked_softmax", "def mine")
    decided: dict[str, bool] = {}
    is_unwritten = _Run._is_unwritten

    def noted(run: _Run, check_id: str, function: str) -> bool:
        decided[function] = is_unwritten(run, check_id, function)
        return decided[function]

    monkeypatch.setattr(_Run, "_is_unwritten", noted)
    verdict = judged(course_judge, "bahdanau", f"{right}\n\n\n{HIDDEN}").verdicts["masked_softmax"]
    assert (decided["masked_softmax"], decided["additive_attention"]) == (False, True)
    assert (verdict.score, verdict.hint) == (verdict.max_score, None)
