"""`python -m autograder publish`: the content of kit.zip as a branch, from which Colab and Binder open notebooks."""

import zipfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

BRANCH = "students"
MESSAGE = "The notebooks and their kit, as `python -m autograder release` made them"


def add_arguments(verb: ArgumentParser) -> None:
    """Add the options of `publish`; this loads nothing that takes time."""
    verb.add_argument("--branch", default=BRANCH, metavar="NAME", help=f"of this repository ({BRANCH})")
    verb.add_argument("--push", metavar="REMOTE", help="push the branch there, such as `origin`")
    verb.set_defaults(run=_run)


def _run(options: Namespace) -> int:
    for line in publish(options.branch, options.push):
        print(line)
    return 0


def publish(branch: str = BRANCH, remote: str | None = None, root: Path | None = None) -> Iterator[str]:
    """Commit the content of kit.zip to a branch; yield lines on the commit, and the badges that lead there.

    Raise ValueError where git refuses, and where kit.zip is not as it was released.
    """
    from autograder.assignment import assignments
    from autograder.online import KEY, badge, parts, students_repository
    from autograder.places import BUILD, ROOT
    from autograder.release.branch import commit, git
    from autograder.release.manifest import ZIP, Manifest

    root = root or ROOT
    if not Manifest(BUILD).is_intact(ZIP):
        raise ValueError(f"{BUILD / ZIP} is missing or not as it was released: run `python -m autograder release`")
    repository = students_repository()
    if repository and parts(repository)[2] != branch:
        raise ValueError(f"{KEY} in _config.yml names the branch '{parts(repository)[2]}', and not '{branch}'")
    made = commit(root, branch, _files(BUILD / ZIP), MESSAGE)
    yield f"branch '{branch}': {f'commit {made[:10]}' if made else 'nothing has changed'}"
    if remote:
        git(root, "push", "--quiet", remote, f"refs/heads/{branch}:refs/heads/{branch}")
        yield f"pushed to {remote}"
    if repository:
        yield "for your syllabus or LMS:"
        yield from (f"{name}: {badge(name, repository)}" for name in assignments())
    else:
        yield f"To link Colab and Binder, set {KEY}: OWNER/REPOSITORY/{branch} in _config.yml, release, publish again."


def _files(archive: Path) -> dict[str, bytes]:
    """Return the files of kit.zip's folder by their path in it; Binder looks for the requirements at the top."""
    with zipfile.ZipFile(archive) as opened:
        files = {name.partition("/")[2]: opened.read(name) for name in opened.namelist()}
    return files | {"requirements.txt": files["kit/requirements.txt"]}
