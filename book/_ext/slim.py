"""Pages ask for nothing that they do not use, for fonts early, and tell a screen reader nothing that is not so."""

import re
from collections.abc import Iterable
from pathlib import Path

from sphinx.application import Sphinx

TIDY = {
    # The theme loads its icons twice, as a font and as 1.5 MB of JavaScript; the font is enough.
    r"\s*<script[^>]*fontawesome[^>]*></script>|\s*<link[^>]*fontawesome\.js[^>]*/?>": "",
    # A list without items, and a role that has been withdrawn.
    r' role="list"(?= class="citation-list")| role="doc-biblioentry"': "",
    # The book's name at the top of the sidebar stood outside of every landmark.
    r'<div class="sidebar-primary-item">(?=\s*<a class="navbar-brand logo")': (
        '<div class="sidebar-primary-item" role="navigation" aria-label="Home">'
    ),
    # search.js finds by another index: that of Sphinx has no text to quote.
    r'\s*<script src="searchindex\.js[^>]*></script>': "",
    # The corner of a table heads nothing.
    r'<th class="head">(?:<p></p>)?</th>': '<td class="head"></td>',
    # The theme has no colours until a script has chosen light or dark; without scripts pages are light, or dark.css.
    r'(<html[^>]*) data-theme="auto"': r'\1 data-theme="light"',
    # Its own script comes after the first paint: until then boxes had neither colours nor borders, and moved then.
    r'localStorage\.getItem\("theme"\) \|\| "auto"': (
        'localStorage.getItem("theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")'
    ),
    r"(?<!</noscript>)</head>": (
        '<noscript><link rel="stylesheet" media="(prefers-color-scheme: dark)" href="_static/dark.css"/></noscript>'
        "</head>"
    ),
    # What unfolds a chapter's pages in the sidebar had no name.
    r'<summary>(?=<span class="toctree-toggle")': '<summary aria-label="pages of this chapter">',
    # The button says "Search Ctrl K" itself; a shorter label beside it contradicts it.
    r'(<button class="btn search-button-field[^>]*?) aria-label="Search"': r"\1",
}

# Scripts wait for the page, in their order; only the settings that scripts within the page speak of come at once.
# Not on the page of the search: Sphinx's search would begin where it is loaded, before search.js has changed it.
EAGER = re.compile(r'<script (?=(?:data-sd-tabs-storage-prefix="[^"]*" )?src="(?!_static/documentation_options))')

# The theme makes what scrolls sideways reachable by measuring every box of the page, and again with each change in it;
# book.js does so for what comes near the screen.
MEASURES = "e.tabIndex=e.scrollWidth>e.clientWidth||e.scrollHeight>e.clientHeight?0:-1"

# The text's fonts are asked for before the style sheets are read, so that the text rarely changes its font in view.
# Only where a web host serves the page: a browser that reads it from the disk refuses such requests, with an error.
FONTS = (
    '<script>if (location.protocol.startsWith("http")) for (const href of '
    '["_static/fonts/source-serif-4-latin-wght-normal.woff2", "_static/fonts/source-serif-4-latin-wght-italic.woff2"]) '
    'document.head.append(Object.assign(document.createElement("link"), '
    '{rel: "preload", as: "font", type: "font/woff2", crossOrigin: "", href}));</script>'
)

DARK = re.compile(r"""[^{}]*\[data-theme=["']?dark["']?\][^{}]*\{[^{}]*\}""")
INLINE = re.compile(r"<style>(.*?)</style>", re.DOTALL)


def is_wanted(asset: object) -> bool:
    """Return whether a page should load this file: Thebe, which talks to remote kernels, is the one it should not."""
    body = str(getattr(asset, "attributes", {}).get("body", ""))
    return "thebe" not in f"{getattr(asset, 'filename', asset)} {body}".lower()


def lean(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: object) -> None:
    """Leave out what talks to remote kernels, and ask for the fonts early."""
    if app.builder.name == "html":
        context["metatags"] = context.get("metatags", "") + FONTS
    for kind in ("script_files", "css_files"):
        context[kind] = [asset for asset in context.get(kind, []) if is_wanted(asset)]


def dark_rules(styles: Iterable[str]) -> str:
    """Return the rules for dark pages as rules for pages that say they are light, as all do without scripts."""
    rules = dict.fromkeys(rule.strip() for style in styles for rule in DARK.findall(style))
    return "\n".join(re.sub(r"""\[data-theme=["']?dark["']?\]""", "[data-theme=light]", rule) for rule in rules)


def tidy(app: Sphinx, exception: Exception | None) -> None:
    """Mend the written pages and the theme's script, and drop the icons' from the output."""
    if exception is not None or app.builder.name != "html":
        return
    pages = sorted(Path(app.outdir).glob("*.html"))
    sheets = [sheet.read_text(encoding="utf8") for sheet in sorted(Path(app.outdir).glob("_static/**/*.css"))]
    inline = [style for page in pages for style in INLINE.findall(page.read_text(encoding="utf8"))]
    (Path(app.outdir) / "_static" / "dark.css").write_text(dark_rules([*sheets, *inline]), encoding="utf8")
    for page in pages:
        text = mended = page.read_text(encoding="utf8")
        for pattern, instead in TIDY.items():
            mended = re.sub(pattern, instead, mended)
        if page.stem != "search":
            mended = EAGER.sub("<script defer ", mended)
        if mended != text:
            page.write_text(mended, encoding="utf8")
    theme = Path(app.outdir) / "_static" / "scripts" / "pydata-sphinx-theme.js"
    theme.write_text(theme.read_text(encoding="utf8").replace(MEASURES, ""), encoding="utf8")
    for unused in Path(app.outdir).glob("_static/scripts/fontawesome.js*"):
        unused.unlink()


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", lean, priority=900)
    app.connect("build-finished", tidy, priority=900)  # after the theme has written its colours of code
    return {"parallel_read_safe": True}
