"""The judge: what a submission is given depends on the numbers its functions return, and on nothing else it does."""

from collections.abc import Callable

import numpy as np
import pytest

from autograder import checks
from autograder.judge import seed
from autograder.judge.judge import Judge, Judged, hidden_cases, refused, shown
from autograder.judge.session import Limits
from autograder.kit.calls.call import arrays
from autograder.sandbox import sandbox
from autograder.submissions.normalise import submission
from autograder.submissions.notebook import Unreadable
from tests.support.notebooks import (
    BLANK,
    FUNCTION,
    MISTAKE,
    NAME,
    RIGHT,
    WRONG,
    as_bytes,
    cells,
    code,
    form,
    graded,
    markdown,
    tree,
)

ALL = checks.find(f"{NAME}.{FUNCTION}").max_points
type_given = list[dict] | dict


@pytest.fixture(scope="module")
def judge(built: sandbox.Sandbox) -> Judge:
    return Judge(
        built, b"the secret of this test's course", Limits(cell=4, check=2, notebook=120, grace=0.5, patience=25)
    )


@pytest.fixture(scope="module")
def judged(judge: Judge) -> Callable[..., Judged]:
    def judged(content: type_given, student: str = "ada") -> Judged:
        written = as_bytes(content)
        return judge.notebook(submission(written, form(), [NAME, "luong"]), form(), written, student)

    return judged


def test_right_gets_all_and_blank_nothing(judged) -> None:
    right = judged(cells(RIGHT))
    assert (right.score, right.max_score, right.error) == (ALL, ALL, None)
    assert judged(cells(BLANK)).score == 0


def test_a_known_mistake_is_named_and_loses_points(judged) -> None:
    verdict = judged(cells(WRONG)).verdicts[FUNCTION]
    assert 0 < verdict.score < ALL
    assert verdict.mistakes == [MISTAKE]
    assert verdict.titles[0] in verdict.hint


NEEDS_HELPER = "def masked_softmax(scores, mask=None):\n    return helper(scores, mask)"


@pytest.mark.parametrize(
    ("before", "behind", "why"),
    [
        ("from einops import helper", "x = 1", "the cell that imports it stopped with ModuleNotFoundError: No module"),
        ("x = 1", RIGHT.replace("masked_softmax", "helper"), "it is defined in a cell further down"),
        ("x = 1", "y = 2", "is not defined\n"),
    ],
)
def test_a_name_that_is_missing_is_explained(judged, before: str, behind: str, why: str) -> None:
    content = cells(NEEDS_HELPER)
    content.insert(1, code(before))
    content.append(code(behind))
    verdict = judged(content).verdicts[FUNCTION]
    assert verdict.score == 0
    assert f"NameError: name 'helper' is not defined{'' if why.startswith('is not') else f' ({why}'}" in verdict.hint


def test_inputs_are_fresh_for_each_and_the_same_again(judge: Judge) -> None:
    def draw(*about: str) -> np.ndarray:
        cases = checks.find(f"{NAME}.{FUNCTION}").draw(seed.generator(judge.secret, *about))
        return next(iter(cases[0].arguments.values()))

    first = draw(NAME, "ada", "hash", FUNCTION)
    assert np.array_equal(first, draw(NAME, "ada", "hash", FUNCTION))
    for other in [(NAME, "bo", "hash", FUNCTION), (NAME, "ada", "hash2", FUNCTION), (NAME, "ada", "hash", "other")]:
        assert not np.array_equal(first, draw(*other))
    # No two lists of names run together to the same message.
    assert not np.array_equal(draw("a", "bc", "", ""), draw("ab", "c", "", ""))


CHECK_ID = f"{NAME}.{FUNCTION}"


def inputs(secret: bytes, student: str, digest: str) -> bytes:
    """Return all numbers with which a submission's function is called."""
    cases = hidden_cases(secret, student, digest, CHECK_ID)
    return b"".join(array.tobytes() for case in cases for array in arrays(list(case.arguments.values())))


