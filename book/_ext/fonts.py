"""The text's fonts are asked for before the style sheets are read, so that the text rarely changes its font in view.

Only where a web host serves the page: a browser that reads it from the disk refuses such requests, with an error.
"""

from sphinx.application import Sphinx

FONTS = ["source-serif-4-latin-wght-normal.woff2", "source-serif-4-latin-wght-italic.woff2"]
PRELOAD = (
    'if (location.protocol.startsWith("http")) for (const href of [{}]) document.head.append('
    'Object.assign(document.createElement("link"), '
    '{{rel: "preload", as: "font", type: "font/woff2", crossOrigin: "", href}}));'
)


def preloaded(app: Sphinx, name: str, template: str, context: dict, doctree: object) -> None:
    """Add to the head of a page what asks for its fonts."""
    if app.builder.name == "html" and "pathto" in context:
        places = ", ".join(f'"{context["pathto"](f"_static/fonts/{font}", 1)}"' for font in FONTS)
        context["metatags"] = context.get("metatags", "") + f"<script>{PRELOAD.format(places)}</script>"


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", preloaded)
    return {"parallel_read_safe": True}
