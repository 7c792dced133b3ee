"""The models that run in the page, with the engine that runs them, are written beside the pages of this very build."""

from pathlib import Path

from sphinx.application import Sphinx


def write_models(app: Sphinx, exception: Exception | None) -> None:
    if exception is None and app.builder.name == "html":
        from book import live_models  # torch and the model: only when the pages are there

        live_models.write(Path(app.outdir) / "_static" / "live")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", write_models)
    return {"parallel_read_safe": True}