def test_first_hand_ins_share_sixteen_sets_of_inputs_and_those_who_hand_in_again_have_their_own(judge: Judge) -> None:
    people = [f"student {number}" for number in range(80)]
    first = {student: inputs(judge.secret, student, "") for student in people}
    assert seed.VARIANTS / 2 < len(set(first.values())) <= seed.VARIANTS
    assert first == {student: inputs(judge.secret, student, "") for student in people}
    assert first["student 1"] != inputs(b"another course's secret", "student 1", "")
    again = [inputs(judge.secret, student, digest) for student in people[:8] for digest in ("second", "third")]
    assert len(set(again)) == 16
    assert not set(again) & set(first.values())


def test_a_submission_leaves_nothing_in_the_inputs_that_the_next_one_shares(judge: Judge) -> None:
    students = [f"student {number}" for number in range(40)]
    one, two = [each for each in students if inputs(judge.secret, each, "") == inputs(judge.secret, "student 0", "")][
        :2
    ]
    before = inputs(judge.secret, one, "")
    writes = RIGHT.replace("):\n", "):\n    scores.zero_()\n", 1)
    for student, source in ((one, writes), (one, WRONG), (two, RIGHT)):
        written = as_bytes(cells(source))
        notebook = submission(written, form(), [NAME, "luong"])
        score = judge.notebook(notebook, form(), written, student, is_first=True).score
        assert (score == ALL) == (source == RIGHT)
    assert inputs(judge.secret, two, "") == before


def test_flags_tell_and_do_not_judge(judged) -> None:
    used = "from torch.nn.functional import scaled_dot_product_attention"
    result = judged([code(used), *cells(RIGHT)])
    assert result.score == ALL
    assert result.flags == ["torch's own attention: scaled_dot_product_attention"]
    assert judged(cells(RIGHT)).flags == []
    slip = judged(cells(f"{RIGHT}\n)"))
    assert (slip.flags, [note.partition(" (")[0] for note in slip.notes]) == (
        [],
        [f"{FUNCTION}: SyntaxError: unmatched ')'"],
    )


def test_the_notebook_of_another_assignment_is_refused() -> None:
    other = tree(cells(RIGHT), attention_workbook={"assignment": "luong"})
    with pytest.raises(Unreadable, match="this is the notebook of 'luong', expected that of 'bahdanau'"):
        submission(as_bytes(other), form(), [NAME, "luong"])


def test_a_notebook_of_no_assignment_is_refused_and_one_that_only_lost_its_metadata_is_not() -> None:
    with pytest.raises(Unreadable, match="no cell of 'bahdanau'"):
        submission(as_bytes(tree([code("print('hello')"), markdown("")], kernelspec={})), form(), [NAME])
    for kept in (code(RIGHT), markdown(cells()[0]["source"]), code("", **graded("written"))):
        assert submission(as_bytes(tree([kept], kernelspec={})), form(), [NAME]).cells


def test_what_nbgrader_reads_from_a_verdict(judged) -> None:
    """Full marks: no error and no number. Partial credit: the number last. Nothing: an error that says why."""
    full, part = (shown(judged(cells(answer)).verdicts[FUNCTION]) for answer in (RIGHT, WRONG))
    none = shown(refused(form(), "it is empty").verdicts[FUNCTION])
    assert [output["output_type"] for output in full] == ["stream"]
    assert [output["output_type"] for output in part] == ["stream", "display_data", "execute_result"]
    assert 0 < float(part[-1]["data"]["text/plain"]) < ALL
    assert none[0]["output_type"] == "error"
    assert "it is empty" in "\n".join(none[0]["traceback"])


def test_the_secret_is_made_once_and_for_its_owner_only(tmp_path) -> None:
    path = tmp_path / "deep" / "secret"
    first = seed.load(path)
    assert seed.load(path) == first
    assert len(first) >= 32
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    with pytest.raises(PermissionError, match="chmod 600"):
        seed.load(path)
