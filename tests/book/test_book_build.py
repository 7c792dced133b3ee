"""Tests of the book's own machinery: formulas, editions, which chapters run again, tables of results."""

import os
import re
import subprocess
import sys
from pathlib import Path

import dropped
import freshness
import pytest
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from nbformat.v4 import new_code_cell, new_notebook
from sphinx.errors import ExtensionError

from book.contents import chapters, page_file
from tests.support.sites import built, shown

ROOT = Path(__file__).parents[2]
BOOK = ROOT / "book"
FORMULAS = {
    "extensions": ["myst_parser", "maths", "edition"],
    "myst_enable_extensions": ["dollarmath"],
    "html_math_renderer": "katex",
}


def test_v8_is_closed_before_python_ends() -> None:
    """After that its thread no longer runs, and a process that waits for it never ends."""
    program = "import atexit; from autograder import katex; katex.render('x', {}); atexit._run_exitfuncs()"
    words = [sys.executable, "-c", f"{program}; print(katex._engine()._ctx)"]
    assert subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout == "None\n"


def test_a_formula_that_cannot_be_read_is_a_warning_with_its_place(tmp_path):
    text = "# Page\n\nText.\n\n$$ \\of{x}{S} = \\nosuch $$\n"
    warned = built(tmp_path, {"index": text}, **FORMULAS, edition="full")
    assert re.search(r"index\.md:\d+: WARNING: .*Undefined control sequence: \\nosuch", warned)


@pytest.mark.parametrize("name", ["full", "students"])
def test_the_students_edition_shows_signature_and_docstring_only(tmp_path, name):
    code = 'def answer(x: int) -> int:\n    """Return the answer."""\n    return secret(x)\n'
    (tmp_path / "attention.py").write_text(code)
    page = "# Page\n\n```{literalinclude} ../attention.py\n:pyobject: answer\n```\n"
    assert not built(tmp_path, {"index": page}, **FORMULAS, edition=name)
    text = shown((tmp_path / "html" / "index.html").read_text(encoding="utf8"))
    assert 'def answer(x: int) -> int:\n    """Return the answer."""\n' in text
    assert ("return secret(x)" in text) == (name == "full")
    assert ("raise NotImplementedError" in text) == (name == "students")


@pytest.mark.parametrize("name", ["full", "students"])
def test_a_list_of_functions_has_a_line_for_each_which_opens_to_what_the_edition_shows(tmp_path, name):
    assert not built(tmp_path, {"index": "# Page\n\n```{functions} luong\n```\n"}, **FORMULAS, edition=name)
    page = (tmp_path / "html" / "index.html").read_text(encoding="utf8")
    file = ROOT / "solutions" / "luong" / "attention.py"
    functions = re.findall(r"^(?:def|class) (\w+)", file.read_text(encoding="utf8"), re.MULTILINE)
    assert re.findall(r'<details class="listed"><summary><code>(\w+)</code> <span>.{20,}\.</span>', page) == functions
    folds = page.split('<details class="listed">')[1:]
    for function, fold in zip(functions, folds, strict=True):
        assert f"def {function}(" in shown(fold.partition("</details>")[0])
    assert ("torch.exp(-(" in shown(page)) == (name == "full")


# Chapters that were dropped


def test_a_link_to_a_chapter_that_was_dropped_is_text_and_any_other_stays(tmp_path):
    (tmp_path / "luong.md").write_text("(label)=\n# Luong: global and local\n")
    (tmp_path / "pooling.md").write_text("# Pooling\n")
    text = "See [the scores](luong.md#three-scores), [](luong.md), [here](#there), [](pooling.md) and [](nowhere.md)."
    assert dropped.without_links(text, tmp_path, {"index", "pooling"}) == (
        "See the scores, Luong: global and local, [here](#there), [](pooling.md) and [](nowhere.md)."
    )
    assert dropped.without_links(text, tmp_path, {"index", "pooling", "luong"}) == text


def test_a_chapters_number_is_that_of_the_book_that_is_built():
    titles = {name: f"The {name}" for name in ("encoder_decoder", "luong", "transformer")}
    text = "{Chapters}`encoder_decoder, luong,transformer` train. See [{chapters}`transformer`](transformer.md)."
    whole = "Chapters 1, 3 and 4 train. See [chapter 4](transformer.md)."
    assert dropped.with_numbers(text, ["encoder_decoder", "x", "luong", "transformer"], titles) == whole
    two = "Chapters 1 and 2 train. See [chapter 2](transformer.md)."
    assert dropped.with_numbers(text, ["encoder_decoder", "transformer"], titles) == two
    one = "Chapter 1 train. See [“The transformer”](transformer.md)."
    assert dropped.with_numbers(text, ["encoder_decoder"], titles) == one
    with pytest.raises(ExtensionError, match="no chapter is called nobody"):
        dropped.with_numbers("{chapters}`nobody`", ["encoder_decoder"], titles)


