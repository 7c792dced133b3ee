"""Make the card that a link to the book becomes elsewhere: python book/card.py, after make book.

The picture is the cover's, photographed by Chromium at 1200 by 630 pixels, as social networks ask for it.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)] if str(ROOT) not in sys.path else []  # run as a script
from book.chromium import chromium  # noqa: E402

COVER = re.compile(r'<svg class="cover".*?</svg>', re.DOTALL)
PAGE = """<!doctype html><style>{type}
body {{ margin: 0; display: flex; align-items: center; width: 1200px; height: 630px; background: #fff;
  font-family: var(--text); }}
div {{ width: 520px; padding-left: 70px; }}
h1 {{ font-weight: 600; font-size: 74px; line-height: 1.05; margin: 0 0 28px; }}
p {{ font-size: 30px; line-height: 1.35; margin: 0; color: #444; }} svg.cover {{ width: 540px; max-width: none; }}
svg.cover text {{ fill: #222; }}
</style><div><h1>The Attention Workbook</h1><p>Learn attention by building it, from the encoder–decoder to the
Transformer.</p></div>{cover}"""


def main() -> int:
    site = ROOT / "build" / "_build" / "html"
    page = site / "index.html"
    if not page.is_file():
        print("build/_build/html has no index.html: make book first", file=sys.stderr)
        return 2
    cover = COVER.search(page.read_text(encoding="utf8"))
    assert cover is not None, "the cover has no picture"
    styles = (ROOT / "book" / "_static" / "type.css").read_text(encoding="utf8")
    card = site / "_static" / "card.html"  # beside the fonts
    card.write_text(PAGE.format(type=styles, cover=cover[0]), encoding="utf8")
    with chromium() as browser:
        tab = browser.new_page(viewport={"width": 1200, "height": 630})
        tab.goto(card.as_uri())
        tab.evaluate("document.fonts.ready")
        tab.screenshot(path=str(ROOT / "book" / "_static" / "card.png"))
    card.unlink()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
