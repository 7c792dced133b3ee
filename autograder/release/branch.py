"""Files as the whole content of a git branch, without a look at work tree, index or checked-out branch."""

import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path


def git(repository: Path, *words: str, given: bytes = b"", index: str = "") -> str:
    """Return git's output as text; raise ValueError with its complaint where it fails."""
    return raw(repository, *words, given=given, index=index).decode("utf-8", "surrogateescape").strip()


def raw(repository: Path, *words: str, given: bytes = b"", index: str = "") -> bytes:
    """Return git's output in bytes, as for a file's content."""
    command = ["git", "-C", str(repository), *words]
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0"} | ({"GIT_INDEX_FILE": index} if index else {})
    done = subprocess.run(command, input=given, capture_output=True, env=environment, check=False)
    if done.returncode != 0:
        reason = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
        verb = next(word for word in words if word[:1] != "-" and "=" not in word)
        raise ValueError(f"git {verb} failed in {repository}: {reason}")
    return done.stdout


def commit(repository: Path, branch: str, files: Mapping[str, bytes], message: str) -> str | None:
    """Commit files, by path, as the whole content of a branch, on top of it; return the commit, None for no change.

    The branch moves in one step at the end, unless somebody else has moved it. Raise ValueError where git refuses, and
    where the branch is checked out: its files there would seem changed.
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
    lines = []
    for path, content in files.items():
        blob = git(repository, "hash-object", "-w", "--no-filters", "--stdin", given=content)
        lines.append(f"100644 {blob}\t{path}\0")
    with tempfile.TemporaryDirectory() as folder:
        index = str(Path(folder, "index"))
        listed = "".join(lines).encode("utf-8", "surrogateescape")
        git(repository, "update-index", "--add", "-z", "--index-info", given=listed, index=index)
        return git(repository, "write-tree", index=index)
