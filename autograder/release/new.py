"""`python -m autograder new NAME`: the three files of a graded exercise, small and whole, to be changed."""

import keyword
import re
from pathlib import Path

from autograder.files import atomic_write, folder
from autograder.places import ROOT

TEMPLATES = Path(__file__).parent / "templates" / "exercise"
PLACES = {
    "attention.txt": "solutions/{}/attention.py",
    "checks.txt": "autograder/checks/{}/checks.py",
    "exercise.txt": "exercises/{}.md",
}
WORD = re.compile(r"\b(NAME|FUNCTION)\b")


def new(name: str, function: str = "", root: Path = ROOT) -> list[Path]:
    """Write the files of an exercise called `name` in which students write `function`; return their paths.

    Raise ValueError, with nothing written, if one of the two is no Python name or if something is called so already.
    """
    function = function or name
    for what, word in (("NAME", name), ("FUNCTION", function)):
        if not re.fullmatch(r"[a-z][a-z0-9_]*", word) or keyword.iskeyword(word):
            raise ValueError(f"{what} '{word}' cannot be taken: expected a word of lower-case letters, digits and _")
    paths = {template: root / place.format(name) for template, place in PLACES.items()}
    taken = [paths["attention.txt"].parent, paths["checks.txt"].parent, paths["exercise.txt"], root / f"book/{name}.md"]
    taken += [root / f"autograder/checks/{name}.py"]
    there = next((path for path in taken if path.exists()), None)
    if there:
        raise ValueError(f"{there.relative_to(root)} is there already: choose another name, or delete it first")
    words = {"NAME": name, "FUNCTION": function}
    texts = {
        path: WORD.sub(lambda word: words[word[1]], (TEMPLATES / template).read_text("utf-8"))
        for template, path in paths.items()
    }
    try:
        for path, text in texts.items():
            folder(path.parent, 0o755)
            atomic_write(path, text.encode(), 0o644)
    except BaseException:
        for path in texts:
            path.unlink(missing_ok=True)
            if path.parent.name == name and path.parent.exists():
                path.parent.rmdir()
        raise
    return list(texts)
