"""A page of nothing but a figure, with the book's scripts and style."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.display import HTML

from autograder.places import ROOT

STATIC = ROOT / "book" / "_static"
NARROW = {"width": 360, "height": 800}
SMALL = "all => all.filter((each) => each.offsetHeight < 44 || each.offsetWidth < 44).length"  # for a finger
START = '<!DOCTYPE html><html lang="en" data-theme="light"><meta charset="utf-8">'  # without a theme: an e-reader


def opened(browser, folder: Path, figure: HTML | str, scripts: bool = True) -> Iterator:
    """Yield a narrow tab with the figure and all scripts of the book, as a page has them; an error in one fails."""
    head = "".join(f'<script src="{script.as_uri()}"></script>' for script in sorted(STATIC.glob("*.js")))
    head += f'<link rel="stylesheet" href="{(STATIC / "book.css").as_uri()}">'
    html = figure if isinstance(figure, str) else str(figure.data)
    path = folder / "page.html"
    path.write_text(f"{START}{head}{html}</html>", encoding="utf-8")
    yield from visited(browser, path.as_uri(), scripts)


def visited(browser, address: str, scripts: bool = True) -> Iterator:
    """Yield a narrow tab with a page; an error in a script fails."""
    context = browser.new_context(java_script_enabled=scripts, viewport=NARROW, reduced_motion="reduce")
    tab = context.new_page()
    errors = []
    tab.on("pageerror", lambda error: errors.append(error))
    tab.goto(address)
    yield tab
    context.close()
    if errors:
        pytest.fail(str(errors[0]))


def status(tab) -> str:
    """Return what the figure announces."""
    return tab.get_by_role("status").inner_text()


def is_narrow(tab) -> bool:
    """Return whether the page fits the tab's width."""
    return tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
