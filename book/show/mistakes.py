"""The known mistakes of all checks, for teachers: read from the checks themselves whenever the book is built."""

from html import escape

from IPython.display import HTML

from autograder.assignment import assignments
from autograder.checks import Check, checks, hint_of
from autograder.kit.verdict.cases import title_of
from autograder.report.page import code

BY_HAND = "_by_hand"  # ends the name of a calculation on paper, whose mistakes are numbers


def titles(check: Check) -> list[str]:
    """Return the first sentences of a check's mistakes, each once: twins of one mistake have one title."""
    return list(dict.fromkeys(title_of(hint_of(mistake)) for mistake in check.mistakes))


def by_function(name: str) -> dict[str, list[str]]:
    """Return the titles of a notebook's mistakes by function, without the bug hunt and what is computed by hand."""
    known = {function: check for function, check in checks(name).items() if check.hunt is None}
    return {function: titles(check) for function, check in known.items() if not function.endswith(BY_HAND)}


def mistakes() -> HTML:
    """Return the mistakes of all notebooks of the course, folded function by function."""
    return HTML("\n".join(f"<h3>{escape(name)}</h3>\n{_folded(name)}" for name in assignments()))


def _folded(name: str) -> str:
    return "\n".join(
        f"<details><summary><code>{escape(function)}</code>: {len(known)}</summary>\n<ul>"
        + "".join(f"<li>{code(title)}</li>" for title in known)
        + "</ul></details>"
        for function, known in by_function(name).items()
        if known
    )
