"""Static analysis of a normalised notebook: flags for the teacher, the cells to run, and their definitions."""

import ast
import re
import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache, lru_cache
from typing import Any

from nbformat import NotebookNode

from autograder.assignment import CHECK, grade_id
from autograder.definition import definition
from autograder.kit.verdict.repair import Repair, repair
from autograder.places import ROOT
from autograder.submissions.notebook import check_call_id, defined_names, is_parsable, syntax_tree
from autograder.submissions.parse_untrusted import MOST_CELLS, TRAIN

MOST_FLAGS, LONGEST_FLAG = 50, 200
BEHIND = "looks behind the scenes: "  # a flag begins so, or as the course says; the name that stands out follows

# Of names in a cell: in full where it is imported, else ".attribute", in a text "'name"; an import's also
# as "import:name". The flag shows group 1.
STANDS_OUT = [
    (prefix, re.compile("".join(pattern.split())))
    for prefix, pattern in (
        (BEHIND, r"(exec|eval|compile)"),  # the builtins: `model.eval()` and `torch.compile` are everyday code
        (
            BEHIND,
            r"""(?:.*\.)?(__import__|_getframe|currentframe|ctypes|socket|get_objects|get_referrers|get_referents
            |__loader__|__subclasses__|__builtins__|__dict__|__globals__|__code__|__closure__|f_back|f_globals|f_locals
            |tb_frame|attrgetter|getattr_static|import_module)""",
        ),
        (
            BEHIND,
            r"""(gc|_?ctypes|cffi|builtins|marshal|unittest\.mock|importlib\.reload
            |inspect\.(?:stack|trace|getouterframes|getinnerframes|getmodule)
            |sys\.(?:modules|_current_frames|settrace|setprofile|meta_path|path_hooks|addaudithook)
            |traceback\.(?:walk_stack|extract_stack)|types\.(?:FunctionType|CodeType|ModuleType)
            |torch\.(?:ops|_C|_VF|_refs|_decomp|_prims|_inductor|library|utils\.cpp_extension))(?:\..*)?""",
        ),
        (BEHIND, r"(/proc|/sys)"),
        (BEHIND, r"import:(autograder\.(?!kit\b).*)"),  # of the grader only the kit is a student's
    )
]
LONGEST_CHAIN = 20  # attributes of attributes: each link is resolved again from the chain's beginning
SYSTEM = re.compile(r"(?<![\w.])(/proc|/sys)(?:/|$)")


@dataclass(frozen=True)
class OfCourse:
    """A flag of the course's: its sentence, the pattern of names, and the functions it is for (None: anywhere)."""

    says: str
    names: re.Pattern[str]
    within: re.Pattern[str] | None = None
    own: bool = False  # not if the notebook defines a function of that name itself


@cache
def of_course() -> list[OfCourse]:
    """Return the flags in the course's file, and those for its modules with answers."""
    course = definition()
    entries = tomllib.loads((ROOT / course.flags).read_text("utf-8"))["flag"] if course.flags else []
    answers = "|".join(rf"{re.escape(module)}(?:\..*)?" for module in course.answers)
    entries += [{"says": BEHIND, "names": f"import:({answers})"}] if answers else []
    return [
        OfCourse(
            each["says"],
            re.compile("".join(each["names"].split())),
            re.compile(each["within"]) if "within" in each else None,
            each.get("own", False),
        )
        for each in entries
    ]


def analyse(cells: list[NotebookNode], functions: list[str], broken: dict[str, str]) -> dict[str, Any]:
    """Return the fields of `parser_client.Analysis` for the cells of a notebook."""
    run = [cell for cell in cells if is_run(cell)]
    all_flags = [flag[:LONGEST_FLAG] for flag in flags([cell.source for cell in run])]
    more = len(all_flags) - MOST_FLAGS
    all_flags[MOST_FLAGS:] = [f"and {more} flags more"] if more > 0 else []
    by_cell = {cell.id: defines(cell, functions) for cell in run}
    repairs = {name: asdict(_repair(name, source, run, by_cell)) for name, source in broken.items()}
    return {"flags": all_flags, "defines": by_cell, "repairs": repairs}


def _repair(name: str, broken: str, cells: list[NotebookNode], by_cell: dict[str, list[str]]) -> Repair:
    """Return the repair of a broken function in the last cell that defines it."""
    sources = [cell.source for cell in cells if name in by_cell[cell.id]]
    return repair(broken, syntax_tree(sources[-1]) if sources else None, name)


