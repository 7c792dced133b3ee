"""A copy of the course in its own folder, in which commands are typed and files are changed."""

import os
import shutil
from pathlib import Path

from autograder.places import ROOT
from tests.support.forked import python

PARTS = ("autograder", "lab", "solutions", "_config.yml", "pyproject.toml", "requirements.txt")


def elsewhere(**more: str) -> dict[str, str]:
    """Return the environment of a course in another folder: `make test` names a place to build in for a class's own."""
    return {name: value for name, value in os.environ.items() if name != "ATTENTION_BUILD"} | more


class Course:
    """A copy of some of the course's files and folders; of none, what lies in the folder already."""

    def __init__(self, folder: Path, *parts: str) -> None:
        self.folder = folder
        for name in parts:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("results"))
            else:
                shutil.copy(ROOT / name, folder / name)

    def types(self, *words: str) -> tuple[int, str]:
        """Run `python -m autograder WORDS` there; return the status and what was printed."""
        done = python("-m", "autograder", *words, cwd=self.folder, env=elsewhere(PYTHONPATH=str(self.folder)))
        return done.returncode, done.stdout + done.stderr

    def change(self, file: str, old: str, new: str) -> None:
        path = self.folder / file
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new), "utf-8")


def without_exercises(folder: Path) -> Course:
    """Return a copy of the course without its exercises."""
    course = Course(folder, *PARTS)
    shutil.copytree(ROOT / "exercises" / "new", folder / "exercises" / "new")
    shutil.copy(ROOT / "exercises" / "flags.toml", folder / "exercises")
    (folder / "book").mkdir()
    (folder / "book" / "chapters.toml").touch()
    return course
