"""Pages load one style sheet: those of theme, extensions and book in their order, without what no page uses.

Ten sheets and 540 kB, nearly all of it Bootstrap's and Font Awesome's, kept a phone waiting before it showed a word.
"""

import re
from hashlib import sha256
from pathlib import Path

import tinycss2
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from sphinx.application import Sphinx
from tinycss2.ast import AtRule, Node, QualifiedRule

SHEET, ICONS = "pages.css", "icons.woff"
LINK = re.compile(r'\s*<link[^>]*href="_static/([^"?]+\.css)[^"]*"[^>]*>')
ADDRESS = re.compile(r"""url\((["']?)(?!data:|#|[a-z]+:)([^"')]+)\1\)""")
ICON = re.compile(r"[\ue000-\uf8ff]")  # the private letters of such fonts, as tinycss2 writes them
ICON_FONT = re.compile(r"""src:[^;}]*fa-solid-900\.woff2[^;}]*""")
WORD = re.compile(r"[\w-]+")


def joined(sheet: Path, static: Path) -> str:
    """Return a style sheet with what it imports, its addresses as seen from the folder of static files."""
    text = sheet.read_text(encoding="utf8")
    text = re.sub(
        r"""@import\s+(?:url\()?["']?([^"')]+\.css)["']?\)?;""",
        lambda found: joined((sheet.parent / found[1]).resolve(), static),
        text,
    )
    folder = sheet.parent.resolve().relative_to(static.resolve())
    return ADDRESS.sub(lambda found: f'url("{clean(folder / found[2])}")', text)


def clean(path: Path) -> str:
    """Return a relative path without what goes up and down again."""
    parts: list[str] = []
    for part in path.parts:
        parts = parts[:-1] if part == ".." and parts else [*parts, part]
    return "/".join(parts)


def names(selector: list[Node]) -> set[str]:
    """Return the classes and the ids that a selector asks for, without those in :not(…), :is(…) and the like."""
    pairs = zip(selector, selector[1:], strict=False)
    classes = {
        after.value for dot, after in pairs if dot.type == "literal" and dot.value == "." and after.type == "ident"
    }
    return classes | {each.value for each in selector if each.type == "hash"}


def pruned(rules: list[Node], words: set[str]) -> str:
    """Return the rules that can match where these words are all classes and ids that there are."""
    kept = []
    for rule in rules:
        if isinstance(rule, QualifiedRule):
            selectors: list[list[Node]] = [[]]
            for token in rule.prelude:
                selectors.append([]) if token.type == "literal" and token.value == "," else selectors[-1].append(token)
            used = [tinycss2.serialize(each).strip() for each in selectors if names(each) <= words]
            if used:
                kept.append(f"{','.join(used)}{{{tinycss2.serialize(rule.content).strip()}}}")
        elif (
            isinstance(rule, AtRule)
            and rule.lower_at_keyword in ("media", "supports", "container", "layer")
            and rule.content
        ):
            inner = pruned(tinycss2.parse_blocks_contents(rule.content, True, True), words)
            if inner:
                kept.append(f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{inner}}}")
        elif isinstance(rule, AtRule) and rule.lower_at_keyword != "charset":
            kept.append(rule.serialize())
    return "\n".join(kept)


def with_icons(sheet: str, static: Path) -> str:
    """Return the sheet with a font that has the icons of its rules, and no others."""
    whole = static / "vendor" / "fontawesome" / "webfonts" / "fa-solid-900.ttf"
    if not whole.is_file():
        return sheet
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
    scripts = [
        script.read_text(encoding="utf8") for script in static.glob("**/*.js") if "fontawesome" not in script.parts
    ]
    words = {word for text in (*pages.values(), *scripts) for word in WORD.findall(text)}
    # Sphinx writes the page of the search in each build: its head has the sheets.
    own = [name for name in LINK.findall(pages[Path(app.outdir) / "search.html"]) if name not in ("dark.css", SHEET)]
    if not own:
        return
    rules = tinycss2.parse_stylesheet("\n".join(joined(static / name, static) for name in own), True, True)
    sheet = with_icons(pruned(rules, words), static)
    (static / SHEET).write_text(sheet, encoding="utf8")
    link = f'<link rel="stylesheet" href="_static/{SHEET}?v={sha256(sheet.encode()).hexdigest()[:8]}"/>'
    for page, text in pages.items():
        found = [each for each in LINK.finditer(text) if each[1] != "dark.css"]
        for each in reversed(found[1:]):
            text = text[: each.start()] + text[each.end() :]  # noqa: PLW2901
        if found:
            page.write_text(text[: found[0].start()] + link + text[found[0].end() :], encoding="utf8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", one_sheet, priority=950)  # after slim has mended the pages
    return {"parallel_read_safe": True}
