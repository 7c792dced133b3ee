"""Pages ask for nothing that they do not use: no live-code script, no 1.5 MB of icons as JavaScript."""

import re
from pathlib import Path

from sphinx.application import Sphinx

# The theme loads its icons twice, as a font and as a script; the font is enough.
ICON_SCRIPT = re.compile(r"\s*<script[^>]*fontawesome[^>]*></script>|\s*<link[^>]*fontawesome\.js[^>]*/?>")


def wanted(asset: object) -> bool:
    """Return whether a page should load this file: Thebe, which talks to remote kernels, is the one it should not."""
    body = str(getattr(asset, "attributes", {}).get("body", ""))
    return "thebe" not in f"{getattr(asset, 'filename', asset)} {body}".lower()


def drop_thebe(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: object) -> None:
    for kind in ("script_files", "css_files"):
        context[kind] = [asset for asset in context.get(kind, []) if wanted(asset)]


def drop_icon_script(app: Sphinx, exception: Exception | None) -> None:
    """Take the icon script out of the written pages, and out of the output."""
    if exception is not None or app.builder.format != "html":
        return
    for page in Path(app.outdir).rglob("*.html"):
        text = page.read_text(encoding="utf8")
        shorter = ICON_SCRIPT.sub("", text)
        if shorter != text:
            page.write_text(shorter, encoding="utf8")
    for unused in Path(app.outdir).glob("_static/scripts/fontawesome.js*"):
        unused.unlink()


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", drop_thebe, priority=900)
    app.connect("build-finished", drop_icon_script)
    return {"parallel_read_safe": True}
