"""The models that run in the page are written beside the pages of this very build, when one of them has changed."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from lab.dependencies import ROOT, files_behind, imported_names
from lab.files import atomic_write


def models() -> Iterator[tuple[str, Any]]:
    """Yield the pinned models that run in the page, by the engine's names."""
    from book.live.export import MODELS
    from book.make.models import pins
    from lab.kinds.pinned import pinned

    known: dict[str, Any] = {pin.name: pin for pin in pins()}
    for name in MODELS:
        yield name, pinned(known[name].solution, known[name].variant)


def scripts() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each script that a page may load."""
    from book.live import export as live_models

    yield "engine.js", live_models.engine()
    yield "figures.js", live_models.joined(live_models.FIGURES)
    written = set()
    for name, trained in models():
        yield f"{name}.js", live_models.script(name, live_models.exported(trained))
        corpus = live_models.corpus_of(name)
        if corpus not in written:
            yield f"{corpus}.js", live_models.script(corpus, live_models.offered_texts(corpus, trained))
        written.add(corpus)


def write_models(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None or app.builder.name != "html":
        return
    folder = Path(app.outdir) / "_static" / "live"
    own, chapters = Path(__file__), [path.parent.name for path in sorted(ROOT.glob("solutions/*/pins.py"))]
    files = [
        own,
        *files_behind({*imported_names(own.read_text()), *(f"solutions.{name}.pins" for name in chapters)}, ROOT),
        *sorted((ROOT / "book" / "live").glob("*/*.js")),
        *sorted(ROOT.glob("solutions/*/pinned/*.npz")),
    ]
    stamp = sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
    if (folder / "stamp").is_file() and (folder / "stamp").read_text() == stamp:
        return
    for name, text in scripts():
        atomic_write(folder / name, text.encode())
    atomic_write(folder / "stamp", stamp.encode())


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", write_models)
    return {"parallel_read_safe": True}
