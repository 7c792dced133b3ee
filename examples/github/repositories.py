"""Collect notebooks from students' repositories, and give feedback back as a branch of each: see README.md.

Nothing of a repository is checked out: its files are read from git's store, so no link, hook or filter of it acts here.
"""

import argparse
import csv
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from autograder.assignment import assignments
from autograder.export.run import export
from autograder.files import folder as private_folder
from autograder.release.branch import commit, git, raw
from autograder.submissions.lms_names import folder_name

HANDED_IN, FEEDBACK = "refs/heads/handed-in", "feedback"
LARGEST = 64 << 20  # bytes of a file: `grade` takes no larger one
# The token is asked for by git and stands in no file, address or message.
ASKED = "!f() { echo username=x-access-token; echo password=$CLASS_TOKEN; }; f"
SETTINGS = ("-c", "transfer.fsckObjects=true", "-c", "protocol.ext.allow=never", "-c", f"credential.helper={ASKED}")


def students(table: Path) -> dict[str, str]:
    """Return the address of each student's repository, from a table with the columns `student` and `repository`."""
    with table.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    if not rows or not {"student", "repository"} <= set(rows[0]):
        raise ValueError(f"{table}: expected the columns student and repository, and a row for each student")
    return {row["student"].strip(): row["repository"].strip() for row in rows}


def collect(table: Path, clones: Path, place: Path) -> Iterator[str]:
    """Bring each student's notebooks into FOLDER/STUDENT; yield who could not be reached: what came before stays."""
    private_folder(place)
    for student, address in students(table).items():
        store = _store(clones, student)
        try:
            git(store, *SETTINGS, "fetch", "--quiet", "--depth", "1", "--no-tags", address, f"+HEAD:{HANDED_IN}")
            files = dict(_notebooks(store))
        except ValueError as error:
            yield f"{student}: {error}"
            continue
        _replace(place / folder_name(student), files)
        yield f"{student}: {', '.join(files) or 'no notebook of the course'}"


def _store(clones: Path, student: str) -> Path:
    store = clones / f"{folder_name(student)}.git"
    if not store.exists():
        private_folder(clones)
        git(clones, "init", "--quiet", "--bare", str(store.resolve()))
    return store


def _notebooks(store: Path) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of each file NAME.ipynb, but those of the kit, as they were given out."""
    for line in git(store, "ls-tree", "-r", "-l", "-z", HANDED_IN).split("\0"):
        about, _, path = line.partition("\t")
        parts = PurePosixPath(path).parts
        if not parts or PurePosixPath(path).stem not in assignments() or not path.endswith(".ipynb"):
            continue
        mode, _, blob, size = about.split()
        if mode.startswith("100") and "kit" not in parts and ".." not in parts and int(size) <= LARGEST:
            yield path, raw(store, "cat-file", "blob", blob)


def _replace(place: Path, files: dict[str, bytes]) -> None:
    """Put files into a folder in place of all that was there."""
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=".new-") as made:
        for path, content in files.items():
            file = Path(made, "files", path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        Path(made, "files").mkdir(exist_ok=True)
        if place.exists():
            place.rename(Path(made, "old"))
        Path(made, "files").rename(place)


def give_back(table: Path, clones: Path, out: Path) -> Iterator[str]:
    """Push each student's feedback pages and points to the branch `feedback`; yield what was pushed."""
    yield from export(out, "csv")
    with (out / "export" / "grades.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for student, address in students(table).items():
        whose = folder_name(student)
        pages = {f"{page.stem}.html": page.read_bytes() for page in sorted((out / "feedback" / whose).glob("*/*.html"))}
        mine = [row for row in rows if row["student"] == whose]
        if not pages:
            yield f"{student}: nothing to give back"
            continue
        lines = ["| notebook | points | of |", "|---|--:|--:|"]
        lines += [f"| {row['assignment']} | {row['total'] or 'none yet'} | {row['max_score']} |" for row in mine]
        pages["README.md"] = "\n".join([*lines, "", "Download the pages and open them in a browser.", ""]).encode()
        store = _store(clones, student)
        try:
            yield f"{student}: {_push(store, address, pages)}"
        except ValueError as error:
            yield f"{student}: {error}"


def _push(store: Path, address: str, files: dict[str, bytes]) -> str:
    if git(store, *SETTINGS, "ls-remote", address, f"refs/heads/{FEEDBACK}"):
        git(
            store,
            *SETTINGS,
            "fetch",
            "--quiet",
            "--depth",
            "1",
            address,
            f"+refs/heads/{FEEDBACK}:refs/heads/{FEEDBACK}",
        )
    if not commit(store, FEEDBACK, files, "Feedback"):
        return "as before"
    git(store, *SETTINGS, "push", "--quiet", address, f"refs/heads/{FEEDBACK}")
    return f"{len(files) - 1} pages"


def keep(out: Path, branch: str) -> Iterator[str]:
    """Commit all of DIR to a branch of the repository here, and push it to `origin`."""
    files = {path.relative_to(out).as_posix(): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}
    made = commit(Path.cwd(), branch, files, "Grades")
    if made:
        git(Path.cwd(), "push", "--quiet", "origin", f"refs/heads/{branch}")
    yield f"{branch}: {made or 'as before'}"


def main() -> int:
    """Run one command; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m examples.github.repositories")
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb, option in (("collect", "--to"), ("give-back", "--of")):
        each = verbs.add_parser(verb)
        each.add_argument("table", type=Path, metavar="students.csv")
        each.add_argument("--clones", type=Path, default=Path("clones"), metavar="FOLDER")
        each.add_argument(option, dest="place", type=Path, required=True, metavar="FOLDER")
    kept = verbs.add_parser("keep")
    kept.add_argument("place", type=Path, metavar="DIR")
    kept.add_argument("--branch", default="grades")
    options = parser.parse_args()
    for who in ("AUTHOR", "COMMITTER"):
        os.environ.setdefault(f"GIT_{who}_NAME", "the grader")
        os.environ.setdefault(f"GIT_{who}_EMAIL", "grader@localhost")
    try:
        if options.verb == "keep":
            lines = keep(options.place, options.branch)
        else:
            lines = {"collect": collect, "give-back": give_back}[options.verb](
                options.table, options.clones, options.place
            )
        for line in lines:
            print(line, flush=True)
    except (ValueError, OSError) as error:
        print(f"{options.verb}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
