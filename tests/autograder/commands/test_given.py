"""The laws of `release --given`: who has no function of an earlier notebook gets the given one, where there is one."""

import ast
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from autograder import __main__ as commands
from autograder.assignment import Template
from autograder.judge import process
from autograder.judge.judge import Judge
from autograder.judge.session import Limits
from autograder.kit import given as kit_given
from autograder.kit.given import Missing, own_or_given
from autograder.places import BUILD
from autograder.release.blank import BlankError, Module
from autograder.release.build import release
from autograder.release.given import NotGivable, demand_givable, given_files
from autograder.release.manifest import Manifest
from autograder.release.notebook import weave
from autograder.sandbox import sandbox
from autograder.score import Scorer
from autograder.submissions.normalise import normalise
from lab.budget import SECONDS
from tests.autograder.commands.test_course_changes import LINE, Course
from tests.support.sandboxed import demand_sandbox
from tests.support.student import failures, printed, run_whole, solved, unpacked

NAME = "luong"
CALL = 'masked_softmax = own_or_given("bahdanau.masked_softmax", globals())'
RIGHT = "def masked_softmax(scores, mask=None):\n" + "\n".join(Module.of("bahdanau").head_and_body("masked_softmax")[1])
WRONG = "def masked_softmax(scores, mask=None):\n    return scores.softmax(dim=-1)"
NEED_IT = {"attentional_state", "local_p_weights", "input_feeding", "repaired_weights"}


def released(folder: Path, *given: str) -> Path:
    folder.mkdir(exist_ok=True)
    release([NAME], build=folder / "build", given=given)
    for place in (folder, *folder.parents[:2]):
        place.chmod(0o755)  # pytest's own folders are for their owner only
    return folder / "build"


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return released(tmp_path_factory.mktemp("without"))


@pytest.fixture(scope="module")
def with_given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return released(tmp_path_factory.mktemp("with"), "bahdanau")


def files(build: Path) -> dict[str, bytes]:
    return {str(path.relative_to(build)): path.read_bytes() for path in build.rglob("*") if path.is_file()}


def kit_of(build: Path) -> set[str]:
    return {path.removeprefix("release/kit/given/") for path in files(build) if path.startswith("release/kit/given/")}


def cut(source: str, function: str) -> str:
    """Return the source of a cell without a function."""
    lines = source.splitlines()
    for node in reversed(ast.parse(source).body):
        if isinstance(node, ast.FunctionDef) and node.name == function:
            del lines[node.lineno - 1 : node.end_lineno]
    return "\n".join(lines)


def homework(build: Path, folder: Path, own: str = "", train: bool = False) -> NotebookNode:
    """Return the solved notebook of a student without masked_softmax, or with this one in the cell for it."""
    notebook = solved(build, unpacked(build, folder), NAME)
    for cell in notebook.cells:
        if cell.cell_type == "code" and "def masked_softmax(" in cell.source:
            cell.source = cut(cell.source, "masked_softmax")
        if own and CALL in cell.source:
            cell.source = cell.source.replace(CALL, f"{own}\n\n\n{CALL}")
    notebook.cells = [c for c in notebook.cells if train or "train" not in c.metadata.get("tags", [])]
    assert sum("masked_softmax(" in cell.source for cell in notebook.cells) >= len(NEED_IT)
    return notebook


# What the kit holds


def test_the_kit_has_the_functions_that_were_given_and_by_default_none(without: Path, with_given: Path) -> None:
    assert kit_of(without) == set()
    assert kit_of(with_given) == {"__init__.py", "bahdanau.py"}
    assert (with_given / "release/kit/given/bahdanau.py").read_text() == Module.of("bahdanau").text
    more, less = files(with_given / "release"), files(without / "release")
    assert {path for path in more if more[path] != less.get(path)} == {
        "kit.zip",
        "kit/given/__init__.py",
        "kit/given/bahdanau.py",
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
        ("bahdanau,nosuch", "no exercise is called 'nosuch'"),
        ("", "no exercise is called ''"),
        ("../bahdanau", "no exercise is called '../bahdanau'"),
        ("results", "results has no functions: expected some of encoder_decoder, bahdanau"),
        ("bahdanau,bahdanau", "bahdanau is there twice: name each chapter once"),
        ("luong", "the functions of luong call functions of bahdanau: give those too, --given bahdanau,luong"),
    ],
)
def test_bad_input_is_an_error_that_leaves_everything_as_it_was(given, words, with_given, tmp_path, capsys) -> None:
    before = files(with_given)
    with pytest.raises(NotGivable) as caught:
        release([NAME], build=with_given, given=given.split(","))
    assert words in str(caught.value)
    with pytest.raises(NotGivable):
        release(build=tmp_path / "build", given=given.split(","))
    assert files(with_given) == before
    assert not (tmp_path / "build").exists()
    stamps = {path: path.stat().st_mtime_ns for path in BUILD.glob("release*")}
    assert commands.main(["release", "--given", given]) == 2
    assert words in capsys.readouterr().err
    assert {path: path.stat().st_mtime_ns for path in BUILD.glob("release*")} == stamps


