"""A browser for the tests that open pages."""

from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def browser():
    chromium = Path("/usr/bin/chromium")
    if not chromium.is_file():
        pytest.skip("no /usr/bin/chromium: apt.txt lists it")
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--no-first-run"]
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=str(chromium), args=flags)
        yield opened
        opened.close()
