"""The cells of several pages run side by side, before Sphinx reads one page after the other.

Sphinx runs a page's cells when it comes to the page, on one core. Here jupyter-cache runs those that it does not have
yet, each page in a process, and a line says what is done and how many are left. A page that fails is not kept: Sphinx
then runs it again, and reports what it finds.
"""

import logging
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from filelock import FileLock
from freshness import code_cells
from jupyter_cache import get_cache
from jupyter_cache.executors import load_executor
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

READ = {"name": "myst_nb_md", "type": "plugin"}  # by MyST-NB, as Sphinx reads a page
DONE = "cells-have-run"  # from here on Sphinx needs one core: `make course` grades its class on the other
QUIET = logging.getLogger("jupyter_cache.quiet")  # what fails is told by Sphinx
QUIET.addHandler(logging.NullHandler())
QUIET.propagate = False


def run_ahead(app: Sphinx, env: BuildEnvironment, added: set, changed: set, removed: set) -> list[str]:
    """Run all pages that are not in the cache; none becomes stale by that."""
    folder = Path(app.config.nb_execution_cache_path)
    cache = get_cache(folder)
    pages = [page for name in env.found_docs if (page := Path(env.doc2path(name))).suffix == ".md"]
    cells = {str(page): count for page in pages if (count := len(code_cells(page)))}
    for page in cells:
        cache.add_nb_to_project(page, read_data=READ)
    new = sorted((record.uri for record in cache.list_unexecuted(list(cells))), key=cells.__getitem__, reverse=True)
    with ProcessPoolExecutor() as pool:  # the longest first, so that none is left for one process at the end
        ahead = new if len(new) > 1 else []  # one alone is run by Sphinx
        running = {pool.submit(run, folder, page, app.config.nb_execution_timeout): page for page in ahead}
        for done, each in enumerate(as_completed(running), 1):
            each.result()
            page = Path(running[each]).relative_to(app.srcdir)
            print(f"cells run: {page}; {len(new) - done} of {len(new)} pages left", flush=True)
    folder.with_name(DONE).touch()
    return []


def run(folder: Path, page: str, timeout: int) -> None:
    """Run the cells of one page, and put them into the cache in this folder."""
    cache = get_cache(folder)
    keep = cache.cache_notebook_bundle

    def alone(*arguments: Any, **more: Any) -> Any:
        with FileLock(folder.with_name("cells.lock")):  # one process writes at a time
            return keep(*arguments, **more)

    cache.cache_notebook_bundle = alone
    load_executor("local-serial", cache, QUIET).run_and_cache(filter_uris=[page], timeout=timeout)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("env-get-outdated", run_ahead, priority=600)  # after freshness has dropped what is stale
    return {"parallel_read_safe": True}
