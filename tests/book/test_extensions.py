"""Tests of what the book's extensions make of plots, citations and first paragraphs."""

import re
from collections import Counter
from pathlib import Path

import citations
import described
import maths
import numbered
import plots
import pydata_sphinx_theme
import pytest
import sheets
import slim
import tinycss2
from docutils import nodes, utils
from pybtex.database import parse_file

from book.contents import chapters, pages
from lab.show.plots import training_curves

ROOT = Path(__file__).parents[2]
BOOK = ROOT / "book"

PAGES = sorted((ROOT / "build" / "_build" / "html").glob("*.html"))
LOSS = training_curves({"with <b>": [(1, 3.0), (2, 1.5)], "without": [(1, 3.0), (2, 2.5)]}, title="Loss & more")
WORKS = {key: citations.cited(entry) for key, entry in parse_file(str(BOOK / "references.bib")).entries.items()}


def built() -> list[Path]:
    if not PAGES:
        pytest.skip("the book is not built: make book")
    return PAGES


def test_a_sheet_keeps_the_rules_that_can_match():
    given = """.here, .gone { a: 1 } #gone .here { b: 2 } .here:not(.gone) > p { c: 3 } .here.gone { d: 4 }
    @media print { .gone { e: 5 } .here[class~=".x"] { f: 6 } } @media screen { .gone { g: 7 } }
    @font-face { h: 8 } @charset "utf-8"; p { i: 9 }"""
    kept = sheets.pruned(tinycss2.parse_stylesheet(given, True, True), {"here"})
    assert re.findall(r"\b([a-i]): \d", kept) == ["a", "c", "f", "h", "i"]
    assert kept.startswith(".here{"), "a selector that matches nothing goes alone"
    assert "screen" not in kept


def test_a_page_loads_one_small_sheet_and_waits_for_no_script():
    for page in built():
        head = re.sub(r"<noscript>.*?</noscript>", "", page.read_text(encoding="utf-8").partition("</head>")[0])
        assert len(re.findall('rel="stylesheet"', head)) == 1, page.name
        assert 'if (location.protocol.startsWith("http")) for (const href of [' in head, "no font is asked for early"
        waited = re.findall(r'<script (?!defer)[^>]*src="([^"?]+)', head)
        assert waited == ["_static/documentation_options.js"] or page.stem == "search", page.name
    sheet = (PAGES[0].parent / "_static" / sheets.SHEET).read_text(encoding="utf-8")
    assert len(sheet) < 250_000
    ours = (PAGES[0].parent / "_static" / "book.css").read_text(encoding="utf-8")
    assert ours in sheet, "a rule of ours is gone"
    assert (PAGES[0].parent / "_static" / sheets.ICONS).stat().st_size < 10_000


def test_a_short_formula_and_the_comma_after_it_are_one():
    document = utils.new_document("")
    long = "+".join(["x"] * maths.SHORT)
    formulas, words = ("c", long, "d"), ("), and ", ", or ", " is")
    parts = [part for f, word in zip(formulas, words, strict=True) for part in (nodes.math("", f), nodes.Text(word))]
    document += nodes.paragraph("", "", nodes.Text("where "), *parts)
    maths.Together(document).run()
    together = [node.astext() for node in document.findall(nodes.inline)]
    assert (together, document.astext()) == (["c),"], f"where c), and {long}, or d is")


def test_an_equal_text_before_the_formula_keeps_its_comma():
    document = utils.new_document("")
    parts = nodes.emphasis("", "dot"), nodes.Text(", "), nodes.math("", "c"), nodes.Text(", "), nodes.math("", "d")
    document += nodes.paragraph("", "", *parts)
    maths.Together(document).run()
    assert document.astext() == "dot, c, d"


def in_page(picture) -> str:
    return plots.IMAGE.sub(plots.in_page, picture._repr_html_())


def test_a_plot_takes_the_pages_colours_and_keeps_its_text():
    plot = in_page(LOSS)
    label = "Loss &amp; more: loss (nats a token) by step. with"
    assert plot.startswith(f'<div class="plot-box"><svg class="plot" role="img" aria-label="{label}')
    assert "with &lt;b&gt; goes from 3 to 1.5" in plot
    assert not re.search(r"#000000|#ffffff|#dddddd", plot), "black on white stays so on a dark page"
    assert "stroke: currentColor" in plot
    assert "stroke: #d1365f" in plot, "a line's own colour is kept"
    assert "<style" not in plot, "its rules would hold for the whole page"


def test_the_title_of_a_plot_is_the_caption_below_it():
    plot, caption = in_page(LOSS).split("</svg></div>")
    assert caption.strip().endswith('<p class="below">Loss &amp; more</p>')
    assert ">Loss &amp; more</text>" not in plot
    whole, top = (float(re.search(rf'viewBox="{box}"', plot)[1]) for box in (r"\S+ \S+ \S+ (\S+)", r"\S+ (\S+) .*?"))
    lowest = max(float(y) for y in re.findall(r'<text [^>]*\by="([\d.]+)"', plot))
    assert top > 10, "the title's place is gone"
    assert lowest < top + whole
    assert "DejaVu" not in plot, "its letters are the page's"


