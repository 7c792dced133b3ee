"""From NAME/notebook.md to nbgrader's source notebook: the solved one, with the marks that nbgrader cuts along.

A code cell that begins with `#| exercise FUNCTION` becomes the solved function; `of=OTHER` takes another function's
body, `with=A,NAME.B` puts helpers of the module, or of NAME's, inside the solution. `#| check FUNCTION` becomes the
test cell. `#| broken FUNCTION` becomes the broken function of a bug hunt, its lines numbered, and `{kinds}` in a text
the list of kinds from which its bug is chosen. `#| setup`, in the first code cell, becomes the search for the kit;
`#| earlier NAME.A,NAME.B` the cell into which students copy their functions of earlier notebooks. A text cell with
`+++ {"written": "ID"}` above it is answered in words and graded by hand; points and answers are the checks'.
`{points FUNCTION}`, or `{points ID}`, in a text becomes the points of the checks: "10, by the check", or "★ 4 bonus, by
the check" of a starred task.
"""

import hashlib
import re
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import jupytext
import nbformat
from nbformat import NotebookNode

from autograder.assignment import CHECK, OWN, grade_id
from autograder.checks import Check, Hunt, Written, assignments, checks, find, questions, written
from autograder.checks.hunts import KINDS
from autograder.definition import definition
from autograder.judge.timing import Limits
from autograder.kit.verdict.repair import numbered
from autograder.online import badge, parts, students_repository
from autograder.places import ROOT
from autograder.release.blank import BlankError, Module, solved
from autograder.submissions.parse_untrusted import TRAIN

KINDS_OF_BUGS = "\n".join(f"- ({letter}) {kind}" for letter, kind in zip(ascii_lowercase, KINDS, strict=False))
POINTS = re.compile(r"\{points ([\w, ]+)\}")
MARK = re.compile(r"#\|\s*(?P<verb>\w+)\s*(?P<words>.*)")
SCHEMA = 3  # of nbgrader's cell metadata
SETUP = Path(__file__).parent / "templates" / "setup.py"
SEARCH = "here = Path.cwd()\n"  # where the search for the kit begins
TEXTS = ("earlier.txt", "rules.txt", "colab.txt")
EARLIER, RULES, COLAB = (Path(__file__).parent / "templates" / name for name in TEXTS)
UNREADY = "# NameError: name 'check' is not defined? Run the first code cell, the one with your function, this one."
GRADED = "**How it is graded.**"
SKIPPED = "skip-execution"  # the tag of cells that `nbgrader validate` leaves out; in Jupyter it means nothing
MAY_FAIL = "raises-exception"  # the tag of cells whose error does not stop Jupyter's "Run All"


def setup() -> str:
    """Return the cell that finds the kit; NAME stands for the assignment."""
    return SETUP.read_text(encoding="utf-8").replace("SLUG", definition().slug)


