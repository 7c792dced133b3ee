"""Files as the whole content of a git branch, without a look at work tree, index or checked-out branch."""

import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path


def git(repository: Path, *words: str, **settings: str) -> str:
    """Return what git prints; raise ValueError with what it complains of where it fails."""
    command = ["git", "-C", str(repository), *words]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "GIT_TERMINAL_PROMPT": "0", **settings}, check=False
    )
    if done.returncode != 0:
        raise ValueError(f"git {words[0]} failed in {repository}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout.strip()


def commit(repository: Path, branch: str, files: Mapping[str, bytes], message: str) -> str | None:
    """Commit files, by path, as all that a branch holds, on top of what it held; return the commit, None for no change.

    The branch moves at the end and at once, if it is where it was at the beginning. Raise ValueError where git refuses,
    and where the branch is checked out: its files there would seem changed.
    """
    name = f"refs/heads/{branch}"
    git(repository, "check-ref-format", name)
    if f"branch {name}" in git(repository, "worktree", "list", "--porcelain").splitlines():
        raise ValueError(f"the branch '{branch}' is checked out in {repository}: check out another one first")
    before = git(repository, "for-each-ref", "--format=%(objectname)", name)
    tree = _tree(repository, files)
    if before and git(repository, "rev-parse", f"{before}^{{tree}}") == tree:
        return None
    parents = ["-p", before] if before else []
    made = git(repository, "commit-tree", tree, "-m", message, *parents)
    git(repository, "update-ref", name, made, before or "0" * len(made))
    return made


def _tree(repository: Path, files: Mapping[str, bytes]) -> str:
    """Return git's name for a folder with these files, written as they are: no filter, no line ends changed."""
    with tempfile.TemporaryDirectory() as folder:
        lines = []
        for path, content in files.items():
            file = Path(folder, "content")
            file.write_bytes(content)
            blob = git(repository, "hash-object", "-w", "--no-filters", str(file))
            lines.append(f"100644 {blob}\t{path}")
        listed = Path(folder, "list")
        listed.write_text("\n".join(lines), encoding="utf-8")
        index = {"GIT_INDEX_FILE": str(Path(folder, "index"))}
        with listed.open("rb") as lines_of_it:
            command = ["git", "-C", str(repository), "update-index", "--add", "--index-info"]
            subprocess.run(command, stdin=lines_of_it, env={**os.environ, **index}, check=True, capture_output=True)
        return git(repository, "write-tree", **index)
