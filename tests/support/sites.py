"""Small sites: pages that Sphinx builds with the book's own extensions, the text of a page, a folder that is served."""

import html
import io
import re
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


def built(folder: Path, pages: dict[str, str] | None = None, *, builder: str = "html", **settings: object) -> str:
    """Write pages into folder/source, build them into folder/html, and return what Sphinx warned of."""
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    source, warned = folder / "source", io.StringIO()
    source.mkdir(exist_ok=True)
    for name, text in (pages or {}).items():
        (source / f"{name}.md").write_text(text, encoding="utf8")
    settings = {"html_theme": "basic", "root_doc": "index"} | settings
    with patch_docutils(), docutils_namespace(), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        places = source, None, folder / "html", folder / "trees", builder, settings
        Sphinx(*places, status=None, warning=warned).build()
    return warned.getvalue()


def shown(page: str) -> str:
    """Return the text of a page without its tags, so that coloured code reads as code."""
    return html.unescape(re.sub(r"<[^>]+>", "", page))


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder, and says nothing of it."""

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def answered_by(handler: Callable[..., Quiet]) -> Iterator[str]:
    """Serve on a port of this machine, and yield its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def served(folder: Path) -> AbstractContextManager[str]:
    """Serve a folder, and yield its address."""
    return answered_by(partial(Quiet, directory=str(folder)))
