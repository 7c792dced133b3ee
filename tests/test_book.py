"""Laws of the book: its parts fit together, its pages ask for nothing, and the students' edition keeps the answers."""

import ast
import html
import re
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
BOOK = ROOT / "book"
sys.path.insert(0, str(BOOK / "_ext"))

import freshness  # noqa: E402  (the book's extensions live beside the book)
import maths  # noqa: E402

FULL, STUDENTS = ROOT / "build" / "_build" / "html", ROOT / "build" / "_build_students" / "html"
PAGES = sorted(page.stem for page in BOOK.glob("*.md"))
PARTS = {
    "package": "solutions/{}/attention.py",
    "chapter": "book/{}.md",
    "exercise": "exercises/{}.md",
    "checks": "autograder/checks/{}.py",
}


def listed(root: Path) -> list[str]:
    """Return the names of the chapters in _toc.yml: the entries of its numbered parts."""
    toc = yaml.safe_load((root / "book" / "_toc.yml").read_text(encoding="utf8"))
    return [entry["file"] for part in toc["parts"] if part.get("numbered") for entry in part["chapters"]]


def missing_parts(root: Path) -> list[str]:
    """Return a sentence for each part of a name that is not there."""
    in_toc = set(listed(root))
    names = in_toc | {path.parent.name for path in root.glob("solutions/*/attention.py")}
    names |= {path.stem for path in root.glob("exercises/*.md")}
    missing = [
        f"{name} has no {kind}: write {part.format(name)}."
        for name in sorted(names)
        for kind, part in PARTS.items()
        if not (root / part.format(name)).is_file()
    ]
    return missing + [
        f"{name} is not in book/_toc.yml: add the line '- file: {name}'." for name in sorted(names - in_toc)
    ]


def test_every_name_has_all_its_parts():
    assert not missing_parts(ROOT), "\n".join(missing_parts(ROOT))


def test_a_missing_part_is_named_in_a_sentence(tmp_path):
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "_toc.yml").write_text("parts: [{numbered: true, chapters: [{file: luong}]}]")
    (tmp_path / "solutions" / "pooling").mkdir(parents=True)
    (tmp_path / "solutions" / "pooling" / "attention.py").touch()
    said = missing_parts(tmp_path)
    assert "luong has no exercise: write exercises/luong.md." in said
    assert "pooling is not in book/_toc.yml: add the line '- file: pooling'." in said


def test_every_citation_has_its_entry_and_every_entry_is_cited():
    text = "\n".join(page.read_text(encoding="utf8") for page in BOOK.glob("*.md"))
    cited = {key for keys in re.findall(r"\{cite:\w+\}`([^`]+)`", text) for key in keys.split(",")}
    entries = set(re.findall(r"^@\w+\{(\w+),", (BOOK / "references.bib").read_text(encoding="utf8"), re.MULTILINE))
    assert cited == entries


def test_the_numbers_of_the_papers_have_no_mark_of_doubt():
    for page in BOOK.glob("*.md"):
        assert "[R]" not in page.read_text(encoding="utf8"), f"{page.name}: a number that was recalled, not checked"


@pytest.mark.parametrize("drawing", sorted(BOOK.glob("figures/*.svg")), ids=lambda path: path.stem)
def test_a_drawing_says_what_it_shows_and_takes_the_colours_of_the_page(drawing):
    text = drawing.read_text(encoding="utf8")
    assert re.search(r'role="img"[^>]*>\s*<title[^>]*>[^<]{10,}</title>\s*<desc[^>]*>[^<]{40,}</desc>', text)
    assert not re.search(r'(fill|stroke|color)\s*[:=]\s*"?\s*(#|rgb|black|white)', text), "a fixed colour"
    used = [page for page in BOOK.glob("*.md") if f"{{drawing}} {drawing.stem}\n" in page.read_text(encoding="utf8")]
    assert used, "no page shows it"


# Formulas


