"""Pages load one style sheet: those of theme, extensions and book in their order, without what no page uses.

Ten sheets and 540 kB, nearly all of it Bootstrap's and Font Awesome's, kept a phone waiting before it showed a word.
"""

import logging
import re
from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from posixpath import normpath
from typing import Any

import tinycss2
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from sphinx.application import Sphinx

SHEET, ICONS = "pages.css", "icons.woff"
OTHERS = ("dark.css", SHEET)  # that are made here: the first for pages without scripts
OURS = ("book.css", "type.css", "plots.css", "figures.css", "head.css")  # whole: scripts make class names
NESTED = ("media", "supports", "container", "layer")
LINK = re.compile(r'\s*<link[^>]*href="_static/([^"?]+\.css)[^"]*"[^>]*>')
IMPORT = re.compile(r"""@import\s+(?:url\()?["']?([^"')]+\.css)["']?\)?;""")
ADDRESS = re.compile(r"""url\((["']?)(?!data:|#|[a-z]+:)([^"')]+)\1\)""")
ICON = re.compile(r"[\ue000-\uf8ff]")  # the private letters of such fonts, as tinycss2 writes them
ICON_FONT = re.compile(r"""src:[^;}]*fa-solid-900\.woff2[^;}]*""")
WORD = re.compile(r"[\w-]+")


def joined(sheet: Path, static: Path) -> str:
    """Return a style sheet with what it imports, its addresses as seen from the folder of static files."""
    text = sheet.read_text(encoding="utf8")
    first = [joined((sheet.parent / name).resolve(), static) for name in IMPORT.findall(text)]
    folder = sheet.parent.resolve().relative_to(static.resolve())
    own = ADDRESS.sub(lambda match: f'url("{normpath(folder / match[2])}")', IMPORT.sub("", text))
    return "\n".join([*first, own])


def names(selector: Sequence[Any]) -> set[str]:
    """Return the classes and the ids that a selector asks for, without those in :not(…), :is(…) and the like."""
    after_dot = (word for dot, word in pairwise(selector) if dot.type == "literal" and dot.value == ".")
    return {each.value for each in [*after_dot, *(each for each in selector if each.type == "hash")]}


def pruned(rules: Iterable[Any], words: set[str]) -> str:
    """Return the rules that can match where these words are all classes and ids that there are."""
    kept = []
    for rule in rules:
        if rule.type == "qualified-rule":
            selectors: list[list[Any]] = [[]]
            for token in rule.prelude:
                selectors.append([]) if token == "," else selectors[-1].append(token)
            used = [tinycss2.serialize(each).strip() for each in selectors if names(each) <= words]
            kept += [f"{','.join(used)}{{{tinycss2.serialize(rule.content).strip()}}}"] if used else []
        elif rule.lower_at_keyword in NESTED and rule.content:
            inner = pruned(tinycss2.parse_blocks_contents(rule.content, True, True), words)
            kept += [f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{inner}}}"] if inner else []
        elif rule.lower_at_keyword != "charset":
            kept.append(rule.serialize())
    return "\n".join(kept)


def with_icons(sheet: str, static: Path) -> str:
    """Return the sheet with a font that has the icons of its rules, and no others."""
    whole = static / "vendor" / "fontawesome" / "webfonts" / "fa-solid-900.ttf"
    if not whole.is_file():
        return sheet
    logging.getLogger("fontTools").setLevel(logging.WARNING)
    font, options = TTFont(whole), Options(flavor="woff", layout_features=[], notdef_outline=True)
    subsetter = Subsetter(options)
    subsetter.populate(text="".join(ICON.findall(sheet)))
    subsetter.subset(font)
    font.flavor = "woff"
    font.save(static / ICONS)
    return ICON_FONT.sub(f'src:url("{ICONS}") format("woff")', sheet)


def one_sheet(app: Sphinx, exception: Exception | None) -> None:
    """Write the sheet, and let all pages load it instead of the others."""
    if exception is not None or app.builder.name != "html":
        return
    static = Path(app.outdir) / "_static"
    pages = {page: page.read_text(encoding="utf8") for page in sorted(Path(app.outdir).glob("*.html"))}
    scripts = (script.read_text(encoding="utf8") for script in static.glob("**/*.js"))
    words = {word for text in (*pages.values(), *scripts) for word in WORD.findall(text)}
    # Sphinx writes the page of the search in each build: its head has the sheets.
    own = [name for name in LINK.findall(pages[Path(app.outdir) / "search.html"]) if name not in OTHERS]
    if not own:
        return
    texts = {name: joined(static / name, static) for name in own}
    whole = [
        text if name in OURS else pruned(tinycss2.parse_stylesheet(text, True, True), words)
        for name, text in texts.items()
    ]
    sheet = with_icons("\n".join(whole), static)
    (static / SHEET).write_text(sheet, encoding="utf8")
    link = f'<link rel="stylesheet" href="_static/{SHEET}?v={sha256(sheet.encode()).hexdigest()[:8]}"/>'
    for page, text in pages.items():
        page.write_text(linked(text, link), encoding="utf8")


def linked(page: str, link: str) -> str:
    """Return a page that loads this sheet in place of the first of its own."""
    links = [each[0] for each in LINK.finditer(page) if each[1] != OTHERS[0]]
    for number, each in enumerate(links):
        page = page.replace(each, "" if number else link, 1)
    return page


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", one_sheet, priority=950)  # after slim has mended the pages
    return {"parallel_read_safe": True}
