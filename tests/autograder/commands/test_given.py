"""Tests of `release --given`: what is in the kit, what is refused, and what the cell in a later notebook takes."""

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder import __main__ as commands
from autograder.kit import given as kit_given
from autograder.kit.given import Missing, own_or_given
from autograder.places import BUILD
from autograder.release import blank, notebook
from autograder.release.blank import BlankError, Module
from autograder.release.build import release
from autograder.release.given import NotGivable, demand_givable, given_files
from autograder.release.manifest import Manifest
from autograder.release.notebook import build_source
from tests.support.given_out import NAME, files, kit_of, with_given, without

__all__ = ["with_given", "without"]


def test_the_kit_has_the_functions_that_were_given_and_by_default_none(without: Path, with_given: Path) -> None:
    assert kit_of(without) == set()
    assert kit_of(with_given) == {"__init__.py", "bahdanau.py"}
    assert (with_given / "release/kit/given/bahdanau.py").read_text() == Module.of("bahdanau").text
    more, less = files(with_given / "release"), files(without / "release")
    assert {path for path in more if more[path] != less.get(path)} == {
        "kit.zip",
        "kit/given/__init__.py",
        "kit/given/bahdanau.py",
        "kit/packages.txt",
    }


def test_releasing_again_takes_them_away_and_changes_nothing_else(without: Path, with_given: Path, tmp_path) -> None:
    build = tmp_path / "build"
    shutil.copytree(with_given, build)
    assert Manifest(build).given == ["bahdanau"]
    release([NAME], build=build)
    assert files(build) == files(without)
    assert Manifest(build).given == []
    release([NAME], build=build, given=["bahdanau"])
    assert files(build) == files(with_given)


def test_what_is_given_calls_what_is_given_and_nothing_blanked() -> None:
    texts = {path.stem: text.decode() for path, text in given_files(["bahdanau", "self_attention", "transformer"])}
    assert "from given.bahdanau import masked_softmax" in texts["self_attention"]
    assert "from given.self_attention import scaled_dot_product" in texts["transformer"]
    assert not [name for name, text in texts.items() if "solutions" in text]
    assert not list(given_files([]))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("nosuch", "no exercise is called 'nosuch': expected some of encoder_decoder, bahdanau"),
        ("../bahdanau", "no exercise is called '../bahdanau'"),
        ("results", "no exercise is called 'results': expected some of encoder_decoder, bahdanau"),
        ("bahdanau,bahdanau", "bahdanau is there twice: name each chapter once"),
        ("luong", "the functions of luong call functions of bahdanau: give those too, --given bahdanau,luong"),
    ],
)
def test_bad_input_is_an_error_that_leaves_everything_as_it_was(given, words, with_given, capsys) -> None:
    before = files(with_given)
    with pytest.raises(NotGivable) as caught:
        release([NAME], build=with_given, given=given.split(","))
    assert words in str(caught.value)
    assert files(with_given) == before
    stamps = {path: path.stat().st_mtime_ns for path in BUILD.glob("release*")}
    assert commands.main(["release", "--given", given]) == 2
    assert words in capsys.readouterr().err
    assert {path: path.stat().st_mtime_ns for path in BUILD.glob("release*")} == stamps


@pytest.mark.parametrize(
    ("words", "given", "said"),
    [
        ([], ["bahdanau"], "given, written out: bahdanau (as before: --given none takes them away)"),
        (["--given", "none"], [], "no longer given: bahdanau; --given bahdanau gives all again"),
        (["--given", "bahdanau, luong"], ["bahdanau", "luong"], "given, written out: bahdanau, luong\n"),
        (["--given", "bahdanau", "--given", "luong"], ["bahdanau", "luong"], "given, written out: bahdanau, luong\n"),
    ],
)
def test_what_was_given_stays_given_until_a_release_says_otherwise(words, given, said, monkeypatch, capsys) -> None:
    """`make release`, `make work` and `make course` release without --given."""
    released: list[list[str]] = []
    monkeypatch.setattr(Manifest, "given", property(lambda self: ["bahdanau"]))
    monkeypatch.setattr("autograder.release.build.release", lambda names, given: released.append(given) or [])
    assert commands.main(["release", *words]) == 0
    assert released == [given]
    assert said in capsys.readouterr().out


def test_a_chapter_that_the_course_has_dropped_can_be_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.assignment.assignments", lambda: ["luong"])
    monkeypatch.setattr("autograder.release.given.assignments", lambda: ["luong"])
    demand_givable(["bahdanau", "luong"])
    with pytest.raises(NotGivable, match="luong, bahdanau, encoder_decoder"):
        demand_givable(["nosuch"])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder `given` with one function in it."""
    place = tmp_path / "given"
    place.mkdir()
    (place / "__init__.py").write_text("")
    (place / "bahdanau.py").write_text("def masked_softmax(scores, mask=None):\n    return 'given'\n")
    monkeypatch.setattr(kit_given, "FOLDER", place)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield place
    for name in [name for name in sys.modules if name.partition(".")[0] == "given"]:
        del sys.modules[name]


def test_the_students_own_function_wins_then_the_given_one_else_a_call_says_what_to_do(folder: Path, capsys) -> None:
    def own(scores, mask=None):
        return "own"

    assert own_or_given("bahdanau.masked_softmax", {"masked_softmax": own}) is own
    assert own_or_given("bahdanau.masked_softmax", {"masked_softmax": 3})(None) == "given"
    assert capsys.readouterr().out == ""
    for name in ("luong.dot_score", "bahdanau.weighted_sum"):  # no such module; no such function in it
        chapter, function = name.split(".")
        missing = own_or_given(name, {})
        assert isinstance(missing, Missing)
        assert " ".join(capsys.readouterr().out.split()) == missing.advice
        assert missing.advice.startswith(f"{function} is not here yet: copy yours from the notebook {chapter}.ipynb ")
        with pytest.raises(NameError, match=re.escape(missing.advice)):
            missing(1, mask=None)


def test_a_mark_that_names_no_function_of_an_earlier_notebook_is_refused(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(blank, "ROOT", tmp_path)
    monkeypatch.setattr(notebook, "ROOT", tmp_path)
    parts = ("exercises/luong/notebook.md", *(f"solutions/{name}/attention.py" for name in ("luong", "bahdanau")))
    for part in (*parts, "exercises/luong/hunt.py"):
        (tmp_path / part).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(Path(commands.__file__).parents[1] / part, tmp_path / part)
    text = (tmp_path / "exercises/luong/notebook.md").read_text()
    mark = "#| earlier bahdanau.masked_softmax"
    assert text.count(mark) == 1
    build_source(NAME)
    for words, reason in [
        ("luong.dot_score", "'luong.dot_score' is not of an earlier notebook"),
        ("masked_softmax", "'masked_softmax' is not of an earlier notebook"),
        ("bahdanau.masked_softmix", r"'masked_softmix'.*masked_softmax"),
        ("bahdanau.repaired_attention", "defines no function 'repaired_attention'"),
    ]:
        (tmp_path / "exercises/luong/notebook.md").write_text(text.replace(mark, f"#| earlier {words}"))
        with pytest.raises(BlankError, match=reason):
            build_source(NAME)