def test_a_formula_is_readable_by_eye_and_by_ear():
    rendered = maths.render(r"\of{c}{both\_units} = \sum_j \alpha_j h_j", display=True)
    assert 'class="katex-html" aria-hidden="true"' in rendered
    assert "<math" in rendered
    assert "both_units" in rendered


def built(folder: Path, text: str, edition_name: str = "full") -> tuple[str, str]:
    """Build one page with the book's own extensions; return the page and the warnings."""
    import io

    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    source = folder / "source"
    source.mkdir()
    (source / "index.md").write_text(text, encoding="utf8")
    settings = {
        "extensions": ["myst_parser", "maths", "edition"],
        "myst_enable_extensions": ["dollarmath"],
        "html_math_renderer": "katex",
        "html_theme": "basic",
        "edition": edition_name,
        "root_doc": "index",
    }
    warned = io.StringIO()
    with patch_docutils(), docutils_namespace():
        app = Sphinx(source, None, folder / "html", folder / "trees", "html", settings, status=None, warning=warned)
        app.build()
    return (folder / "html" / "index.html").read_text(encoding="utf8"), warned.getvalue()


quiet = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")


@quiet
def test_a_formula_that_cannot_be_read_is_a_warning_with_its_place(tmp_path):
    _, warned = built(tmp_path, "# Page\n\nText.\n\n$$ \\of{x}{S} = \\nosuch $$\n")
    assert re.search(r"index\.md:\d+: WARNING: .*Undefined control sequence: \\nosuch", warned)


@quiet
def test_a_renamed_function_is_a_warning_with_its_place(tmp_path):
    (tmp_path / "attention.py").write_text("def new_name():\n    return 1\n")
    _, warned = built(tmp_path, "# Page\n\n```{literalinclude} ../attention.py\n:pyobject: old_name\n```\n")
    assert re.search(
        r"index\.md:3: WARNING: Object named 'old_name' not found in include file '.*attention\.py'", warned
    )


@quiet
@pytest.mark.parametrize("name", ["full", "students"])
def test_the_students_edition_shows_signature_and_docstring_only(tmp_path, name):
    code = 'def answer(x: int) -> int:\n    """Return the answer."""\n    return secret(x)\n'
    (tmp_path / "attention.py").write_text(code)
    page, warned = built(tmp_path, "# Page\n\n```{literalinclude} ../attention.py\n:pyobject: answer\n```\n", name)
    assert not warned
    text = shown(page)
    assert 'def answer(x: int) -> int:\n    """Return the answer."""\n' in text
    assert ("return secret(x)" in text) == (name == "full")
    assert ("raise NotImplementedError" in text) == (name == "students")


# Tables of results


@pytest.fixture
def results(tmp_path, monkeypatch):
    """Return a function that writes a result file, as `evaluate` does, where the book's tables look for it."""
    from book import tables

    from lab.results import write_json

    monkeypatch.setattr(tables, "ROOT", tmp_path)

    def write(solution: str, run: str, seed: int, value: float) -> None:
        score = {"name": "BLEU", "value": value, "low": value - 1, "high": value + 1, "signature": "", "count": 7}
        scores = {
            "bleu": score,
            "bleu_lc_tok": score,
            "by_length": [{"first": 3, "last": 8, "score": score}],
        }
        alignment = {reading: {"aer": score} for reading in ("argmax", "threshold", "diagonal")}
        content = {
            "scores": {split: {"greedy": scores, "alignment": alignment} for split in ("test", "test2016")},
            "peers": [],
            "training": {"ended_by_budget": seed == 2},
        }
        write_json(tmp_path / "solutions" / solution / "results" / f"{run}-seed{seed}.json", content)

    return tables, write


def test_a_table_without_results_says_so_and_makes_up_nothing(results):
    tables, _ = results
    drawn = (tables.multi30k(["bahdanau"]), tables.phrasebook_lengths(["bahdanau"]), tables.alignment())
    for table in drawn:
        cells = re.findall(r"<td[^>]*>([^<]*)</td>", table.data)
        assert set(cells) == {tables.MISSING}
    assert tables.MISSING in tables.phrasebook_lengths_plot(["bahdanau"]).data


