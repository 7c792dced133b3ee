"""The cells that the running notebook ran last: they may be newer than its functions, and than its file."""

import ast
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from autograder.kit import course
from autograder.kit.course import collapsed, source_of
from autograder.kit.whole_file.dry_run_steps import has_definition, read


def older(function: str) -> list[str]:
    """Return a line where the newest cell with this function failed to define it: an older one is still defined."""
    running, cell = shell(), f"The cell with {function} that you ran last"
    try:
        tree = ast.parse(running.transform_cell(_newest(function)) if running else "")
    except SyntaxError as error:
        return [f"⚠ {cell} has a SyntaxError ({error.msg}) and changed nothing: this is about what was there before."]
    missing = [name for name in _imported(tree) if name not in sys.modules and find_spec(name) is None]
    return [f"⚠ {cell} imports {missing[0]}, which is not installed here, and ended there."] if missing else []


def _imported(tree: ast.Module) -> list[str]:
    """Return the packages that a cell imports before anything else runs."""
    names = [alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in tree.body if isinstance(node, ast.ImportFrom) and node.module and not node.level]
    return [name.partition(".")[0] for name in names]


def unsaved(path: Path) -> list[str]:
    """Return a line on the functions whose code in the notebook's file differs from the cells that were run last."""
    name, cells = read(path)
    saved = {collapsed(source_of(cell)) for cell in cells}
    newest = {part: _newest(part) for part in course.parts(name)}
    others = [part for part, source in newest.items() if source and collapsed(source) not in saved]
    if not others:
        return []
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    return [f"⚠ Not what you ran last: {others[0]}{more}. Run, save, check_all() again."]


def _newest(function: str) -> str:
    """Return the last cell run that defines a function, "" for none."""
    history = getattr(shell(), "history_manager", None)
    return (
        next((text for text in reversed(history.input_hist_raw) if has_definition(text, function)), "")
        if history
        else ""
    )


def shell() -> Any:
    """Return IPython's shell where a notebook runs, else None."""
    return sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
