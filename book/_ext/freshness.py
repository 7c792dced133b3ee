"""A chapter runs again when its cells, the code they import, the results or the requirements change; only then.

jupyter-cache knows a chapter by the text of its code cells alone: it would show yesterday's numbers after an edit in
`solutions/`. So each chapter has a fingerprint of everything else it stands on; when that changes, its record in the
cache is dropped and Sphinx is told to read the chapter anew.
"""

import hashlib
import json
import re
from pathlib import Path

from jupyter_cache import get_cache
from myst_nb.sphinx_ import NbMetadataCollector
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from book.contents import chapter_of, name_of
from lab.dependencies import files_behind, imported_names
from lab.files import atomic_write

ROOT = Path(__file__).parents[2]
OF_ALL = "results"  # the page that stands on the results of all chapters, and on the aims beside them
OF_CHECKS = "teaching"  # the page with the mistakes that all checks know; checks are imported by name
PINNED = "lab/kinds/pinned.py"  # whoever imports it may load the pinned models of the chapters whose code is at hand
FEW = 5  # pages that are named
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
FAULT = re.compile(r"^(?:[\w.]*\.)?(\w*(?:Error|Exception|Interrupt|Warning)\b.*)$", re.MULTILINE)
OPTION = re.compile(r"^(:\w.*|---\n(.*\n)*?---)$", re.MULTILINE)

logger = logging.getLogger(__name__)


def code_cells(page: Path) -> list[str]:
    """Return the code of a MyST notebook, cell by cell, without cell options."""
    return [OPTION.sub("", cell) for cell in CELL.findall(page.read_text(encoding="utf8"))]


def standing_on(page: Path, root: Path = ROOT) -> list[Path]:
    """Return the files that a chapter's cells stand on: what they import, what that imports, results, pinned models."""
    cells = code_cells(page)
    paths = set(files_behind([name for cell in cells for name in imported_names(cell)], root))
    name, code = name_of(page), "\n".join(cells)
    chapter = chapter_of(name)
    for folder in root.glob("solutions/*/results"):
        if folder.parent.name == chapter or name == OF_ALL or folder.parent.name in code:
            paths |= set(folder.glob("*.json"))
    if root / PINNED in paths:
        for solution in {path.relative_to(root).parts[1] for path in paths if path.is_relative_to(root / "solutions")}:
            paths |= set(root.glob(f"solutions/{solution}/pinned/*.npz"))
    if name == OF_ALL:
        paths |= {*root.glob("solutions/*/aims.json"), *root.glob("book/chapters.toml"), *root.glob("course.toml")}
    if name == OF_CHECKS:
        paths |= {*root.glob("exercises/*/*.py"), *root.glob("exercises/*/mistakes/*.txt")}
        paths |= {*root.glob("book/chapters.toml"), *root.glob("course.toml")}
    return sorted([*paths, *root.glob("requirements.txt")])


def fingerprint(page: Path, root: Path = ROOT) -> str:
    """Return one hash over the names and contents of everything that a chapter stands on."""
    digest = hashlib.sha256()
    for file in standing_on(page, root):
        digest.update(f"{file.relative_to(root)}\n".encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def drop_records(cache_path: Path, page: Path) -> None:
    """Forget the executed cells of one chapter, also those that ran before the whole course was moved elsewhere."""
    cache = get_cache(cache_path)
    for record in cache.list_cache_records():
        if Path(record.uri).parts[-2:] == page.parts[-2:]:
            cache.remove_cache(record.pk)


def stale_chapters(app: Sphinx, env: BuildEnvironment, added: set, changed: set, removed: set) -> list[str]:
    """Return the chapters whose ground moved since this edition was last built, dropping their cached cells once."""
    cache_path = Path(app.config.nb_execution_cache_path)
    ledger = cache_path / "fingerprints.json"
    recorded = json.loads(ledger.read_text()) if ledger.is_file() else {}
    seen_here = getattr(env, "chapter_fingerprints", {})
    stale, moved = [], []
    for docname in sorted(env.found_docs):
        page = Path(env.doc2path(docname))
        if page.suffix != ".md" or not code_cells(page):
            continue
        now = fingerprint(page)
        if recorded.get(docname) != now:
            moved.append(env.doc2path(docname, base=False))
            drop_records(cache_path, page)
            recorded[docname] = now
        if seen_here.get(docname) != now:
            stale.append(docname)
            seen_here = {**seen_here, docname: now}
    if moved:
        which = f"{len(moved)} pages" if len(moved) > FEW else ", ".join(f"book/{each}" for each in moved)
        print(f"{which}: what they stand on is new or has changed, their cells will run", flush=True)
    env.chapter_fingerprints = seen_here
    atomic_write(ledger, json.dumps(recorded, indent=1).encode())
    return stale


def say_where(app: Sphinx, exception: Exception | None) -> None:
    """Name file, line and error of each chapter whose cells failed: the log alone says only that one did."""
    for docname in sorted(app.env.found_docs):
        run = NbMetadataCollector.get_exec_data(app.env, docname)
        if run and not run["succeeded"]:
            page, label = Path(app.env.doc2path(docname)), f"book/{app.env.doc2path(docname, base=False)}"
            faults = FAULT.findall(COLOUR.sub("", run["traceback"] or ""))
            error = faults[-1] if faults else run["error"]
            logger.error("%s:%s: this cell failed: %s", label, failed_line(page, run["traceback"]), error)


def failed_line(page: Path, traceback: str | None) -> int:
    """Return the line of the page where the failed cell's code begins."""
    parts = re.split(r"^-{10,}\n", traceback or "", flags=re.MULTILINE)
    code = parts[1].strip() if len(parts) > 1 else ""
    text = page.read_text(encoding="utf8")
    return text[: text.find(code)].count("\n") + 1 if code and code in text else 1


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("env-get-outdated", stale_chapters)
    app.connect("build-finished", say_where)
    return {"parallel_read_safe": True}
