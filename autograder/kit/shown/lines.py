"""Lines of a report that fit into a notebook: JupyterLab breaks longer ones in the middle of a word."""

import contextlib
import sys
import textwrap

WIDTH = 96  # characters, in a window of 1,280 pixels with the file browser open
VERBATIM = "    "  # begins a line of code, or of what a function prints


def fitting(text: str) -> str:
    """Return a text with its long lines broken between words; verbatim lines stay as they are."""
    return "\n".join(_broken(line) for line in text.split("\n"))


def console_takes_all() -> None:
    """Let a console without a letter, as some of Windows lack ✓, show another: no check ends in an error."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError):  # a notebook's takes all
            stream.reconfigure(errors="replace")  # pyright: ignore[reportAttributeAccessIssue]


def _broken(line: str) -> str:
    if len(line) <= WIDTH or line.startswith(VERBATIM):
        return line
    indent = VERBATIM if line.startswith(" ") else ""
    return textwrap.fill(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
