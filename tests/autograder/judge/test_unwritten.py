"""What nobody has written is judged as on cases of its own; what is written in a way that no cell shows counts."""

from dataclasses import asdict

import nbformat
import pytest

from autograder.assignment import assignments, grade_id, template
from autograder.judge import judge as module
from autograder.judge.judge import Judge, Judged
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
def test_the_verdict_is_that_on_cases_of_its_own(course_judge: Judge, monkeypatch, name: str) -> None:
    once = judged(course_judge, name)
    monkeypatch.setattr(module._Run, "blank", property(lambda _: set(), lambda *_: None), raising=False)
    own = judged(course_judge, name)
    assert {f: asdict(v) for f, v in once.verdicts.items()} == {f: asdict(v) for f, v in own.verdicts.items()}
    assert (once.flags, once.score) == (own.flags, own.score)
    assert any("not written yet" in (verdict.hint or "") for verdict in once.verdicts.values())


def test_a_function_that_is_written_in_another_way_is_judged_on_cases_of_its_own(
    course_judge: Judge, monkeypatch
) -> None:
    cells = nbformat.read(source_notebook("bahdanau"), as_version=4).cells
    source = next(cell.source for cell in cells if grade_id(cell) == "masked_softmax")
    right = source.replace("def masked_softmax", "def mine")
    spared: list[str] = []
    once = module.arguments_once
    monkeypatch.setattr(module, "arguments_once", lambda check_id: spared.append(check_id) or once(check_id))
    verdict = judged(course_judge, "bahdanau", f"{right}\n\n\n{HIDDEN}").verdicts["masked_softmax"]
    assert {"bahdanau.masked_softmax", "bahdanau.additive_attention"} <= set(spared)
    assert (verdict.score, verdict.hint) == (verdict.max_score, None)