def test_a_table_holds_the_mean_of_the_seeds_and_says_how_far_they_lie_apart(results):
    tables, write = results
    for seed, value in ((1, 60.0), (2, 64.0)):
        write("bahdanau", "phrasebook-fr-en-small", seed, value)
    assert "62.000 (60.000–64.000)" in tables.alignment().data
    lengths = tables.phrasebook_lengths(["bahdanau", "encoder_decoder"]).data
    assert "62.0" in lengths
    assert "3–8 words" in lengths
    assert tables.MISSING in lengths, "the other model has no results"
    assert "60.0" in tables.phrasebook_lengths_plot(["bahdanau"]).alt


def test_one_run_shows_its_bootstrap_interval_and_that_its_time_was_up(results):
    tables, write = results
    write("bahdanau", "multi30k-de-en-base", 2, 30.0)
    table = tables.multi30k(["bahdanau"]).data
    assert "30.0 (29.0–31.0)" in table
    assert "ended by its time budget" in table


# Which chapters run again


@pytest.fixture
def project(tmp_path) -> Path:
    """Return a small project: a chapter that stands on a solution, which stands on the lab."""
    files = {
        "book/luong.md": "# Luong\n\n```{code-cell} python\n:tags: [x]\nfrom solutions.luong import attention\n```\n",
        "solutions/__init__.py": "",
        "solutions/luong/__init__.py": "",
        "solutions/luong/attention.py": "from lab.text import PAD\n",
        "solutions/luong/results/run-seed1.json": "{}",
        "lab/__init__.py": "",
        "lab/text.py": "PAD = 0\n",
        "lab/unused.py": "",
        "requirements.txt": "torch==2.13.0\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


GROUND = [
    "solutions/luong/attention.py",
    "lab/text.py",
    "lab/__init__.py",
    "solutions/luong/results/run-seed1.json",
    "requirements.txt",
]


@pytest.mark.parametrize("file", GROUND)
def test_a_chapter_is_stale_when_its_ground_moves(project, file):
    page = project / "book" / "luong.md"
    before = freshness.fingerprint(page, project)
    (project / file).write_text((project / file).read_text() + "\n# changed\n")
    assert freshness.fingerprint(page, project) != before


@pytest.mark.parametrize("file", ["lab/unused.py", "book/luong.md"])
def test_a_chapter_is_fresh_when_only_something_else_moves(project, file):
    page = project / "book" / "luong.md"
    before = freshness.fingerprint(page, project)
    (project / file).write_text((project / file).read_text() + "\n# changed\n")
    assert freshness.fingerprint(page, project) == before


def test_the_chapters_stand_on_all_that_their_models_are_made_of():
    ground = {str(file.relative_to(ROOT)) for file in freshness.standing_on(BOOK / "bahdanau.md")}
    corpus = {str(file.relative_to(ROOT)) for file in ROOT.glob("lab/corpora/phrasebook/*.py")}
    assert ground >= corpus | {
        "lab/training.py",
        "solutions/bahdanau/attention.py",
        "solutions/encoder_decoder/model.py",
    }


def test_a_failed_cell_is_found_by_its_line(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# T\n\n```{code-cell} python\nx = 1\n1 / 0\n```\n")
    report = "Traceback\n------------------\nx = 1\n1 / 0\n------------------\nZeroDivisionError: division by zero\n"
    assert freshness.failed_line(page, report) == 4
    assert freshness.FAULT.findall(report) == ["ZeroDivisionError: division by zero"]


# The built pages


def pages(folder: Path) -> list[Path]:
    found = [folder / f"{name}.html" for name in PAGES]
    if not all(page.is_file() for page in found):
        pytest.skip(f"{folder.relative_to(ROOT)} is not built: make book, make book-students")
    return found


def shown(page: str) -> str:
    """Return the text of a page without its tags, so that coloured code reads as code."""
    return html.unescape(re.sub(r"<[^>]+>", "", page))


@pytest.mark.parametrize("folder", [FULL, STUDENTS], ids=["full", "students"])
def test_no_page_names_a_foreign_script_style_font_or_image(folder):
    for page in pages(folder):
        text = page.read_text(encoding="utf8")
        assert not re.findall(r'<(?:script|img|iframe|source)[^>]+src="(?:https?:)?//[^"]*"', text), page.name
        assert not re.findall(r'<link[^>]+rel="(?:stylesheet|preload)"[^>]+href="(?:https?:)?//[^"]*"', text), page.name
        assert not re.findall(r"@import|url\((?:https?:)?//", text), page.name


@pytest.mark.parametrize("folder", [FULL, STUDENTS], ids=["full", "students"])
def test_every_image_says_what_it_shows(folder):
    for page in pages(folder):
        for image in re.findall(r"<img\b[^>]*>", page.read_text(encoding="utf8")):
            told = re.search(r'alt="([^"]*)"', image)
            assert told, f"{page.name}: {image[:80]}"
            assert len(told[1]) > 15, f"{page.name}: {told[0]}"
            assert "_images/" not in told[1], f"{page.name}: {told[0]}"


def answers() -> list[tuple[str, str]]:
    """Return the lines of all bodies in attention.py that are long enough to be nobody else's."""
    found = []
    for file in sorted(ROOT.glob("solutions/*/attention.py")):
        lines = file.read_text(encoding="utf8").splitlines()
        for function in ast.parse("\n".join(lines)).body:
            if isinstance(function, ast.FunctionDef):
                body = function.body[1:] if ast.get_docstring(function) else function.body
                inside = [lines[n].strip() for s in body for n in range(s.lineno - 1, s.end_lineno)]
                found += [(f"{file.parent.name}.{function.name}", line) for line in inside if len(line) > 24]
    return found


def test_the_full_edition_shows_the_answers():
    text = "\n".join(shown(page.read_text(encoding="utf8")) for page in pages(FULL))
    assert not [line for _, line in answers() if line not in text]


def test_the_students_edition_has_no_answer_in_any_file():
    pages(STUDENTS)
    texts = [
        file for file in STUDENTS.rglob("*") if file.suffix in {".html", ".js", ".txt", ".md", ".py", ".ipynb", ".json"}
    ]
    for file in texts:
        raw = file.read_text(encoding="utf8", errors="replace")
        text = shown(raw) if file.suffix == ".html" else raw
        leaked = [f"{name}: {line}" for name, line in answers() if line in text]
        assert not leaked, f"{file.relative_to(STUDENTS)}: {leaked}"
    for kind in ("*.py", "*.ipynb", "*.md", "*.myst"):
        assert not list(STUDENTS.rglob(kind)), "sources beside the pages"


def test_the_search_index_of_the_students_edition_holds_no_word_of_the_answers_alone():
    pages(STUDENTS)
    elsewhere = "\n".join(page.read_text(encoding="utf8") for page in BOOK.glob("*.md"))
    elsewhere += "\n".join(file.read_text(encoding="utf8") for file in ROOT.glob("solutions/*/model.py"))
    known = set(re.findall(r"\w+", elsewhere.lower()))
    words = {word for _, line in answers() for word in re.findall(r"[a-z_]{5,}", line.lower())} - known
    assert words, "the answers have no word of their own: the test would see nothing"
    index = (STUDENTS / "searchindex.js").read_text(encoding="utf8").lower()
    assert not {word for word in words if re.search(rf"\b{word}\b", index)}


@pytest.mark.slow
def test_a_build_without_changes_takes_seconds():
    """Counted in CPU seconds, so that other work on the machine does not count."""
    import resource
    import subprocess

    def build() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "book/build.py"], cwd=ROOT, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    build()
    assert build() <= 5


# In a browser


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


def opened(browser, page: Path, width: int = 1280, mode: str = "light"):
    """Open a page; return it, with the foreign addresses that it asked for and the errors that it met."""
    tab = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=mode).new_page()
    foreign, errors = [], []
    tab.on(
        "request", lambda request: foreign.append(request.url) if not request.url.startswith(("file:", "data:")) else 0
    )
    tab.on("console", lambda message: errors.append(message.text) if message.type in ("error", "warning") else 0)
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.goto(page.as_uri(), wait_until="load")
    tab.wait_for_timeout(300)
    return tab, foreign, errors


