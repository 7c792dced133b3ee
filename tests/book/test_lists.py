"""Lists of chapters and the tree of folders stand in README, CONTRIBUTING, TEACHING and on the cover as made."""

import subprocess
from pathlib import PurePath

import pytest

from autograder.places import ROOT
from book.contents import all_chapters
from book.make import lists

DEEPEST = 2  # folders of folders that the tree shows


@pytest.mark.parametrize("place", lists.PLACES)
def test_a_list_is_what_the_chapters_say(place: str) -> None:
    text = (ROOT / place).read_text("utf-8")
    assert lists.BLOCK.findall(text), f"{place} has no list: leave it out of PLACES"
    assert lists.written(text) == text, f"{place}: python -m book.make.lists writes its lists"


def test_a_mark_that_names_no_list_is_an_error() -> None:
    with pytest.raises(LookupError, match="expected one of road"):
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
