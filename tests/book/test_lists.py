"""Lists of chapters and the tree of folders stand in README, CONTRIBUTING, TEACHING and on the cover as made."""

import re
import shlex
import subprocess
from pathlib import PurePath

import pytest

from autograder import __main__ as command
from autograder.places import ROOT
from book.contents import all_chapters, page_file
from book.make import lists

DEEPEST = 2  # folders of folders that the tree shows
MOST_LINES = {"README.md": 135, "CONTRIBUTING.md": 80}
MOST_WORDS = 700  # of a page of the grader's reference
REFERENCE = [ROOT / "autograder" / "README.md", *sorted((ROOT / "autograder" / "docs").glob("*.md"))]


@pytest.mark.parametrize("place", lists.PLACES)
def test_a_list_is_what_the_chapters_say(place: str) -> None:
    text = (ROOT / place).read_text("utf-8")
    assert lists.BLOCK.findall(text), f"{place} has no list: leave it out of PLACES"
    assert lists.written(text) == text, f"{place}: python -m book.make.lists writes its lists"


@pytest.mark.parametrize("name", all_chapters())
def test_a_lesson_has_the_title_that_all_lists_give_it(name: str) -> None:
    lesson = (ROOT / "book" / name / "lesson.md").read_text("utf-8")
    assert re.search("^# (.*)$", lesson, re.MULTILINE)[1] == all_chapters()[name]["title"]


def test_a_mark_that_names_no_list_is_an_error() -> None:
    with pytest.raises(LookupError, match="expected one of cards"):
        lists.written("<!-- made: roads -->\n<!-- end -->")


def test_the_tree_has_every_folder_of_the_repository_and_no_other() -> None:
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    folders = {
        "/".join(PurePath(file).parts[:depth]) for file in files for depth in range(1, len(PurePath(file).parts))
    }
    named = {lists.folder_with_name(folder) for folder in folders}
    shown = {folder for folder in named if folder.count("/") < DEEPEST and lists.is_in_tree(folder)}
    assert shown == set(lists.layout()), "book/make/layout.toml: a folder that is there has a comment, no other has one"
    assert all(len(all_chapters()) and comment.strip() for comment in lists.layout().values())


@pytest.mark.parametrize("place", MOST_LINES)
def test_the_first_documents_stay_short(place: str) -> None:
    lines = len((ROOT / place).read_text("utf-8").splitlines())
    assert lines <= MOST_LINES[place], f"{place}: {lines} lines, at most {MOST_LINES[place]}: shorten its text"


def test_the_grader_has_a_short_page_for_each_verb_and_the_book_has_them_all() -> None:
    index = REFERENCE[0].read_text("utf-8")
    book = page_file("grading_reference").read_text("utf-8")
    for page in REFERENCE:
        words = len(page.read_text("utf-8").split())
        assert words <= MOST_WORDS, f"{page.relative_to(ROOT)}: {words} words, at most {MOST_WORDS}"
    for page in REFERENCE[1:]:
        assert f"(docs/{page.name})" in index, f"autograder/README.md: link docs/{page.name}"
        assert f"autograder/docs/{page.name}\n" in book, f"book/teachers/grading_reference.md: include {page.name}"


def test_every_command_of_the_grader_in_its_reference_is_one_that_there_is() -> None:
    text = "\n".join(page.read_text("utf-8") for page in REFERENCE)
    lines = re.findall(r"^    python -m autograder (.+?)(?:  +#.*)?$", text, re.MULTILINE)
    assert len(lines) > 10
    for line in lines:
        command.arguments().parse_args(shlex.split(line))
