"""Build the book: `python book/build.py` shows the code, `python book/build.py --students` its blanked form."""

import hashlib
import os
import shutil
import sys
import warnings
from argparse import ArgumentParser
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).resolve().parents[1]
BOOK = ROOT / "book"
FOLDERS = {"full": "_build", "students": "_build_students"}


def machinery() -> str:
    """Return one hash over what all pages depend on and Sphinx does not watch: settings, extensions, fonts."""
    digest = hashlib.sha256()
    loose = [ROOT / "_config.yml", ROOT / "requirements.txt", BOOK / "_toc.yml", Path(__file__)]
    for file in [
        *loose,
        *sorted(BOOK.glob("_ext/*.py")),
        *sorted(ROOT.glob("autograder/katex/*.*")),
        *sorted(ROOT.glob("autograder/katex/fonts/*")),
        *sorted(BOOK.glob("_static/*")),
    ]:
        digest.update(file.read_bytes() if file.is_file() else b"")
    return digest.hexdigest()


def build(edition: str, output: Path = ROOT / "build", fresh: bool = False) -> int:
    """Build one edition and return the exit code: any warning is a failure, after all pages have been written."""
    sys.path[:0] = [str(ROOT)] if str(ROOT) not in sys.path else []  # for the book's extensions
    from jupyter_book.sphinx import build_sphinx

    folder = output / FOLDERS[edition]
    stamp = folder / "machinery"
    if fresh or not stamp.is_file() or stamp.read_text() != machinery():
        shutil.rmtree(folder, ignore_errors=True)
    result = build_sphinx(
        BOOK,
        folder / "html",
        noconfig=True,
        path_config=ROOT / "_config.yml",
        confoverrides={
            "external_toc_path": str(BOOK / "_toc.yml"),
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
        shutil.rmtree(folder / ".doctrees", ignore_errors=True)
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
    code = build(edition, fresh=arguments.fresh)
    page = Path("build") / FOLDERS[edition] / "html" / "index.html"
    if code == 0:
        print(f"The book is at {page} ({perf_counter() - started:.0f} s).")
    else:
        print("The book was not built without faults: each WARNING and ERROR above names its file and line.")
    return code


if __name__ == "__main__":
    sys.exit(main())
