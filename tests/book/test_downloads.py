"""Tests of the links to the notebooks: what students get is on the site, and nothing else."""

import re
from pathlib import Path

import downloads
import pytest

from autograder.release.manifest import ZIP, Manifest
from book.contents import name_of
from tests.support.sites import built

BOOK = Path(__file__).parents[2] / "book"
PAGE = "# Page\n\n## The code\n\nText.\n\n## Exercises\n\nThe notebook has them.\n"


class Site:
    """A book of one chapter, which has exercises, and what `release` made for it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.build = folder, folder / "build"
        self.notebook = self.build / "release" / "bahdanau" / "bahdanau.ipynb"

    def release(self, text: str = "{}") -> None:
        files = {downloads.notebook("bahdanau"): text.encode(), ZIP: b"zip of " + text.encode()}
        Manifest(self.build).replace(files, dropped=lambda path: False)

    def page(self, **settings: str) -> str:
        """Build the book again and return the chapter's section on exercises."""
        settings |= {"released_notebooks": str(self.build), "root_doc": "bahdanau"}
        extensions = ["myst_parser", "downloads"]
        assert not built(self.folder, {"bahdanau": PAGE}, extensions=extensions, myst_heading_anchors=3, **settings)
        page = (self.folder / "html" / "bahdanau.html").read_text(encoding="utf8")
        before, exercises = page.split('<section id="exercises">')
        assert "ipynb" not in before
        return exercises.partition("</section>")[0]

    def on_site(self) -> dict[str, bytes]:
        """Return the files of the site that a reader can download, by their names."""
        files = [file for file in (self.folder / "html").glob("_downloads/**/*") if file.is_file()]
        return {file.name: file.read_bytes() for file in files}


@pytest.fixture
def site(tmp_path) -> Site:
    return Site(tmp_path)


def test_the_exercises_begin_with_links_to_the_notebook_and_to_what_it_needs(site):
    assert "build/release/kit.zip" in site.page()  # what makes them, before there are any
    site.release()
    exercises = site.page()
    assert exercises.index("kit.zip") < exercises.index("The notebook has them.")
    for name, content in {"bahdanau.ipynb": b"{}", "kit.zip": b"zip of {}"}.items():
        link = re.search(rf'href="(_downloads/\w+/{re.escape(name)})"', exercises)
        assert (site.folder / "html" / link[1]).read_bytes() == content
    assert set(site.on_site()) == {"bahdanau.ipynb", "kit.zip"}


def test_a_notebook_that_somebody_has_written_in_is_not_published(site):
    site.release()
    site.notebook.write_text("my solution")
    exercises = site.page()
    assert "_downloads" not in exercises
    assert "build/release/kit.zip" in exercises
    assert not site.on_site()


def test_services_are_linked_where_a_repository_is_named_and_nowhere_else(site):
    site.release()
    assert "Open in" not in site.page()
    exercises = site.page(students_repository="ours/kit/main")
    assert (
        'href="https://colab.research.google.com/github/ours/kit/blob/main/kit/notebooks/bahdanau/bahdanau.ipynb"'
        in exercises
    )
    assert (
        'href="https://mybinder.org/v2/gh/ours/kit/main?labpath=kit%2Fnotebooks%2Fbahdanau%2Fbahdanau.ipynb"'
        in exercises
    )


def test_every_chapter_with_exercises_has_the_section_that_the_links_stand_in():
    chapters = [page for page in BOOK.rglob("*.md") if downloads.has_exercises(name_of(page))]
    assert chapters
    assert [page.name for page in chapters if "\n## Exercises\n" not in page.read_text(encoding="utf8")] == []


def test_the_page_on_how_to_start_links_the_kit_alone(tmp_path):
    site, page = Site(tmp_path), "# Start\n\n## Read\n\nText.\n\n## Study\n\nThe kit has them.\n"
    settings = {"released_notebooks": str(site.build), "root_doc": "start", "myst_heading_anchors": 3}
    for is_released in (False, True):
        if is_released:
            site.release()
        assert not built(tmp_path, {"start": page}, extensions=["myst_parser", "downloads"], **settings)
        study = (tmp_path / "html" / "start.html").read_text(encoding="utf8").partition('id="study"')[2]
        assert study.index("kit.zip") < study.index("The kit has them.")
        assert set(site.on_site()) == ({"kit.zip"} if is_released else set())
