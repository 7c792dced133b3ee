"""`publish`: a branch with what kit.zip holds; work tree, index and the checked-out branch stay as they are."""

import sys
import types
import zipfile
from pathlib import Path

import pytest

from autograder import online
from autograder.places import BUILD
from autograder.release import branch, notebook, publish
from autograder.release.branch import git
from autograder.release.manifest import ZIP
from tests.autograder.kit.test_student_runs import in_kit
from tests.support.student import unzipped

OURS = "ours/kit/students"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository with a file that is staged, one that is changed, and one that git does not know."""
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "a teacher")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "teacher@example.org")
    folder = tmp_path / "course"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    for name in ("staged", "changed"):
        (folder / name).write_text(name)
    git(folder, "add", "changed")
    git(folder, "commit", "--quiet", "-m", "first")
    git(folder, "add", "staged")
    (folder / "changed").write_text("more")
    (folder / "kit").write_text("no folder")  # where the branch has one
    (folder / ".gitignore").write_text("*.npz\n*.ipynb\n")
    git(folder, "config", "core.autocrlf", "true")
    return folder


def at_home(folder: Path) -> list[str]:
    return [git(folder, *words) for words in (("status", "--porcelain"), ("rev-parse", "HEAD"), ("stash", "list"))]


def test_the_branch_holds_the_kits_files_byte_by_byte_and_nothing_else_moves(released, repository: Path) -> None:
    before = at_home(repository)
    lines = list(publish.publish(root=repository))
    assert at_home(repository) == before
    assert lines[0].startswith("branch 'students': commit ")
    with zipfile.ZipFile(BUILD / ZIP) as archive:
        expected = {name.partition("/")[2] for name in archive.namelist()} | {"requirements.txt"}
        recording = next(name for name in archive.namelist() if name.endswith(".npz"))
        content = archive.read(recording)
    assert set(git(repository, "ls-tree", "-r", "--name-only", "-z", "students").strip("\0").split("\0")) == expected
    digest = git(repository, "rev-parse", f"students:{recording.partition('/')[2]}")
    (repository / "again").write_bytes(content)
    assert digest == git(repository, "hash-object", "--no-filters", str(repository / "again"))


def test_published_again_it_has_a_commit_more_only_where_something_changed(released, repository: Path) -> None:
    list(publish.publish(root=repository))
    first = git(repository, "rev-parse", "students")
    assert next(iter(publish.publish(root=repository))) == "branch 'students': nothing has changed"
    assert branch.commit(repository, "students", {"kit/one": b"1"}, "less")
    assert git(repository, "rev-parse", "students^") == first
    assert git(repository, "ls-tree", "-r", "--name-only", "students") == "kit/one"


def test_it_is_pushed_and_a_remote_that_went_on_is_not_overwritten(released, repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--bare", "remote")
    git(repository, "remote", "add", "origin", str(tmp_path / "remote"))
    assert "pushed to origin" in list(publish.publish(remote="origin", root=repository))
    published = git(repository, "rev-parse", "students")
    assert git(tmp_path / "remote", "rev-parse", "students") == published
    other = branch.commit(tmp_path / "remote", "students", {"by": b"another teacher"}, "theirs")
    branch.commit(repository, "students", {"by": b"us"}, "ours")
    with pytest.raises(ValueError, match="git push failed"):
        git(repository, "push", "--quiet", "origin", "students")
    assert git(tmp_path / "remote", "rev-parse", "students") == other


@pytest.mark.parametrize("why", ["no repository", "checked out", "no name", "kit.zip changed", "another branch"])
def test_what_cannot_be_done_is_said_and_changes_nothing(
    released, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    words, root = {"no name": "a..b"}.get(why, "students"), repository
    if why == "no repository":
        root = tmp_path / "nothing"
        root.mkdir()
        monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    elif why == "checked out":
        git(repository, "worktree", "add", "--quiet", "-b", "students", str(tmp_path / "other"))
    elif why == "kit.zip changed":
        monkeypatch.setattr("autograder.release.manifest.Manifest.is_intact", lambda *_: False)
    elif why == "another branch":
        monkeypatch.setattr(online, "students_repository", lambda *_: "ours/kit/main")
    before = git(repository, "for-each-ref")
    with pytest.raises(ValueError, match=r"git|checked out|release|names the branch 'main'"):
        list(publish.publish(words, root=root))
    assert git(repository, "for-each-ref") == before


def colab_cell(monkeypatch: pytest.MonkeyPatch, repository: str) -> str:
    monkeypatch.setattr(notebook, "students_repository", lambda: repository)
    cells = notebook.build_source("bahdanau").cells
    assert (online.BADGE in cells[0].source) == bool(repository)
    return next(cell.source for cell in cells if cell.cell_type == "code")


def test_without_a_repository_a_notebook_says_nothing_of_colab(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "colab" not in colab_cell(monkeypatch, "")


def test_in_colab_the_first_cell_fetches_the_kit_once(
    released, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `git` and `pip` real and in their place a copy of GitHub: a bare repository that git is told to take."""
    list(publish.publish(root=repository))
    source = colab_cell(monkeypatch, OURS).replace("/content", str(tmp_path / "content"))
    (tmp_path / "content").mkdir()
    monkeypatch.chdir(tmp_path / "content")
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setitem(sys.modules, "google.colab", types.ModuleType("google.colab"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.{repository}.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "https://github.com/ours/kit")
    exec(source, space := {})
    assert space["kit"] == tmp_path / "content" / "attention-workbook" / "kit"
    (space["kit"] / "mine").touch()
    exec(source, space)
    assert (space["kit"] / "mine").exists(), "it was fetched again"


IN_COLAB = """
import json, sys, types
from pathlib import Path
shown = json.loads(Path("kit/notebooks/bahdanau/bahdanau.ipynb").read_text("utf-8"))
google, colab, asked = types.ModuleType("google"), types.ModuleType("google.colab"), []
def blocking_request(what, *_, **__):
    asked.append(what)
    return {"ipynb": shown}

colab._message = types.SimpleNamespace(blocking_request=blocking_request)
sys.modules |= {"google": google, "google.colab": colab}
Path("empty").mkdir()
sys.path.insert(0, str(Path("kit").resolve()))
__import__("os").chdir("empty")
from autograder.kit import check_all
check_all()
assert asked and set(asked) == {"get_ipynb"}, asked
"""


def test_check_all_reads_what_colab_shows(released, tmp_path: Path) -> None:
    """Colab's notebook lies in Drive, and no file beside the kit: a message to the page asks for it."""
    folder = unzipped(released.parent, tmp_path)
    (folder / "in_colab.py").write_text(IN_COLAB)
    printed = in_kit(folder, "in_colab.py")
    assert "0 of 61 points; up to 5 by your teacher." in printed
