"""English and names that hold themselves: docstrings name the thing, truths have a prefix, names say what they hold."""

import ast
import re
from collections.abc import Iterator

import pytest

from autograder.places import ROOT

ROOMS = ("autograder", "lab", "solutions", "book", "exercises", "benchmarks", "examples")
FREE_CLAUSE = re.compile(r"(Return|Yield) (what|who|whose|which|how|where|why)\b")
TRUTH = re.compile(r"_?(is|has|can|are|may|should|needs)(_|$)|__\w+__$")
SAYS_LITTLE = frozenset({"asked", "found", "said", "shown", "there", "told"})
MANY = 6  # parameters of which a docstring speaks one by one
# Names of truths that stay, each with its reason.
TRUTHS_THAT_STAY = {
    "writable",  # the name in Python's io
    "chance",  # draws at random, and says nothing of its object
    "predicts",  # read by this name, also of models that lack it; pinned models know their code by a digest
}
HANDED_IN = re.compile(r"examples/class/|exercises/\w+/hunt\.py")  # students' notebooks, and their broken functions
# Whose arguments are explained elsewhere.
EXPLAINED_ELSEWHERE = re.compile(
    r"solutions/\w+/attention\.py"  # taught: shapes in the signature, a formula, and the lesson around it
    r"|exercises/"  # arguments of taught functions, and of CaseInput
    r"|examples/class/"  # hand-ins of students
    r"|book/_ext/drawing\.py"  # a role of docutils, whose API names them
)
PATHS = {path.relative_to(ROOT).as_posix(): path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))}


def faults(file: str, source: str) -> Iterator[str]:
    """Yield a sentence on each name and docstring in a file that breaks a rule."""
    tree = ast.parse(source)
    fields = {node.target for each in ast.walk(tree) if isinstance(each, ast.ClassDef) for node in annotated(each)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield from (f"{file}:{node.lineno}: {node.name} {fault}" for fault in faults_of_function(file, node))
        name = node.arg if isinstance(node, ast.arg) else node.id if isinstance(node, ast.Name) else ""
        is_bound = isinstance(node, ast.arg) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
        if name in SAYS_LITTLE and is_bound and node not in fields and not HANDED_IN.match(file):
            yield f"{file}:{node.lineno}: a variable is called `{name}`: call it by what it holds"


def annotated(kind: ast.ClassDef) -> list[ast.AnnAssign]:
    """Return the annotated fields of a class, whose names may stand in files and on command lines."""
    return [node for node in kind.body if isinstance(node, ast.AnnAssign)]


def faults_of_function(file: str, node: ast.FunctionDef) -> Iterator[str]:
    """Yield the faults of a function, without its name."""
    text = ast.get_docstring(node) or ""
    if FREE_CLAUSE.match(text):
        yield f"begins with “{' '.join(text.split()[:2])} …”: name the thing that it returns"
    is_truth = node.returns is not None and ast.unparse(node.returns) == "bool"
    only_tells = not text or text.startswith("Return ")  # and does nothing besides
    if is_truth and only_tells and not (TRUTH.match(node.name) or node.name in TRUTHS_THAT_STAY):
        yield "returns a truth: call it is_…, has_…, can_…, are_…, may_…, should_… or needs_…"
    names = {each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)} - {"self", "cls"}
    missing = sorted(name for name in names if not re.search(rf"\b{name}\b", text))
    if len(names) >= MANY and missing and not node.name.startswith("__") and not EXPLAINED_ELSEWHERE.match(file):
        yield f"has {len(names)} parameters, and its docstring does not speak of {', '.join(missing)}"


@pytest.mark.parametrize("room", ROOMS)
def test_docstrings_and_names_hold_themselves(room: str) -> None:
    files = {file: path for file, path in PATHS.items() if file.startswith(f"{room}/")}
    wrong = [fault for file, path in files.items() for fault in faults(file, path.read_text("utf-8"))]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "source",
    [
        'def f():\n    """Return what it holds."""',
        'def late() -> bool:\n    """Return whether it is late."""',
        'def f(a, b, c, d, e, height):\n    """Draw a, b, c, d and e."""',
        "def f(text):\n    said = text",
    ],
    ids=["a free clause", "a truth", "six parameters", "a name"],
)
def test_each_rule_finds_what_breaks_it(source: str) -> None:
    assert len(list(faults("lab/file.py", source))) == 1
