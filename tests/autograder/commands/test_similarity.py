"""Similarity: a copy is found under the disguises that students know, and independent right answers are not alike."""

import inspect
import re
import textwrap
from functools import cache
from itertools import combinations
from pathlib import Path

import nbformat
import pytest

from autograder.assignment import assignments
from autograder.places import released_notebook, source_notebook
from autograder.report import similarity
from autograder.submissions import fingerprint
from tests.answers import collected

ANSWER = """\
def additive_attention(query, keys, values, W_q, W_k, v, mask=None):
    hidden = torch.tanh((query @ W_q.T)[:, None] + keys @ W_k.T)
    scores = hidden @ v
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = normalised(scores)
    return (weights[..., None] * values).sum(1), weights

def normalised(scores):
    grown = torch.exp(scores - scores.amax(-1, keepdim=True))
    return grown / grown.sum(-1, keepdim=True)
"""


DISGUISES = {
    "swapped": ("(query @ W_q.T)[:, None] + keys @ W_k.T", "keys @ W_k.T + (query @ W_q.T)[:, None]"),
    "reordered": (ANSWER, ANSWER.partition("\n\n")[2] + "\n" + ANSWER.partition("\n\n")[0]),
    "a dead assignment": ("    scores = hidden", "    unused = len('abc') + 1\n    scores = hidden"),
    "renamed": (r"\b(hidden|scores|weights|query|keys|normalised|grown)\b", r"x_\1"),
}


def disguised(names: list[str]) -> str:
    source = ANSWER
    for name in names:
        old, new = DISGUISES[name]
        source, count = re.subn(old if name == "renamed" else re.escape(old), new, source)
        assert count
    return source


def submit(out: Path, student: str, cells: dict[str, str]) -> None:
    """Put a student's solution cells where `grade` puts autograded notebooks."""
    notebook = nbformat.read(released_notebook("bahdanau"), as_version=4)
    for cell in notebook.cells:
        cell.source = cells.get(cell.metadata.get("nbgrader", {}).get("grade_id"), cell.source)
    path = out / "autograded" / student / "bahdanau" / "bahdanau.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(notebook, path)


def alike(out: Path, students: str) -> set[tuple]:
    found = similarity.similarity(out, "bahdanau", students)
    return {(group.function, group.students) for group in found.groups}


@pytest.mark.parametrize("names", [*([name] for name in DISGUISES), ["reordered", "swapped", "renamed"]])
def test_a_copy_is_found_under_its_disguise(released, tmp_path: Path, names: list[str]) -> None:
    submit(tmp_path, "a", {"additive_attention": ANSWER})
    submit(tmp_path, "b", {"additive_attention": disguised(names)})
    assert alike(tmp_path, "ab") == {("additive_attention", ("a", "b"))}
    [group] = similarity.similarity(tmp_path, "bahdanau", "ab").groups
    assert group.same_names == (names in (["swapped"], ["reordered"]))


def test_what_is_released_or_public_is_taken_out_and_who_has_it_is_listed(released, tmp_path: Path) -> None:
    cells = nbformat.read(source_notebook("bahdanau"), as_version=4).cells
    solved = {cell.metadata.nbgrader.grade_id: cell.source for cell in cells if "nbgrader" in cell.metadata}
    public = {"repaired_attention": solved["repaired_attention"], "rnnsearch_step": solved["rnnsearch_step"]}
    other = (
        "def additive_attention(query, keys, values, W_q, W_k, v, mask=None):\n    s = keys.mean(1)\n    return s, v\n"
    )
    short = {"masked_softmax": "def masked_softmax(s, m):\n    return s.masked_fill(~m, -1e9).softmax(-1)\n"}
    submit(tmp_path, "a", short | public | {"additive_attention": ANSWER})
    submit(tmp_path, "b", short | public | {"additive_attention": other})
    submit(tmp_path, "c", {"masked_softmax": "def (", "additive_attention": "additive_attention = 3"})
    submit(tmp_path, "d", {"additive_attention": "def additive_attention(x):\n    return " + "-" * 3000 + "x"})
    submit(tmp_path, "e", {})
    (tmp_path / "autograded" / "e" / "bahdanau" / "bahdanau.ipynb").write_text("{")
    found = similarity.similarity(tmp_path, "bahdanau", "abcdef")
    assert not found.groups
    assert set(found.public) == {"a", "b"}
    assert set(found.public["a"]) == set(public)


def test_independent_right_answers_are_not_alike(released) -> None:
    given_out, pairs = cache(similarity.given_out), 0
    for check_id, answers in collected("right", "RIGHT").items():
        public = given_out(check_id.partition(".")[0])
        functions = [function for _, function in answers if inspect.isfunction(function)]
        sources = {textwrap.dedent(inspect.getsource(function)): function.__name__ for function in functions}
        known = [hashes_of(source, name) - public for source, name in sources.items() if source.startswith("def ")]
        for one, other in combinations(known, 2):
            pairs += 1
            least = min(len(one), len(other))
            assert least < similarity.FEWEST or len(one & other) < similarity.ALIKE * least, check_id
    assert pairs > 15 * len(assignments())


def hashes_of(source: str, name: str) -> set[str]:
    return set(fingerprint.fingerprints([source], [name])[name].hashes)
