"""Similarity: a copy is found under the disguises that students know, and independent right answers are not alike."""

import ast
import inspect
import textwrap
from functools import cache
from itertools import combinations
from pathlib import Path

import nbformat
import pytest

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


class Renamed(ast.NodeTransformer):
    """Gives every name that is bound another one, but the exercise's own."""

    def __init__(self, kept: str) -> None:
        self.kept = kept
        self.names: dict[str, str] = {}

    def visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for field in ("id", "arg", "name"):
            if getattr(node, field, None) in self.names and not isinstance(node, ast.keyword):
                setattr(node, field, self.names[getattr(node, field)])
        return node


def renamed(tree: ast.Module, kept: str) -> ast.Module:
    disguise = Renamed(kept)
    for node in ast.walk(tree):
        stored = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        bound = node.id if stored else getattr(node, "arg" if isinstance(node, ast.arg) else "name", None)
        if bound and bound != kept:
            disguise.names.setdefault(bound, f"x{len(disguise.names)}")
    return disguise.visit(tree)


def swapped(tree: ast.Module, _: str) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Add):
            node.left, node.right = node.right, node.left
    return tree


def inserted(statement: str):
    def disguise(tree: ast.Module, _: str) -> ast.Module:
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                node.body[len(node.body) // 2 : len(node.body) // 2] = ast.parse(statement).body
        return tree

    return disguise


def reordered(tree: ast.Module, _: str) -> ast.Module:
    tree.body.reverse()
    return tree


DISGUISES = {
    "renamed": renamed,
    "swapped": swapped,
    "a dead assignment": inserted("unused = len('abc') + 1"),
    "a dead branch": inserted("if 1 > 2:\n    raise ValueError('never')"),
    "reordered": reordered,
}


def disguised(source: str, names: list[str], kept: str) -> str:
    tree = ast.parse(source)
    for name in names:
        tree = DISGUISES[name](tree, kept)
    return ast.unparse(ast.fix_missing_locations(tree))


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


@pytest.mark.parametrize("names", [*([name] for name in DISGUISES), [*DISGUISES]], ids=" and ".join)
def test_a_copy_is_found_under_its_disguise(released, tmp_path: Path, names: list[str]) -> None:
    copy = disguised(ANSWER, names, "additive_attention")
    submit(tmp_path, "a", {"additive_attention": ANSWER})
    submit(tmp_path, "b", {"additive_attention": copy})
    assert alike(tmp_path, "ab") == {("additive_attention", ("a", "b"))}
    [group] = similarity.similarity(tmp_path, "bahdanau", "ab").groups
    assert group.same_names == (names in (["swapped"], ["a dead branch"], ["reordered"]))


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


def test_independent_right_answers_are_not_alike_and_their_copies_are(released) -> None:
    """Of right answers to one function no pair is alike, and above 95 % of fully disguised copies are."""
    given_out = cache(similarity.given_out)
    pairs = false = copies = found = 0
    for check_id, answers in collected("right", "RIGHT").items():
        public = given_out(check_id.partition(".")[0])
        known: dict[str, set[str]] = {}
        for function in (function for _, function in answers if inspect.isfunction(function)):
            source, name = textwrap.dedent(inspect.getsource(function)), function.__name__
            if not source.startswith("def ") or source in known:
                continue
            known[source] = hashes_of(source, name) - public
            if len(known[source]) >= similarity.FEWEST:
                copies += 1
                copy = disguised(source, [*DISGUISES], name)
                found += are_alike(known[source], hashes_of(copy, name) - public)
        for one, other in combinations(known.values(), 2):
            pairs += 1
            false += are_alike(one, other)
    print(f"{false} of {pairs} independent pairs, {found} of {copies} disguised copies")
    assert pairs > 200
    assert false == 0
    assert found > 0.95 * copies


def hashes_of(source: str, name: str) -> set[str]:
    return set(fingerprint.fingerprints([source], [name])[name].hashes)


def are_alike(one: set[str], other: set[str]) -> bool:
    least = min(len(one), len(other))
    return least >= similarity.FEWEST and len(one & other) >= similarity.ALIKE * least
