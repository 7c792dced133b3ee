"""The pages on where to run the course: their commands are ones that there are, and the files that they name."""

import re
import shlex
from pathlib import Path

import pytest

from autograder import __main__ as command
from autograder.places import ROOT
from book.contents import page_file

PAGES = [page_file("where_to_run"), page_file("gradescope"), ROOT / "examples" / "github" / "README.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_each_command_on_the_page_is_one_that_there_is(page: Path) -> None:
    text = page.read_text("utf-8")
    typed = re.findall(r"python -m autograder ([^`#\n]+)", text)
    assert typed
    for words in typed:
        command.arguments().parse_args(shlex.split(words))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_each_file_that_the_page_names_is_there(page: Path) -> None:
    named = re.findall(r"`((?:examples|tests|book)/[\w./]+)`", page.read_text("utf-8"))
    named += [page.parent / name for name in re.findall(r"\]\(([\w./]+\.md)\)", page.read_text("utf-8"))]
    assert [name for name in named if not (ROOT / name).exists()] == []