def test_a_page_and_what_it_includes_have_the_numbers_of_the_book(tmp_path):
    name = chapters()[-1]
    (tmp_path / "part.txt").write_text(f"It is what {{chapters}}`{name}` does.\n")
    below = f"```{{include}} ../part.txt\n```\n\n```{{toctree}}\n{name}\n```\n"
    index = f"# Book\n\nSee [{{chapters}}`{name}`]({name}.md).\n\n{below}"
    assert not built(tmp_path, {"index": index, name: "# The last\n"}, extensions=["myst_parser", "dropped"])
    text = shown((tmp_path / "html" / "index.html").read_text(encoding="utf8"))
    assert f"See chapter {len(chapters())}." in text
    assert f"It is what chapter {len(chapters())} does." in text


PAGES = [
    *BOOK.glob("**/*.md"), *BOOK.glob("*/*.py"), *BOOK.glob("*/drawings/*"), *ROOT.glob("exercises/*/*.md"),
    *ROOT.glob("exercises/*/*/*.t*t"), *(ROOT / "examples").glob("*.md"), ROOT / "TEACHING.md",
]  # fmt: skip


def test_no_page_holds_the_number_of_a_chapter():
    """A class that drops chapters would read of one that is another in its book: {chapters}`NAME` says its number."""
    fixed = re.compile(r"\b[Cc]h(?:apters?|\.)[\s\N{NO-BREAK SPACE}]*\d")
    assert all(fixed.search(text) for text in ("as chapter 7 does", "Chapters 1, 2 and 3", "Ch. 8's"))
    places = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8", errors="ignore") for path in PAGES}
    assert len(places) > 100
    assert [f"{path}: {found[0]}" for path, text in places.items() for found in fixed.finditer(text)] == []


LISTS = """1. [](luong/lesson.md) – Is there a simpler score?\\
   *You write* three scores.
1. [](pooling/lesson.md) – What if nobody asks?

| notebook | questions |
|---|---|
| `luong` | `who_asks` 3 |
| 3 | `luong` | 60 |
| or 3 | `luong` | 60 |
| 4 | [`luong`](book/luong/lesson.md) | 60 |
| [](../luong/lesson.md) | 19 |
| `pooling` | `luong` |

| **dot** | the decoder |
| **pooling** | nobody |

| **dot** | $0$ | [Luong](../luong/lesson.md): `dot_score` |
| **pooling** | $d$ | [pooling](../pooling/lesson.md), after [Luong's](other.md) |

## Multiplicative attention

Explained in [](../luong/lesson.md).

## Pooling

Explained in [](../pooling/lesson.md).

### `luong`

**Why?** | Because.

## {Chapters}`luong`. Multiplicative

Why not?

### `pooling`
"""


def test_lists_tables_and_sections_say_nothing_of_a_chapter_that_was_dropped():
    kept = dropped.without_lines(LISTS, {"luong"})
    gone = [line for line in LISTS.splitlines() if line and line not in kept.splitlines()]
    assert len(gone) == 15
    assert kept.replace("after [Luong's]", "").replace("| `pooling` | `luong` |", "").lower().count("luong") == 0
    assert dropped.without_lines(LISTS, set()) == LISTS == dropped.without_lines(LISTS, {"structured"})


# Which chapters run again


@pytest.fixture
def project(tmp_path) -> Path:
    """Return a small project: a chapter that stands on a solution, which stands on the lab."""
    files = {
        "book/luong/lesson.md": "# Luong\n\n```{code-cell} python\nfrom solutions.luong import attention\n```\n",
        "solutions/__init__.py": "",
        "solutions/luong/__init__.py": "",
        "solutions/luong/attention.py": "from lab.text.tokenizers import PAD\nfrom lab.kinds.pinned import pinned\n",
        "solutions/luong/pinned/luong.npz": "weights",
        "solutions/pooling/pinned/pooling.npz": "weights",
        "lab/kinds/pinned.py": "",
        "solutions/luong/results/run-seed1.json": "{}",
        "lab/__init__.py": "",
        "lab/text/tokenizers.py": "PAD = 0\n",
        "lab/text/words.txt": "a table",
        "lab/unused.py": "",
        "requirements.txt": "torch==2.13.0\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("file", "moves"),
    [
        ("solutions/luong/attention.py", True),
        ("lab/text/tokenizers.py", True),
        ("lab/text/words.txt", True),
        ("lab/__init__.py", True),
        ("solutions/luong/results/run-seed1.json", True),
        ("solutions/luong/pinned/luong.npz", True),
        ("solutions/pooling/pinned/pooling.npz", False),
        ("requirements.txt", True),
        ("lab/unused.py", False),
        ("book/luong/lesson.md", False),
    ],
)
def test_a_chapter_and_its_evidence_are_stale_when_their_ground_moves_and_only_then(project, file, moves):
    evidence = project / "book" / "luong" / "evidence.md"
    evidence.write_text((project / "book" / "luong" / "lesson.md").read_text())
    for page in (project / "book" / "luong" / "lesson.md", evidence):
        before = freshness.fingerprint(page, project)
        (project / file).write_text((project / file).read_text() + "\n# changed\n")
        assert (freshness.fingerprint(page, project) != before) == moves