def test_a_chapter_that_the_course_has_dropped_can_be_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.assignment.assignments", lambda: ["luong"])
    monkeypatch.setattr("autograder.release.given.assignments", lambda: ["luong"])
    demand_givable(["bahdanau", "luong"])
    with pytest.raises(NotGivable, match="expected some of luong, bahdanau, encoder_decoder"):
        demand_givable(["nosuch"])


def test_the_command_takes_names_with_commas_or_one_by_one_and_says_what_is_given(monkeypatch, capsys) -> None:
    asked: list[tuple] = []
    monkeypatch.setattr("autograder.release.build.release", lambda names, given: asked.append((names, given)) or [])
    monkeypatch.setattr(Manifest, "given", ["pooling"])
    assert commands.main(["release", NAME, "--given", "bahdanau, luong", "--given", "encoder_decoder"]) == 0
    assert asked == [([NAME], ["bahdanau", "luong", "encoder_decoder"])]
    printed_lines = capsys.readouterr().out
    assert "given, written out: bahdanau, luong, encoder_decoder" in printed_lines
    assert "no longer given: pooling; --given pooling,bahdanau,luong,encoder_decoder gives all again" in printed_lines


# The cell, and what it takes


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


def test_the_students_own_function_wins_then_the_given_one(folder: Path, capsys) -> None:
    def own(scores, mask=None):
        return "own"

    assert own_or_given("bahdanau.masked_softmax", {"masked_softmax": own}) is own
    namespace = {"masked_softmax": 3}
    given = own_or_given("bahdanau.masked_softmax", namespace)
    assert given(None) == "given"
    assert capsys.readouterr().out == ""


def test_where_there_is_neither_one_sentence_says_what_to_do_and_a_call_says_it_again(folder: Path, capsys) -> None:
    for name in ("luong.dot_score", "bahdanau.weighted_sum"):  # no such module; no such function in it
        chapter, function = name.split(".")
        missing = own_or_given(name, {})
        assert isinstance(missing, Missing)
        sentence = capsys.readouterr().out.strip()
        assert sentence == missing.advice
        assert sentence.startswith(
            f"{function} is not here yet: copy yours from the notebook {chapter}/{chapter}.ipynb"
        )
        assert "or wait until your teacher gives one out" in sentence
        with pytest.raises(NameError, match=f"^{function} is not here yet"):
            missing(1, mask=None)


def test_a_kit_that_is_unpacked_later_is_seen_by_a_notebook_that_runs(folder: Path) -> None:
    text = (folder / "bahdanau.py").read_text()
    (folder / "bahdanau.py").unlink()
    namespace: dict = {}
    namespace["masked_softmax"] = own_or_given("bahdanau.masked_softmax", namespace)
    (folder / "bahdanau.py").write_text(text)
    assert own_or_given("bahdanau.masked_softmax", namespace)(None) == "given"


def test_a_mark_that_names_no_function_of_an_earlier_notebook_is_refused(tmp_path: Path) -> None:
    for part in ("exercises/luong.md", "solutions/luong/attention.py", "solutions/bahdanau/attention.py"):
        (tmp_path / part).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(Path(commands.__file__).parents[1] / part, tmp_path / part)
    text = (tmp_path / "exercises/luong.md").read_text()
    mark = "#| earlier bahdanau.masked_softmax"
    assert text.count(mark) == 1
    weave(NAME, root=tmp_path)
    for words, reason in [
        ("luong.dot_score", "'luong.dot_score' is not of an earlier notebook"),
        ("masked_softmax", "'masked_softmax' is not of an earlier notebook"),
        ("bahdanau.masked_softmix", "'bahdanau' has no check for 'masked_softmix'"),
        ("bahdanau.repaired_attention", "defines no function 'repaired_attention'"),
    ]:
        (tmp_path / "exercises/luong.md").write_text(text.replace(mark, f"#| earlier {words}"))
        with pytest.raises(BlankError, match=reason):
            weave(NAME, root=tmp_path)


# As a student, and as the judge


@pytest.mark.parametrize(
    ("given", "own", "lost"),
    [(False, "", NEED_IT), (True, "", set()), (False, RIGHT, set()), (True, WRONG, NEED_IT)],
    ids=["neither", "given", "own", "own-wrong-wins"],
)
def test_a_student_gets_the_points_that_own_or_given_functions_earn(
    given, own, lost, without, with_given, tmp_path
) -> None:
    build = with_given if given else without
    done = given and not own
    ran = run_whole(homework(build, tmp_path, own, train=done), tmp_path / NAME, **{SECONDS: "2"})
    output = printed(ran)
    everything = {"dot_score", "general_score", "concat_score"} | NEED_IT
    assert {name for name in everything if f"✓ {name}: all" not in output} == lost
    advice = "masked_softmax is not here yet: copy yours from the notebook bahdanau/bahdanau.ipynb"
    assert (advice in output) == (not given and not own)
    if done:
        assert not failures(ran)
        assert "ended by the time budget of 2 seconds" in output  # the last part trained the model with it