def may_be_run(cell: NotebookNode) -> bool:
    """Return whether a cell is code that is not empty, no released check, and not tagged `train`; it is not parsed."""
    if cell.cell_type != "code" or grade_id(cell).startswith(CHECK) or not cell.source.strip():
        return False
    return TRAIN not in cell.metadata.get("tags", [])


def is_run(cell: NotebookNode) -> bool:
    """Return whether a cell is run in grading: `may_be_run`, and it does more than call `check`."""
    return may_be_run(cell) and check_call_id(cell.source) is None


def defines(cell: NotebookNode, functions: list[str]) -> list[str]:
    """Return the functions among these that a cell would define, found by text: it may not parse."""
    matches = set(re.findall(r"^[ \t]*(?:def|class)\s+(\w+)|^(\w+)\s*=", cell.source, re.MULTILINE))
    names = {name for pair in matches for name in pair} | {grade_id(cell)}
    return [function for function in functions if function in names]


def flags(sources: list[str]) -> list[str]:
    """Return the flags of the cells of one submission, each once, in the order of the code."""
    own = frozenset(name for source in sources for name in defined_names(source))
    imported = frozenset(pair for source in sources for pair in _imports(source))
    return list(dict.fromkeys(flag for source in sources for flag in _cell_flags(source, imported, own)))


@lru_cache(maxsize=MOST_CELLS)
def _cell_flags(source: str, imported: frozenset[tuple[str, str]], own: frozenset[str]) -> tuple[str, ...]:
    """Return the flags of a cell, given what all cells import and define."""
    if not is_parsable(source):
        return ("a cell is too long to be looked through",)
    tree, names = syntax_tree(source), dict(imported)
    return tuple(dict.fromkeys(flag for node in (ast.walk(tree) if tree else ()) for flag in _flags(node, names, own)))


def _flags(node: ast.AST, imported: dict[str, str], own: frozenset[str]) -> Iterator[str]:
    is_own = isinstance(node, ast.Name) and node.id in own
    anywhere = [(each.says, each.names) for each in of_course() if not each.within and not (each.own and is_own)]
    for name in _mentioned(node, imported):
        for prefix, pattern in (*anywhere, *STANDS_OUT):
            if match := pattern.fullmatch(name):
                yield prefix + match[1]
    yield from (f"{BEHIND}{lookup}" for lookup in _computed_lookups(node))
    for each in of_course():
        if each.within and isinstance(node, ast.FunctionDef) and each.within.fullmatch(node.name):
            inside = {_full_name(inner, imported) or getattr(inner, "attr", "") for inner in ast.walk(node)}
            yield from (f"{each.says}{name}" for name in sorted(inside) if each.names.fullmatch(name))


@lru_cache(maxsize=MOST_CELLS)
def _imports(source: str) -> tuple[tuple[str, str], ...]:
    """Return pairs (name, full name) of a cell's imports."""
    tree = syntax_tree(source)
    names: dict[str, str] = {}
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                names[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return tuple(names.items())


def _full_name(node: ast.AST, imported: dict[str, str]) -> str | None:
    """Return an expression's full name, `torch.nn.functional.softmax` for `F.softmax`; None where it is no import."""
    attributes: list[str] = []
    while isinstance(node, ast.Attribute) and len(attributes) < LONGEST_CHAIN:
        attributes.append(node.attr)
        node = node.value
    root = imported.get(node.id) if isinstance(node, ast.Name) else None
    return ".".join([root, *reversed(attributes)]) if root else None


def _mentioned(node: ast.AST, imported: dict[str, str]) -> Iterator[str]:
    """Yield the names in a syntax node, as STANDS_OUT reads them."""
    if isinstance(node, ast.Attribute):
        yield _full_name(node, imported) or f".{node.attr}"
    elif isinstance(node, ast.Name):
        yield imported.get(node.id, node.id)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from [f"'{node.value}"] if node.value.isidentifier() else SYSTEM.findall(node.value)
    elif isinstance(node, ast.Import | ast.ImportFrom):
        module = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
        yield from (f"{word}{module}{alias.name}" for alias in node.names for word in ("", "import:"))


def _computed_lookups(call: ast.AST) -> Iterator[str]:
    """Yield descriptions of look-ups whose attribute is only known at run time, by getattr, setattr or vars."""
    if not isinstance(call, ast.Call) or not call.args:
        return
    root = call.args[0]
    while isinstance(root, ast.Attribute):
        root = root.value
    if isinstance(root, ast.Name) and root.id in ("self", "cls"):  # on self or cls: ordinary code
        return
    function = getattr(call.func, "id", "")
    if function in ("getattr", "setattr") and len(call.args) > 1 and not isinstance(call.args[1], ast.Constant):
        yield f"{function} with a computed name"
    if function == "vars":
        yield "vars"