def test_what_a_file_imports_is_seen_when_it_has_changed(project):
    page, unused = project / "book" / "luong" / "lesson.md", project / "lab" / "unused.py"
    assert unused not in freshness.standing_on(page, project)
    (project / "lab" / "text" / "tokenizers.py").write_text("import lab.unused\n")
    assert unused in freshness.standing_on(page, project)


def test_the_chapters_stand_on_all_that_their_models_are_made_of():
    ground = {str(file.relative_to(ROOT)) for file in freshness.standing_on(page_file("bahdanau"))}
    corpus = {str(file.relative_to(ROOT)) for file in ROOT.glob("lab/corpora/phrasebook/*.py")}
    assert ground >= corpus | {
        "lab/train/training.py",
        "solutions/bahdanau/attention.py",
        "solutions/bahdanau/pinned/bahdanau.npz",
        "solutions/encoder_decoder/model.py",
        "solutions/encoder_decoder/pinned/encoder_decoder.npz",
    }


@pytest.mark.parametrize("file", ["exercises/luong/mistakes/dot_score.txt", "book/chapters.toml"])
def test_the_teachers_page_is_stale_when_a_check_knows_other_mistakes(project, file):
    """Checks are imported by name, so that no import of the page's cell leads to them."""
    (project / file).parent.mkdir(parents=True, exist_ok=True)
    (project / file).write_text("")
    for place, moves in (("teachers/teaching.md", True), ("luong/lesson.md", False)):
        page = project / "book" / place
        page.parent.mkdir(exist_ok=True)
        page.touch()
        before = freshness.fingerprint(page, project)
        (project / file).write_text((project / file).read_text() + "\n# changed\n")
        assert (freshness.fingerprint(page, project) != before) == moves


def test_what_ran_before_the_course_was_moved_is_forgotten_too(tmp_path):
    """The cache goes by the text of the cells, and would show what an older result file said."""
    cache = get_cache(tmp_path / "executed")
    for name in ("bahdanau/lesson.md", "luong/lesson.md"):
        notebook = new_notebook(
            cells=[new_code_cell(name, execution_count=1)], metadata={"kernelspec": {"name": "x", "display_name": "x"}}
        )
        cache.cache_notebook_bundle(CacheBundleIn(notebook, f"/elsewhere/book/{name}"), check_validity=False)
    freshness.drop_records(tmp_path / "executed", page_file("bahdanau"))
    assert [Path(record.uri).parent.name for record in cache.list_cache_records()] == ["luong"]


def test_a_failed_cell_is_found_by_its_line(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# T\n\n```{code-cell} python\nx = 1\n1 / 0\n```\n")
    report = "Traceback\n------------------\nx = 1\n1 / 0\n------------------\nZeroDivisionError: division by zero\n"
    assert freshness.failed_line(page, report) == 4
    assert freshness.FAULT.findall(report) == ["ZeroDivisionError: division by zero"]


WAITING = """---
file_format: mystnb
kernelspec:
  name: python3
---

# Page

```{{code-cell}} python
import time
from pathlib import Path

with Path("{folder}/{own}").open("a") as runs:
    runs.write("once ")
until = time.monotonic() + 90
while not Path("{folder}/{other}").exists():
    assert time.monotonic() < until, "the other chapter did not run"
    time.sleep(0.1)
print("{own} has met {other}")
```
"""


def test_two_chapters_run_side_by_side_and_a_failing_one_is_reported(tmp_path):
    """In a separate process: Sphinx keeps what extensions register."""
    source = tmp_path / "source"
    source.mkdir()
    for own, other in (("one", "two"), ("two", "one")):
        (source / f"{own}.md").write_text(WAITING.format(folder=tmp_path, own=own, other=other))
    head = WAITING.split("# Page")[0]
    (source / "three.md").write_text(head + "# Page\n\n```{code-cell} python\n1 / 0\n```\n")
    settings = {
        "extensions": "myst_nb,side_by_side",
        "nb_execution_mode": "cache",
        "nb_execution_timeout": "120",  # on a busy machine a kernel takes long to start
        "nb_execution_cache_path": str(tmp_path / "executed"),
        "root_doc": "one",
        "html_theme": "basic",
    }
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", "-C", "-q", source, tmp_path / "html"]
        + [word for name, value in settings.items() for word in ("-D", f"{name}={value}")],
        env=os.environ | {"PYTHONPATH": f"{BOOK / '_ext'}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        check=True,
    )
    for own, other in (("one", "two"), ("two", "one")):
        assert f"{own} has met {other}" in (tmp_path / "html" / f"{own}.html").read_text()
        assert (tmp_path / own).read_text() == "once "
    left = [f"; {count} of 3 pages left" for count in (2, 1, 0)]
    assert [line[line.index(";") :] for line in built.stdout.splitlines()] == left
    assert built.stderr.count("WARNING: Executing notebook failed") == 1
    assert "three.md: WARNING: Executing notebook failed" in built.stderr