def build_source(name: str) -> NotebookNode:
    """Return the solved notebook of a name; raise BlankError for a mark that cannot be carried out."""
    path = ROOT / definition().notebook(name)
    if not path.exists():
        raise BlankError(
            f"{definition().notebook(name)} does not exist; there are exercises for {', '.join(assignments())}"
        )
    notebook = jupytext.read(path, fmt="md:myst")
    module, hunt = Module.of(name), Module.of_hunt(name)
    for cell in notebook.cells:
        first_line = cell.source.partition("\n")[0]
        try:
            _build_cell(cell, name, module, hunt)
            if cell.cell_type == "markdown":
                cell.source = cell.source.replace("{kinds}", KINDS_OF_BUGS)
                cell.source = POINTS.sub(lambda mark: _points(name, mark[1]), cell.source)
        except (BlankError, LookupError) as error:
            reason = error.args[0] if isinstance(error, LookupError) else error
            raise BlankError(f"{definition().notebook(name)}, the cell '{first_line}': {reason}") from error
    _demand_both_cells(name, notebook.cells)
    _let_unfinished_fail(notebook.cells)
    _add_rules(name, notebook.cells)
    _add_badge(name, notebook.cells)
    _name_cells(notebook.cells)
    notebook.metadata = nbformat.from_dict(
        {
            OWN: {"assignment": name},
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    nbformat.validate(notebook)
    return notebook


def _build_cell(cell: NotebookNode, name: str, module: Module, hunt: Module | None) -> None:
    """Replace a marked cell's source and set its metadata, in place; cells that train get the tag SKIPPED."""
    if TRAIN in cell.metadata.get("tags", []):
        cell.metadata.tags.append(SKIPPED)
    if "written" in cell.metadata:
        question = cell.metadata.pop("written")
        answer = written(name, question)
        _grade(cell, question, points=answer.points, grade=True, solution=True)
        if answer.rubric:
            cell.metadata[OWN] = {"rubric": [list(item) for item in answer.rubric.items()]}
        cell.source = answer.text
        return
    if cell.cell_type == "code" and (mark := MARK.match(cell.source)):
        _carry_out(mark, cell, name, module, hunt)


def _carry_out(mark: re.Match[str], cell: NotebookNode, name: str, module: Module, hunt: Module | None) -> None:
    """Carry out the mark of a code cell."""
    verb = mark["verb"]
    if verb == "setup":
        text = setup().replace("NAME", name).replace(SEARCH, _colab() + SEARCH)
        cell.source = text + cell.source.partition("\n")[2]
        return
    if verb == "earlier":
        cell.source = _earlier(name, [word.strip() for word in mark["words"].split(",")])
        return
    function, options = _options(mark["words"])
    if verb == "broken":
        cell.source = numbered(_hunt(name).source)
    elif verb == "exercise":
        title = function if "of" in options else ""
        helpers = [helper for helper in options.get("with", "").split(",") if helper]
        owner = hunt if hunt and function in hunt.functions else module
        cell.source = solved(owner, options.get("of", function), helpers, title)
        _grade(cell, function, solution=True)
    elif verb == "check":
        of = find(f"{name}.{function}")
        cell.source = f'check("{name}.{function}", globals())\n{UNREADY}'
        _grade(cell, f"{CHECK}{function}", points=of.core_points, grade=True, locked=True)
        if of.stars:
            cell.metadata[OWN] = {"stars": of.stars, "bonus": of.max_points}
    else:
        raise BlankError(f"'{verb}' is no mark: expected 'setup', 'earlier', 'exercise', 'check' or 'broken'")


def _colab() -> str:
    """Return the lines that fetch the kit in Colab, "" where no repository is named for it."""
    if not (repository := students_repository()):
        return ""
    owner, project, branch = parts(repository)
    text = COLAB.read_text(encoding="utf-8")
    return text.replace("OWNER", owner).replace("PROJECT", project).replace("BRANCH", branch)


def _hunt(name: str) -> Hunt:
    """Return the bug hunt of a name."""
    hunts = [check.hunt for check in checks(name).values() if check.hunt]
    if not hunts:
        raise BlankError(f"{definition().checks(name)} has no Hunt")
    return hunts[0]


def _earlier(name: str, check_ids: list[str]) -> str:
    """Return the cell that takes functions of earlier notebooks: the student's own, else the given ones."""
    names, lines = [], []
    for check_id in check_ids:
        chapter, _, function = check_id.partition(".")
        if chapter == name or not function:
            raise BlankError(f"'{check_id}' is not of an earlier notebook: expected NAME.FUNCTION, with another NAME")
        find(check_id)
        Module.of(chapter).find(function)
        names.append(f"{function} (of {chapter})")
        lines.append(f'{function} = own_or_given("{check_id}", globals())')
    return EARLIER.read_text(encoding="utf-8").replace("FUNCTIONS", ", ".join(names)) + "\n".join(lines)


def _demand_both_cells(name: str, cells: list[NotebookNode]) -> None:
    """Raise BlankError unless each exercise has its check in the notebook, and each check its exercise."""
    graded = {grade_id(cell) for cell in cells if cell.cell_type == "code"} - {""}
    checked = {cell.removeprefix(CHECK) for cell in graded if cell.startswith(CHECK)}
    written_out = {cell for cell in graded if not cell.startswith(CHECK)}
    for verb, missing in (("check", written_out - checked), ("exercise", checked - written_out)):
        for function in sorted(missing):
            raise BlankError(
                f"{definition().notebook(name)} has no cell `#| {verb} {function}`, which belongs to the other one"
            )


def _let_unfinished_fail(cells: list[NotebookNode]) -> None:
    """Let "Run All" go on past every part that is not finished: nobody has to begin with the first one."""
    code = [cell for cell in cells if cell.cell_type == "code"]
    first = next((i for i, cell in enumerate(code) if grade_id(cell)), len(code))
    for cell in code[first:]:
        if TRAIN not in cell.metadata.get("tags", []):
            cell.metadata.setdefault("tags", []).append(MAY_FAIL)


def _points(name: str, items: str) -> str:
    """Return the text for `{points ITEMS}`: the points of functions, or of a question that a person grades."""
    names = [item.strip() for item in items.split(",")]
    known = checks(name) | questions(name)
    if unknown := [item for item in names if item not in known]:
        expected = ", ".join(known)
        raise BlankError(f"{{points {items}}}: nothing is called {', '.join(unknown)}: expected some of {expected}")
    amounts, kinds, givers = zip(*(_amount(known[item]) for item in names), strict=True)
    if len({*zip(kinds, givers, strict=True)}) > 1:
        raise BlankError(
            f"{{points {items}}} names functions, starred ones or questions together: expected only one kind"
        )
    same = len(set(amounts)) == 1
    amount = amounts[0] if same else " + ".join(amounts)
    return f"{amount}{kinds[0]}{' each' if same and len(amounts) > 1 else ''}, by {givers[0]}"


def _amount(of: Check | Written) -> tuple[str, str, str]:
    """Return the points of a function or question in words, "★ 4", with "bonus" or not, and their giver."""
    if isinstance(of, Written):
        return f"{of.points:g}", "", "your teacher"
    return f"{'★' * of.stars} {of.max_points}".strip(), " bonus" if of.stars else "", "the check"


def _options(words: str) -> tuple[str, dict[str, str]]:
    """Return the function of a mark and its options: "f of=g with=a,b" → f, {of: g, with: a,b}."""
    function, *rest = words.split() or [""]
    options = {key: value for key, _, value in (word.partition("=") for word in rest)}
    if not function or set(options) - {"of", "with"}:
        raise BlankError("expected FUNCTION [of=OTHER] [with=HELPER,HELPER] behind the mark")
    return function, options


def _grade(cell: NotebookNode, grade_id: str, points: float | None = None, **kind: bool) -> None:
    """Set nbgrader's metadata of a cell."""
    grader: dict[str, Any] = {"grade": False, "solution": False, "locked": False, "task": False} | kind
    grader |= {"grade_id": grade_id, "schema_version": SCHEMA, "cell_type": cell.cell_type}
    cell.metadata["nbgrader"] = grader if points is None else grader | {"points": points}


def _add_badge(name: str, cells: list[NotebookNode]) -> None:
    """Add a badge below the title that opens the notebook in Colab, where a repository is named for it."""
    if mark := badge(name, students_repository()):
        first = next(cell for cell in cells if cell.cell_type == "markdown")
        title, _, rest = first.source.partition("\n")
        first.source = f"{title}\n\n{mark}\n{rest}"


def _add_rules(name: str, cells: list[NotebookNode]) -> None:
    """Add the rules of every notebook to the paragraph on its grading, else to the first text cell."""
    texts = [cell for cell in cells if cell.cell_type == "markdown"]
    intro = next((cell for cell in texts if GRADED in cell.source), texts[0])
    paragraphs = intro.source.split("\n\n")
    behind = next((i for i, text in enumerate(paragraphs, 1) if text.startswith(GRADED)), len(paragraphs))
    rules = RULES.read_text(encoding="utf-8").strip().replace("NAME", name).replace("TIME", Limits().rule)
    paragraphs[behind:behind] = [rules]
    intro.source = "\n\n".join(paragraphs)


def _name_cells(cells: list[NotebookNode]) -> None:
    """Give each cell an id that stays when other cells are added: its grade_id, or a digest of its text."""
    seen: dict[str, int] = {}
    for cell in cells:
        own_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        name = own_id or f"{cell.cell_type}-{hashlib.sha256(cell.source.encode()).hexdigest()[:8]}"
        seen[name] = seen.get(name, 0) + 1
        cell["id"] = name if seen[name] == 1 else f"{name}-{seen[name]}"
