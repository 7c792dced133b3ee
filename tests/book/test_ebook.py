"""Tests of the book for e-readers: every page is XML, its formulas need no style sheet, and it has no scripts."""

import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import ebook
import pytest

from book.make import build
from tests.support.sites import built

ROOT = Path(__file__).parents[2]
PICTURE = '<img src="data:image/png;base64,aGk=" alt="a &lt; b" style="max-width:100%">'
PAGE = (
    "# Page\n\nA formula $\\of{c}{units} = \\of{\\operatorname{head}}{units} \\alpha_i$.\n\n"
    "$$ a = b, \\qquad c = \\frac{d \\quad e}{2} \\tag{Luong (5)} $$\n\n"
    "$$ \\begin{aligned} a &= b && \\text{what it is} \\end{aligned} $$\n\n"
    f"Long: ${' + '.join(f'a_{{{number}}}(b + c)' for number in range(9))}$.\n\n"
    f"```{{raw}} html\n{PICTURE}<style>p:is(.a, .b){{top: 0}}</style><svg viewBox='0 0 1 1'></svg>"
    "<p>three&nbsp;words<br>and &amp; more</p><script>const x = 1 && 2</script>\n```\n\n"
    ":::{dropdown} Answer\nSeven.\n:::\n\n"
    f"| a | b | $c_i$ | d |\n|---|---|---|---|\n| {'word ' * 9} | 2 | 3 | 4 |\n\n"
    "| e | f | g | h |\n|---|---|---|---|\n| 1 | 2 | 3 | 4 |\n"
)


def test_a_page_for_e_readers(tmp_path):
    pages = {
        "index": f"{PAGE}\n```{{toctree}}\n:hidden:\n\nnext\n```\n",
        "next": "# The next page\n\n## Within it\n",
    }
    settings = ours("epub_tocscope") | {
        "extensions": ["myst_parser", "sphinx_design", "maths", "ebook"],
        "myst_enable_extensions": ["dollarmath", "colon_fence"],
        "html_math_renderer": "katex",
        "epub_basename": "book",
        "version": "1",
        "copyright": "ours",
    }
    assert not built(tmp_path, pages, builder=ebook.BUILDER, **settings)
    out = tmp_path / "html"
    assert not build.malformed(out / "book.epub")
    page = (out / "index.xhtml").read_text(encoding="utf8")
    assert page.count("<math") == 1 + 2 + 1 + 9 + 1  # what stands side by side, and a long sum, are cut
    assert page.count("<mtr") == 2  # what is said of a formula stands below it
    assert re.findall(r'data-column="([^"]*)"', page) == ["b", "ci", "d"]
    assert not {"katex-html", "<script"} & set(re.findall("katex-html|<script", page))
    head, _, after = page.partition("</head>")
    assert "p.a,p.b{top: 0}" in head
    assert "<style" not in after
    assert re.search(r"<details[^>]* open", page)
    assert "Luong (5)" in page
    package = (out / "content.opf").read_text(encoding="utf8")
    assert re.search(r'href="index\.xhtml" media-type="[^"]*" properties="mathml svg"', package)
    body = ElementTree.fromstring(page)
    assert body.find(f".//{{{ebook.NAMESPACE}}}svg") is not None
    braces = list(body.iter("{http://www.w3.org/1998/Math/MathML}munder"))
    assert [len(brace) for brace in braces] == [2] * len(braces) != []
    with zipfile.ZipFile(out / "book.epub") as archive:
        assert missing_sheets(archive) == set()
        assert listed(archive) == {"index", "next"}


def ours(*names: str) -> dict[str, str]:
    """Return settings of the book."""
    return {name: build.settings()["sphinx"]["config"][name] for name in names}


def listed(archive: zipfile.ZipFile) -> set[str]:
    """Return the pages that both tables of contents lead to: the reader's menu, and that of older readers."""
    contents = [archive.read(file).decode() for file in ("nav.xhtml", "toc.ncx")]
    menu, older = (set(re.findall(r'(?:href|src)="(\w+)\.xhtml', each)) for each in contents)
    assert menu == older
    return menu


def missing_sheets(archive: zipfile.ZipFile) -> set[str]:
    """Return the style sheets that a page of the EPUB asks for and that are not in it."""
    pages = [archive.read(name).decode() for name in archive.namelist() if name.endswith(".xhtml")]
    asked = {sheet for page in pages for sheet in re.findall(r'<link[^>]*href="([^"?]+\.css)', page)}
    return asked - {name.removeprefix("OEBPS/") for name in archive.namelist()}


@pytest.mark.parametrize(
    ("sheet", "plain"),
    [
        (".a :is(b, .c > d):focus, e { x: y }", ".a b:focus,.a .c > d:focus, e { x: y }"),
        ("a:is(.b, .c):is(.d, .e){}", "a.b.d,a.b.e,a.c.d,a.c.e{}"),
        ("@media print { /* why */ .f { x: y } p:has(> q) { x: y } }", "@media print {  .f { x: y } }"),
        ("a { --empty: ; x: y }", "a {  x: y }"),
        ("a:not(.b, .c) { x: y }", "a:not(.b, .c) { x: y }"),
        ("@font-face { x: url('y') }", "@font-face { x: url('y') }"),
    ],
)
def test_styles_are_written_out_for_old_readers(sheet, plain):
    assert ebook.plain_style(sheet) == plain


@pytest.mark.parametrize("edition", build.FOLDERS)
def test_the_built_book_for_e_readers(edition):
    folder = ROOT / "build" / build.FOLDERS[edition]
    epub = folder / "epub" / "attention-workbook.epub"
    if not epub.is_file() or (folder / "machinery").read_text() != build.machinery():
        pytest.skip(f"{epub.parent} is not there, or older than _toc.yml and _config.yml: make epub epub-students")
    assert not build.malformed(epub)
    with zipfile.ZipFile(epub) as archive:
        pages = {name: archive.read(name).decode() for name in archive.namelist() if name.endswith(".xhtml")}
        assert missing_sheets(archive) == set()
        assert listed(archive) >= set(build.order(edition))
        [colours] = [archive.read(name).decode() for name in archive.namelist() if name.endswith("pygments.css")]
    assert "#6730c5" in colours.lower(), "code has the colours that it has on the pages"
    assert set(build.order(edition)) <= {name.removesuffix(".xhtml") for name in pages}
    assert not [name for name, page in pages.items() if "<script" in page or "katex-html" in page]


def test_what_colours_a_page_is_there_without_the_theme():
    files = [*ROOT.glob("book/_static/*.css"), *ROOT.glob("book/*/drawings/*.svg"), *ROOT.glob("book/*/*.py")]
    used = {name for file in files for name in re.findall(r"var\((--pst-[\w-]+)", file.read_text(encoding="utf8"))}
    alone = re.search(r"html:not\(\[data-theme\]\) \{(.*?)\}", (ROOT / "book/_static/book.css").read_text(), re.DOTALL)
    assert alone
    assert used == set(re.findall(r"(--pst-[\w-]+):", alone[1]))
