"""Make the card that a link to the book becomes elsewhere: `python book/make/card.py` after `make book`.

It has the cover's title, sentence and picture, 1200 by 630 pixels, as social networks ask for it.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)] if str(ROOT) not in sys.path else []  # run as a script
from book.make.build import site_of  # noqa: E402
from book.make.chromium import chromium  # noqa: E402
from book.make.pdf import COVER, subtitle  # noqa: E402

CARD = ROOT / "book" / "_static" / "card.png"
PAGE = """<!doctype html><html data-theme="light"><style>{style}
body {{ margin: 0; display: flex; align-items: center; width: 1200px; height: 630px; background: #fff;
  font-family: var(--text); }}
div {{ width: 520px; padding-left: 70px; }}
h1 {{ font-weight: 600; font-size: 74px; line-height: 1.05; margin: 0 0 28px; }}
p {{ font-size: 30px; line-height: 1.35; margin: 0; color: #444; }} svg.cover {{ width: 540px; max-width: none; }}
svg.cover text {{ fill: #222; }}
</style><div><h1>The Attention Workbook</h1><p>{sentence}.</p></div>{picture}</html>"""


def main() -> int:
    site = site_of("full", ["index"])
    index = (site / "index.html").read_text(encoding="utf8")
    picture = COVER.search(index)
    if picture is None:
        raise ValueError("index.html has no picture: expected the cover's arcs")
    style = (ROOT / "book" / "_static" / "type.css").read_text(encoding="utf8")
    page = site / "_static" / "card.html"  # beside the fonts
    try:
        page.write_text(PAGE.format(style=style, sentence=subtitle(index), picture=picture[0]), encoding="utf8")
        with chromium() as browser:
            tab = browser.new_page(viewport={"width": 1200, "height": 630})
            tab.goto(page.as_uri())
            tab.evaluate("() => document.fonts.ready.then(() => true)")
            tab.screenshot(path=str(CARD))
    finally:
        page.unlink(missing_ok=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
