"""Pages ask for nothing that they do not use: no live-code script, no 1.5 MB of icons as JavaScript."""

import re
from pathlib import Path

from sphinx.application import Sphinx

# The theme loads its icons twice, as a font and as a script; the font is enough.
ICON_SCRIPT = re.compile(r'\s*<script[^>]*fontawesome[^>]*></script>|\s*<link[^>]*fontawesome\.js[^>]*/?>')


def wanted(script: object) -> bool:
    """Return whether a page should load this script: Thebe, which talks to remote kernels, is the one it should not."""
    filename = str(getattr(script, "filename", script))
    body = str(getattr(script, "attributes", {}).get("body", ""))
    return "thebe" not in filename.lower() and "thebe" not in body.lower()


def drop_scripts(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: object) -> None:
    context["script_files"] = [script for script in context.get("script_files", []) if wanted(script)]


def drop_icon_script(app: Sphinx, exception: Exception | None) -> None:
    """Take the icon script out of the written pages, and out of the output."""
    if exception is not None or app.builder.format != "html":
        return
    for page in Path(app.outdir).rglob("*.html"):
        text = page.read_text(encoding="utf8")
        shorter = ICON_SCRIPT.sub("", text)
        if shorter != text:
            page.write_text(shorter, encoding="utf8")
    for unused in [*Path(app.outdir).glob("_static/scripts/fontawesome.js*"), *Path(app.outdir).glob("_static/*thebe*")]:
        unused.unlink()


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", drop_scripts, priority=900)
    app.connect("build-finished", drop_icon_script)
    return {"parallel_read_safe": True}
