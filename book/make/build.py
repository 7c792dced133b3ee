"""Build the book: `python book/make/build.py` shows the code, `python book/make/build.py --students` its blanked form.

The edition for students has no pages for teachers, either.
"""

import hashlib
import os
import shutil
import sys
import warnings
from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path
from time import perf_counter

import yaml

ROOT = Path(__file__).resolve().parents[2]
BOOK = ROOT / "book"
sys.path[:0] = [str(ROOT)] if str(ROOT) not in sys.path else []  # run as a script
from autograder.settings import SettingsError  # noqa: E402
from book import contents  # noqa: E402

TEACHERS = "For teachers"  # the caption of their part in _toc.yml
FOLDERS = {"full": "_build", "students": "_build_students"}


def machinery() -> str:
    """Return one hash over what all pages depend on and Sphinx does not watch: settings, extensions, fonts."""
    digest = hashlib.sha256()
    loose = [ROOT / "_config.yml", ROOT / "requirements.txt", Path(__file__)]
    digest.update(repr(table_of_contents("full")).encode())
    for file in [
        *loose,
        *sorted(BOOK.glob("_ext/*.py")),
        *sorted(ROOT.glob("autograder/katex/*.*")),
        *sorted(ROOT.glob("autograder/katex/fonts/*")),
        *sorted(BOOK.glob("_static/*")),
    ]:
        digest.update(file.read_bytes() if file.is_file() else b"")
    return digest.hexdigest()


def settings() -> dict:
    """Return the book's settings."""
    return yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))


def table_of_contents(edition: str) -> dict:
    """Return the contents of an edition: students have no pages for teachers, with mistakes and markings."""
    toc = contents.contents(ROOT)
    parts = [part for part in toc["parts"] if edition == "full" or part["caption"] != TEACHERS]
    return toc | {"parts": parts}


def write_contents(edition: str, folder: Path) -> Path:
    """Write the contents of an edition where Sphinx reads them, and return the file."""
    toc = yaml.safe_dump(table_of_contents(edition), sort_keys=False, allow_unicode=True)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "_toc.yml").write_text(toc, encoding="utf-8")
    return folder / "_toc.yml"


def has_these_contents(edition: str) -> bool:
    """Return whether the edition in build/ is one of these contents: it may be older than the list of chapters."""
    written = ROOT / "build" / FOLDERS[edition] / "_toc.yml"
    return written.is_file() and yaml.safe_load(written.read_text(encoding="utf-8")) == table_of_contents(edition)


def site_of(edition: str, names: Iterable[str]) -> Path:
    """Return the folder of an edition's pages; where one of these is missing, end with a sentence that says so."""
    site = ROOT / "build" / FOLDERS[edition] / "html"
    if missing := [name for name in names if not (site / f"{name}.html").is_file()]:
        verb = "book-students" if edition == "students" else "book"
        print(f"{site.relative_to(ROOT)} has no {missing[0]}.html: make {verb} first", file=sys.stderr)
        sys.exit(2)
    return site


def order(edition: str = "full") -> list[str]:
    """Return the names of an edition's pages, as a reader meets them."""
    toc = table_of_contents(edition)
    return [toc["root"], *contents.files(toc["parts"])]


def build(edition: str, output: Path = ROOT / "build", fresh: bool = False) -> int:
    """Build one edition and return the exit code: any warning is a failure, after all pages have been written."""
    from jupyter_book.sphinx import build_sphinx

    folder = output / FOLDERS[edition]
    trees = folder / ".doctrees"
    stamp = folder / "machinery"
    if fresh or not stamp.is_file() or stamp.read_text() != machinery():
        shutil.rmtree(folder, ignore_errors=True)
    result = build_sphinx(
        BOOK,
        folder / "html",
        noconfig=True,
        builder="html",
        doctreedir=trees,
        path_config=ROOT / "_config.yml",
        confoverrides={
            "external_toc_path": str(write_contents(edition, folder)),
            "latex_individualpages": False,
            "nitpicky": True,
            "edition": edition,
            # Both editions share the executed cells.
            "nb_execution_cache_path": str(output / "executed"),
        },
        warningiserror=True,
        keep_going=True,
        quiet=True,
    )
    stamp.write_text(machinery())
    if result != 0:
        # Sphinx would not read an unchanged page again, and the second build would hide what the first one found.
        shutil.rmtree(trees, ignore_errors=True)
    return 0 if result == 0 else 1


def prepare_kernels(folder: Path) -> None:
    """Let the chapters' kernels find the project, and keep the reader's own IPython start-up files out of them."""
    profile = folder / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    (profile / "ipython_kernel_config.py").write_text('get_config().IPKernelApp.log_level = "ERROR"\n')
    os.environ["IPYTHONDIR"] = str(folder)
    os.environ["PYTHONPATH"] = str(ROOT)
    # One thread: the chapters' models are small, and on a busy machine threads that wait for each other cost minutes.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # a debugger's warning has no place in a page


def main() -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--students", action="store_true", help="graded bodies are blanked")
    parser.add_argument("--fresh", action="store_true", help="write every page anew (executed cells stay cached)")
    arguments = parser.parse_args()
    edition = "students" if arguments.students else "full"
    prepare_kernels(ROOT / "build" / "ipython")
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    warnings.filterwarnings("ignore", category=PendingDeprecationWarning)
    started = perf_counter()
    try:
        table_of_contents(edition)
    except SettingsError as error:
        print(error, file=sys.stderr)
        return 2
    code = build(edition, fresh=arguments.fresh)
    page = Path("build") / FOLDERS[edition] / "html/index.html"
    if code == 0:
        print(f"The book is at {page} ({perf_counter() - started:.0f} s).")
    else:
        print("The book was not built without faults: each WARNING and ERROR above names its file and line.")
    return code


if __name__ == "__main__":
    sys.exit(main())
