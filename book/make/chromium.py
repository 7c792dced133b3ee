"""The browser that prints the book and its slides: Chromium, as apt.txt lists it."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHROMIUM = Path("/usr/bin/chromium")


@contextmanager
def chromium() -> Iterator["Browser"]:
    """Open Chromium without a window, and close it behind the block; where it is missing, say so and end."""
    if not CHROMIUM.is_file():
        print(f"PDFs are printed by {CHROMIUM}, which is not there: install what apt.txt lists", file=sys.stderr)
        sys.exit(2)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()
