"""The cells of several chapters run side by side, before Sphinx reads one chapter after the other.

Sphinx runs a chapter's cells when it comes to the chapter, on one core. Here jupyter-cache runs those that it does not
have yet. A chapter that fails is not kept: Sphinx then runs it again, and reports what it finds.
"""

from pathlib import Path

from freshness import code_cells
from jupyter_cache import get_cache
from jupyter_cache.executors import load_executor
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

READ = {"name": "myst_nb_md", "type": "plugin"}  # by MyST-NB, as Sphinx reads a chapter


def run_ahead(app: Sphinx, env: BuildEnvironment, added: set, changed: set, removed: set) -> list[str]:
    """Run all chapters that are not in the cache; none becomes stale by that."""
    cache = get_cache(Path(app.config.nb_execution_cache_path))
    pages = [page for name in env.found_docs if (page := Path(env.doc2path(name))).suffix == ".md"]
    chapters = [str(page) for page in pages if code_cells(page)]
    for chapter in chapters:
        cache.add_nb_to_project(chapter, read_data=READ)
    new = [record.uri for record in cache.list_unexecuted(chapters)]
    if len(new) > 1:  # one alone is run by Sphinx
        load_executor("local-parallel", cache).run_and_cache(filter_uris=new, timeout=app.config.nb_execution_timeout)
    return []


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("env-get-outdated", run_ahead, priority=600)  # after freshness has dropped what is stale
    return {"parallel_read_safe": True}