@pytest.mark.browser
@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_asks_for_nothing_and_meets_no_error(browser, name, mode):
    page = dict(zip(PAGES, pages(FULL), strict=True))[name]
    tab, foreign, errors = opened(browser, page, mode=mode)
    assert not foreign
    assert not errors
    assert tab.locator("html").get_attribute("data-theme") == mode
    tab.context.close()


@pytest.mark.browser
@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_a_phone(browser, name):
    page = dict(zip(PAGES, pages(FULL), strict=True))[name]
    tab, _, _ = opened(browser, page, width=390)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    tab.context.close()


@pytest.mark.browser
def test_one_search_field_and_it_finds_something_offline(browser):
    pages(FULL)
    tab, _, _ = opened(browser, FULL / "bahdanau.html")
    visible = tab.locator("button.search-button-field:visible, form.bd-search:visible")
    assert visible.count() == 1
    tab.goto((FULL / "search.html").as_uri() + "?q=bottleneck")
    tab.locator("#search-results li").first.wait_for(timeout=5000)
    tab.context.close()


@pytest.mark.browser
def test_the_heat_table_is_read_with_the_keyboard(browser):
    pages(FULL)
    tab, _, _ = opened(browser, FULL / "bahdanau.html")
    table = tab.locator(".heat").first
    assert table.locator("tbody tr").count() == 6, "a row for each output word"
    table.locator('td[tabindex="0"]').focus()
    first = table.locator("p").inner_text()
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("ArrowRight")
    second = table.locator("p").inner_text()
    assert first.startswith("he looks at il")
    assert second.startswith("hit looks at m'")
    tab.context.close()