@pytest.fixture(scope="module")
def scorers(without: Path, with_given: Path) -> Iterator[dict[bool, Scorer]]:
    """Return what scores with a kit that has nothing given, and with one that has."""
    demand_sandbox()
    scorers = {}
    with sandbox.Sandbox(without / "release/kit") as bare, sandbox.Sandbox(with_given / "release/kit") as full:
        for given, build, made in ((False, without, bare), (True, with_given, full)):
            limits = Limits(cell=6, check=6, notebook=60, grace=0.5, patience=25)
            form = Template(NAME, nbformat.read(build / "release" / NAME / f"{NAME}.ipynb", as_version=4))
            scorers[given] = Scorer(Judge(made, b"the secret of this test's course", limits), forms={NAME: form})
        yield scorers


def scored(scorer: Scorer, notebook: NotebookNode, folder: Path) -> tuple[set[str], list[str]]:
    """Return the functions that lost points, and the flags."""
    nbformat.write(notebook, folder / "my.ipynb")
    line = json.loads(json.dumps(scorer.line(str(folder / "my.ipynb"))))
    assert line["error"] is None
    lost = {check["id"].partition(".")[2] for check in line["checks"] if check["score"] < check["max_score"]}
    return lost, line["flags"]


def test_the_judge_sees_what_was_given_and_nothing_else(scorers, without: Path, with_given: Path, tmp_path) -> None:
    notebook = homework(with_given, tmp_path)
    assert scored(scorers[True], notebook, tmp_path) == (set(), [])
    assert scored(scorers[False], notebook, tmp_path) == (NEED_IT, [])
    own = homework(with_given, tmp_path, RIGHT)
    assert scored(scorers[False], own, tmp_path) == (set(), [])
    wrong = homework(with_given, tmp_path, WRONG)
    assert scored(scorers[True], wrong, tmp_path)[0] == NEED_IT


def test_a_notebook_of_an_older_release_is_graded_as_before(scorers, without: Path, tmp_path: Path) -> None:
    """It has no cell for functions of earlier notebooks; its functions bring what they need along."""
    notebook = solved(without, unpacked(without, tmp_path), NAME)
    notebook.cells = [cell for cell in notebook.cells if CALL not in cell.source]
    assert all("masked_softmax" in cell.source for cell in notebook.cells if cell.id in NEED_IT)
    for scorer in scorers.values():
        assert scored(scorer, notebook, tmp_path) == (set(), [])


def test_the_cell_for_earlier_functions_is_put_back_where_it_is_missing_and_only_there(without, tmp_path) -> None:
    form = Template(NAME, nbformat.read(without / "release" / NAME / f"{NAME}.ipynb", as_version=4))

    def calls(notebook: NotebookNode) -> int:
        return sum(CALL in cell.source for cell in normalise(notebook, form).cells)

    filled_in = homework(without, tmp_path, RIGHT)
    assert calls(filled_in) == 1
    deleted = homework(without, tmp_path)
    deleted.cells = [cell for cell in deleted.cells if CALL not in cell.source]
    assert calls(deleted) == 1


def test_a_grade_depends_on_what_is_given(with_given: Path, tmp_path: Path, monkeypatch) -> None:
    build = tmp_path / "build"
    shutil.copytree(with_given, build)
    for name in ("autograder", "solutions"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(process, "ROOT", tmp_path)
    monkeypatch.setattr(process, "KIT", build / "release/kit")
    monkeypatch.setattr(process, "released_notebook", lambda name: build / "release" / name / f"{name}.ipynb")

    def key() -> str:
        process.grader_key.cache_clear()
        return process.grader_key(NAME)

    before = key()
    release([NAME], build=build)
    without_any = key()
    release([NAME], build=build, given=["bahdanau"])
    assert key() == before != without_any
    process.grader_key.cache_clear()


@pytest.mark.slow
def test_a_class_is_graded_anew_when_what_is_given_changes(tmp_path: Path) -> None:
    """All by the commands, in a course of two chapters: a notebook that takes the given function loses and gets it."""
    demand_sandbox()
    course = Course(tmp_path / "course")
    contents = course.folder / "book/_toc.yml"
    for name in LINE.findall(contents.read_text()):
        if name != NAME and (course.folder / f"exercises/{name}.md").exists():
            course.change("book/_toc.yml", f"      - file: {name}\n", "")

    def graded(*given: str) -> tuple[float, str]:
        status, released_output = course.types("release", *given)
        assert status == 0, released_output
        if not (course.folder / "class").exists():
            notebook = homework(course.folder / "build", tmp_path / "student")
            place = course.folder / "class" / "ada" / NAME / f"{NAME}.ipynb"
            place.parent.mkdir(parents=True)
            nbformat.write(notebook, place)
        status, output = course.grade()
        assert status == 0, output
        return float(course.rows()["ada", NAME]["score"]), released_output

    least, _ = graded()
    most, output = graded("--given", "bahdanau")
    assert "given, written out: bahdanau" in output
    assert least < most == float(course.rows()["ada", NAME]["max_score"])
    again, output = graded()
    assert again == least
    assert "no longer given: bahdanau; --given bahdanau gives all again" in output
