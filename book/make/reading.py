"""How long a lesson takes to read, by the rule in book/notation.md, until readers have been timed.

`python book/make/reading.py` prints each chapter's words and minutes, as its head should have them.
"""

import ast
import re
import sys
from math import ceil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)] if str(ROOT) not in sys.path else []  # run as a script
from book.contents import chapters, page_file  # noqa: E402

MOST_WORDS = 3000  # of a lesson, as `wc -w` counts them: what it leaves out has pages of its own
SHORTER = {"encoder_decoder": 2000}  # words of a lesson that has less room than the others
WORDS, FORMULAS, LINES = 100, 1, 12  # that are read in a minute: of prose, displayed, of code
HEAD = re.compile(r"\A---\n.*?^---\n", re.DOTALL | re.MULTILINE)
FORMULA = re.compile(r"^\$\$.*?^\$\$", re.DOTALL | re.MULTILINE)
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n((?::[^\n]*\n)*)(.*?)^```", re.DOTALL | re.MULTILINE)
LISTING = re.compile(r"^```\{literalinclude\} (\S+)\n:pyobject: (\S+)\n.*?^```", re.DOTALL | re.MULTILINE)
LISTINGS = re.compile(r"^```\{listing\} (\S+) (.+)\n```", re.MULTILINE)


def minutes(text: str, folder: Path = ROOT / "book") -> int:
    """Return the minutes of a page with this source, rounded up to five."""
    text = HEAD.sub("", text)
    code = [body for tags, body in CELL.findall(text) if "remove" not in tags and "hide" not in tags]
    code += [listing(folder / file, name) for file, name in LISTING.findall(text)]
    code += [listing(folder / file, name) for file, names in LISTINGS.findall(text) for name in names.split()]
    lines = [line for each in code for line in each.splitlines() if line.strip()]
    prose = LISTINGS.sub("", LISTING.sub("", CELL.sub("", FORMULA.sub("", text))))
    formulas = len(FORMULA.findall(text))
    return 5 * ceil((len(prose.split()) / WORDS + formulas / FORMULAS + len(lines) / LINES) / 5)


def listing(file: Path, name: str) -> str:
    """Return the source of a function or a method, CLASS.METHOD, of a file."""
    text = file.read_text("utf-8")
    node: ast.AST = ast.parse(text)
    for part in name.split("."):
        node = next(each for each in ast.iter_child_nodes(node) if getattr(each, "name", "") == part)
    return ast.get_source_segment(text, node) or ""


if __name__ == "__main__":
    for name in chapters():
        source = page_file(name).read_text("utf-8")
        print(f"{name:16} {len(source.split()):6} words {minutes(source, page_file(name).parent):4} min")