def test_a_title_goes_into_the_caption_where_the_plots_text_goes_on_behind_it():
    more = ", lowest to highest seed: 5"
    box, svg = "0 0 300 200", '<text x="9" y="12">One &amp; two</text>{}<text x="9" y="60">One</text>'
    assert plots.below(svg.format(""), box, f"One & two{more}") == (
        '<text x="9" y="60">One</text>', "0 16 300 184", "One & two, lowest to highest seed"
    )  # fmt: skip
    told = '<text x="9" y="12">Test: 8 epochs</text>'
    assert plots.below(told, box, "Test: 8 epochs, a dot a seed: 5")[2] == "Test: 8 epochs", "no shorter than the title"
    panels = svg.format('<text x="99" y="12">Three</text>')
    assert plots.below(panels, box, f"One & two{more}")[:2] == (panels, box)


def test_figures_and_tables_are_numbered_in_their_order():
    drawn = '<figcaption><span class="caption-number">Fig. 9.9 </span>A</figcaption>'
    heat = '<div class="heat large"><style>.heat{a:1}</style><table role="grid"><caption>B</caption></table></div>'
    body = f'{heat}<p class="below">C</p><table class="results runs"><caption>D</caption></table>{drawn}'
    said = re.findall(r"(Figure|Table) (E2\.\d)\. ", numbered.numbered(body, "E2."))
    assert said == [("Figure", "E2.1"), ("Figure", "E2.2"), ("Table", "E2.1"), ("Figure", "E2.3")]
    assert "9.9" not in numbered.numbered(body, "E2.")
    assert numbered.COUNTED.sub("", drawn) == "<figcaption>A</figcaption>"


def test_a_page_below_a_lesson_has_a_letter():
    pages = ("bahdanau", "bahdanau_evidence", "bahdanau_program", "training", "glossary")
    assert [numbered.prefix(name) for name in pages] == [
        "2.",
        "E2.",
        "",
        f"A{1 + chapters().index('transformer')}.",
        "",
    ]


def test_plots_of_one_page_share_no_names():
    other = in_page(training_curves({"one": [(1, 2.0), (2, 1.0)]}))
    names, others = (set(re.findall(r'\bid="([^"]+)"', plot)) for plot in (in_page(LOSS), other))
    assert names
    assert not names & others
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', in_page(LOSS)))
    assert used
    assert used <= names


def test_a_work_is_cited_by_names_title_and_year():
    assert WORKS["bahdanau2015"] == (
        "Bahdanau, Cho, Bengio: Neural Machine Translation by Jointly Learning to Align and Translate, 2015"
    )
    assert WORKS["vaswani2017"] == "Vaswani et al.: Attention Is All You Need, 2017"
    assert not [text for text in WORKS.values() if re.search(r"[{}\\]|--", text)]


def test_every_citation_has_its_note_and_a_section_each_work_once_in_the_margin():
    notes = 0
    for page in built():
        text = page.read_text(encoding="utf8")
        links = re.findall(
            r'<a class="reference internal" href="references\.html#[^"]*" title="[^"]*">.*?</a>(.{0,20})', text
        )
        assert all(after.startswith('<span class="cited') for after in links), page.name
        notes += len(links)
        for section in re.split(r"<h2>", text):
            margin = Counter(re.findall(r'<span class="cited first"[^>]*>([^<]*)', section))
            assert not [work for work, count in margin.items() if count > 1], page.name
    assert notes > 50


def test_a_page_is_described_by_its_first_sentences():
    section = nodes.section()
    box = nodes.admonition("", nodes.paragraph(text="You will be able to read."))
    section += [
        nodes.title(text="Title"),
        box,
        nodes.paragraph(text="One is short. Two fits. " + "Three " * 40 + "ends."),
    ]
    document = nodes.Element("", section)
    assert described.description(document) == "One is short. Two fits."
    for page in built():
        if page.stem in pages():
            texts = re.findall(r'<meta name="description" content="([^"]+)"', page.read_text(encoding="utf8"))
            assert len(texts) == 1, page.name
            assert 20 < len(texts[0]) < 400, page.name


def test_what_is_taken_out_of_the_themes_script_is_in_it():
    [script] = Path(pydata_sphinx_theme.__file__).parent.rglob("static/scripts/pydata-sphinx-theme.js")
    assert script.read_text(encoding="utf8").count(slim.MEASURES) == 1


def test_a_plots_legend_stands_below_it_once_more_for_phones() -> None:
    page = in_page(LOSS)
    key = re.search(r'<p class="plot-key" aria-hidden="true">(.*?)</p>', page)
    assert key
    assert re.findall(r"</svg> ([^<]+)", key[1]) == ["with &lt;b&gt;", "without"]
    assert all(f'id="{used}"' in page for used in re.findall(r'href="#([^"]+)"', key[1]))
    assert plots.key("<g></g>") == ""
