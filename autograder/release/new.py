"""`python -m autograder new NAME`: the three files of a graded exercise, small and whole, to be changed."""

import keyword
import re
from contextlib import suppress
from pathlib import Path

from autograder.contents import EVIDENCE
from autograder.files import atomic_write, folder
from autograder.places import ROOT
from autograder.release import new_chapter

TEMPLATES = Path(__file__).parent / "templates" / "exercise"
PLACES = {
    "attention.txt": "solutions/{}/attention.py",
    "checks.txt": "autograder/checks/{}/checks.py",
    "exercise.txt": "exercises/{}.md",
}
WORD = re.compile(rf"\b(NAME|FUNCTION|TITLE)(?=\b|{EVIDENCE})")


def new(name: str, function: str = "", root: Path = ROOT, chapter: bool = False) -> list[Path]:
    """Write the files of an exercise called `name` in which students write `function`; return their paths.

    A chapter has more files, and lines in others. Raise ValueError, with nothing written, if one of the two is no
    Python name or if something is called so already.
    """
    function = function or name
    for what, word in (("NAME", name), ("FUNCTION", function)):
        if not re.fullmatch(r"[a-z][a-z0-9_]*", word) or keyword.iskeyword(word):
            raise ValueError(f"{what} '{word}' cannot be taken: expected a word of lower-case letters, digits and _")
    folder_of, places = (new_chapter.TEMPLATES, new_chapter.PLACES) if chapter else (TEMPLATES, PLACES)
    paths = {template: root / place.format(name) for template, place in places.items()}
    taken = [path.parent if path.parent.name == name else path for path in paths.values()]
    taken += [root / f"book/{name}.md", root / f"autograder/checks/{name}.py"]
    there = next((path for path in taken if path.exists()), None)
    if there:
        raise ValueError(f"{there.relative_to(root)} is there already: choose another name, or delete it first")
    words = {"NAME": name, "FUNCTION": function, "TITLE": name.replace("_", " ").capitalize()}

    def fill(text: str) -> str:
        return WORD.sub(lambda word: words[word[1]], text)

    texts = {path: fill((folder_of / template).read_text("utf-8")) for template, path in paths.items()}
    if not chapter:
        _write(texts, {})
        return list(texts)
    before = {root / file: (root / file).read_text("utf-8") for file in new_chapter.edits(fill)}
    edited = {root / file: edit(before[root / file]) for file, edit in new_chapter.edits(fill).items()}
    _write(texts | edited, before)
    return [*texts, *edited]


def _write(texts: dict[Path, str], before: dict[Path, str]) -> None:
    """Write all files, or, where one cannot be written, leave everything as it was."""
    try:
        for path, text in texts.items():
            folder(path.parent, 0o755)
            atomic_write(path, text.encode(), 0o644)
    except BaseException:
        for path in texts.keys() - before.keys():
            with suppress(OSError):
                path.unlink(missing_ok=True)
                path.parent.rmdir()  # if it is empty
        for path, text in before.items():
            atomic_write(path, text.encode(), 0o644)
        raise
