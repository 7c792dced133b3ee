"""Laws of the book for e-readers: every page is XML, its formulas need no style sheet, and it has no scripts."""

import io
import re
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from book import build

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "book" / "_ext"))

import ebook  # noqa: E402  (the book's extensions live beside the book)

PICTURE = '<img src="data:image/png;base64,aGk=" alt="a &lt; b" style="max-width:100%">'
PAGE = (
    "# Page\n\nA formula $\\of{c}{units} = \\alpha_i$.\n\n$$ a = b \\tag{Luong (5)} $$\n\n"
    f"```{{raw}} html\n{PICTURE}<p>three&nbsp;words<br>and &amp; more</p><script>const x = 1 && 2</script>\n```\n\n"
    ":::{dropdown} Answer\nSeven.\n:::\n"
)


@pytest.mark.parametrize(
    "markup", [PICTURE, "<p>a<br>b<br/>c<hr ></p>", "<p>&nbsp;&ndash;&amp;&lt;&#160;</p>", "<p title='x'>plain</p>"]
)
def test_html_becomes_xml_and_xml_stays_as_it_is(markup):
    text = ebook.as_xml(markup)
    ElementTree.fromstring(text)
    assert ebook.as_xml(text) == text


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")
def test_a_page_for_e_readers(tmp_path):
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "index.md").write_text(PAGE)
    settings = {
        "extensions": ["myst_parser", "sphinx_design", "maths", "ebook"],
        "myst_enable_extensions": ["dollarmath", "colon_fence"],
        "html_math_renderer": "katex",
        "epub_basename": "book",
        "version": "1",
        "copyright": "ours",
        "root_doc": "index",
    }
    warned, out = io.StringIO(), tmp_path / "epub"
    with patch_docutils(), docutils_namespace():
        folders = (tmp_path / "source", None, out, tmp_path / "trees")
        Sphinx(*folders, ebook.BUILDER, settings, status=None, warning=warned).build()
    assert not warned.getvalue()
    assert not build.malformed(out / "book.epub")
    page = (out / "index.xhtml").read_text(encoding="utf8")
    assert page.count("<math") == 2
    assert "katex-html" not in page
    assert "<script" not in page
    assert re.search(r"<details[^>]* open", page)
    assert "Luong (5)" in page


def test_a_page_that_is_no_xml_is_named_with_its_place(tmp_path):
    with zipfile.ZipFile(tmp_path / "book.epub", "w") as archive:
        archive.writestr("good.xhtml", "<p>good</p>")
        archive.writestr("bad.xhtml", "<p>\n<br></p>")
    faults = build.malformed(tmp_path / "book.epub")
    assert len(faults) == 1
    assert re.match(r"bad\.xhtml: expected XML, but mismatched tag: line 2", faults[0])


@pytest.mark.parametrize("edition", build.FOLDERS.values())
def test_the_built_book_for_e_readers(edition):
    epub = ROOT / "build" / edition / "epub" / "attention-workbook.epub"
    if not epub.is_file():
        pytest.skip(f"build/{edition}/epub is not there: make epub")
    assert not build.malformed(epub)
    with zipfile.ZipFile(epub) as archive:
        pages = {name: archive.read(name).decode() for name in archive.namelist() if name.endswith(".xhtml")}
    assert {page.stem for page in (ROOT / "book").glob("*.md")} <= {name.removesuffix(".xhtml") for name in pages}
    assert not [name for name, page in pages.items() if "<script" in page or "katex-html" in page]


def test_what_colours_a_page_is_there_without_the_theme():
    files = [*ROOT.glob("book/_static/*.css"), *ROOT.glob("book/figures/*.svg"), *ROOT.glob("book/*.py")]
    used = {name for file in files for name in re.findall(r"var\((--pst-[\w-]+)", file.read_text(encoding="utf8"))}
    alone = re.search(r"html:not\(\[data-theme\]\) \{(.*?)\}", (ROOT / "book/_static/book.css").read_text(), re.DOTALL)
    assert alone
    assert used == set(re.findall(r"(--pst-[\w-]+):", alone[1]))
