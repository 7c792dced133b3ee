"""The cells of several chapters run side by side, before Sphinx reads one chapter after the other.

Sphinx runs a chapter's cells when it comes to the chapter, on one core. Here those that are not in jupyter-cache are
run ahead and kept there. A chapter that fails is not kept: Sphinx then runs it again, and reports what it finds.
"""

import asyncio
import os
from pathlib import Path
from time import perf_counter

from freshness import code_cells
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn, JupyterCacheAbstract
from myst_nb.core.read import myst_nb_reader_plugin
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

AT_ONCE = min(4, os.cpu_count() or 1)


def not_kept(pages: list[Path], cache: JupyterCacheAbstract) -> dict[Path, NotebookNode]:
    """Return the chapters whose cells have to run, longest first: the short ones then fill the gaps at the end."""
    chapters = {}
    for page in sorted(pages, key=lambda page: page.stat().st_size, reverse=True):
        if page.suffix != ".md" or not code_cells(page):
            continue
        notebook = myst_nb_reader_plugin(str(page))
        try:
            cache.match_cache_notebook(notebook)
        except KeyError:
            chapters[page] = notebook
    return chapters


async def run_and_keep(chapters: dict[Path, NotebookNode], cache: JupyterCacheAbstract, timeout: int) -> None:
    """Run the chapters, `AT_ONCE` at a time, and keep each that ends without a fault."""
    free = asyncio.Semaphore(AT_ONCE)

    async def run(page: Path, notebook: NotebookNode) -> None:
        async with free:
            started = perf_counter()
            try:
                await NotebookClient(
                    notebook,
                    timeout=timeout,
                    record_timing=False,  # in a cell's metadata, by which the cache knows the notebook
                    resources={"metadata": {"path": str(page.parent)}},
                ).async_execute()
            except (CellExecutionError, CellTimeoutError):
                return
            took = {"execution_seconds": perf_counter() - started}
            bundle = CacheBundleIn(notebook, str(page), data=took)
            cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)

    await asyncio.gather(*(run(page, notebook) for page, notebook in chapters.items()))


def run_ahead(app: Sphinx, env: BuildEnvironment, added: set, changed: set, removed: set) -> list[str]:
    """Run all chapters that are not in the cache; none becomes stale by that."""
    cache = get_cache(Path(app.config.nb_execution_cache_path))
    chapters = not_kept([Path(env.doc2path(name)) for name in env.found_docs], cache)
    if len(chapters) > 1:  # one alone is run by Sphinx
        asyncio.run(run_and_keep(chapters, cache, app.config.nb_execution_timeout))
    return []


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("env-get-outdated", run_ahead, priority=600)  # after freshness has dropped what is stale
    return {"parallel_read_safe": True}