@pytest.mark.browser
def test_what_scrolls_on_a_phone_is_reached_with_the_keyboard(browser):
    pages(FULL)
    tab, _, _ = opened(browser, FULL / "bahdanau.html", width=390)
    wide = tab.evaluate(
        "[...document.querySelectorAll('.formula')].filter(e => e.scrollWidth > e.clientWidth).map(e => e.tabIndex)"
    )
    assert wide, "no formula is wider than a phone: the test would see nothing"
    assert set(wide) == {0}
    tab.context.close()


@pytest.mark.browser
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_text_stands_out_from_its_ground(browser, mode):
    """Drawings and captions keep a contrast of 4.5 with the page, the least that WCAG allows for text."""
    pages(FULL)
    tab, _, _ = opened(browser, FULL / "bahdanau.html", mode=mode)
    ratio = """selector => {
      const shine = c => { const [r, g, b] = c.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255)
        .map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126*r + .7152*g + .0722*b }
      const solid = e => { for (; e; e = e.parentElement) {
        const c = getComputedStyle(e).backgroundColor
        if (!/, 0\\)$|transparent/.test(c)) return c }
        return 'rgb(255, 255, 255)' }
      return [...document.querySelectorAll(selector)].map(e => { const s = getComputedStyle(e)
        const ground = shine(solid(e instanceof SVGElement ? e.closest('div') : e))
        const ink = shine(e instanceof SVGElement ? s.fill : s.color)
        return (Math.max(ink, ground) + .05) / (Math.min(ink, ground) + .05) }) }"""
    for selector in (".drawing text", "figcaption", ".results td", ".results caption", ".math .eqno"):
        found = tab.evaluate(ratio, selector)
        assert found, f"no {selector} on the page"
        assert min(found) >= 4.5, f"{selector}: {min(found):.1f}"
    tab.context.close()
