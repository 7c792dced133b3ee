"""Formgrader in a real browser: what an instructor does by hand, and that nothing of a student's acts there."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from tests.support.classes import title, total_on
from tests.support.nbgrader_course import Course, submission
from tests.support.points import core, written
from tests.support.sandboxed import demand_sandbox

pytestmark = [pytest.mark.browser, pytest.mark.slow]

MOST = core("bahdanau") + written("bahdanau")
ELSEWHERE = "http://192.0.2.1"  # an address that no machine has
ACTS = f"window.ACTED=1;document.title='ACTED';fetch('{ELSEWHERE}/x')"
HOSTILE = rf"""<script>{ACTS}</script> <img src=x onerror="{ACTS}"> <svg onload="{ACTS}"></svg>
[click](javascript:window.ACTED=1) <a href="javascript:window.ACTED=1">raw</a>
<details open ontoggle="{ACTS}">x</details> <iframe src="javascript:parent.ACTED=1"></iframe>
<iframe srcdoc="<script>parent.ACTED=1</script>"></iframe>
![picture]({ELSEWHERE}/i.png) <style>@import url({ELSEWHERE}/s.css);</style> <link rel=stylesheet href={ELSEWHERE}/c>
<math><mtext></form><form><mglyph><style></math><img src onerror="{ACTS}">
<meta http-equiv=refresh content="0;{ELSEWHERE}"> $\unicode{{<script>{ACTS}</script>}}$
$\href{{javascript:window.ACTED=1}}{{x}}$ $$\href{{javascript:window.ACTED=1}}{{y}}$$"""
NAMED = "<img src=x onerror=window.ACTED=1>"


def hostile() -> bytes:
    """Return a submission that tries in every place which reaches a page."""
    notebook = nbformat.reads(submission("fay").decode(), as_version=4)
    for cell in notebook.cells:
        about = cell.metadata.get("nbgrader", {})
        if cell.cell_type == "markdown" and about.get("solution"):
            cell.source = HOSTILE
    shows = f"""from IPython.display import HTML, SVG, Javascript, Latex, Markdown, display
bad = {HOSTILE!r}
for show in HTML, Javascript, Latex, Markdown:
    display(show(bad))
display(SVG('<svg xmlns="http://www.w3.org/2000/svg" onload="window.ACTED=1"/>'))
print(bad)
raise ValueError(bad)"""
    forged = nbformat.v4.new_output("display_data", {"text/html": HOSTILE, "application/javascript": ACTS})
    notebook.cells += [nbformat.v4.new_code_cell(shows, outputs=[forged]), nbformat.v4.new_markdown_cell(HOSTILE)]
    notebook.cells.append(nbformat.v4.new_raw_cell(HOSTILE, metadata={"raw_mimetype": "text/html"}))
    notebook.metadata["title"] = f"</title><script>{ACTS}</script>"
    return nbformat.writes(notebook).encode()


@pytest.fixture(scope="module")
def course(released, tmp_path_factory) -> Course:
    """Return a class that `grade` has graded in its own folder."""
    demand_sandbox()
    course = Course(tmp_path_factory.mktemp("formgrader") / "class")
    for student in ("fay", "mia"):
        course.submit(student, submission(student))
    for student in ("hex", NAMED):
        course.submit(student, hostile())
    course.run("python", "-m", "autograder", "grade", "submitted", "--out", ".")
    return course


@pytest.fixture(scope="module")
def server(course: Course) -> Iterator[tuple[str, str]]:
    with course.server() as served:
        yield served


class Desk:
    """Formgrader in one tab, with all that it asked for and every error that it met."""

    def __init__(self, browser, server: tuple[str, str]) -> None:
        self.address, token = server
        self.context = browser.new_context(viewport={"width": 1200, "height": 900})
        self.tab = self.context.new_page()
        self.asked, self.errors = [], []
        self.context.on("request", lambda request: self.asked.append(request.url))
        self.tab.on("pageerror", lambda error: self.errors.append(str(error)))
        self.tab.goto(f"{self.address}/formgrader?token={token}")

    def open(self, path: str) -> None:
        self.tab.goto(f"{self.address}/formgrader/{path}")
        self.tab.wait_for_load_state("networkidle")

    def ask(self, path: str):
        return json.loads(self.tab.evaluate(f"fetch('/formgrader/api/{path}').then(answer => answer.text())"))

    def score(self, student: str) -> float:
        [submission] = [each for each in self.ask("submissions/bahdanau") if each["student"] == student]
        return submission["score"]

    def grade(self, student: str) -> None:
        """Open a submission for grading by hand."""
        [notebook] = [each for each in self.ask("submitted_notebooks/bahdanau/bahdanau") if each["student"] == student]
        self.open(f"submissions/{notebook['id']}/")

    def acted(self) -> bool:
        return self.tab.evaluate("window.ACTED === 1 || document.title === 'ACTED'")

    @property
    def elsewhere(self) -> list[str]:
        return [url for url in self.asked if not url.startswith((self.address, "data:", "about:"))]


@contextlib.contextmanager
def desk_of(browser, out: Path, path: str) -> Iterator[Desk]:
    """Serve a class's folder and open one of formgrader's pages."""
    with Course(out, None).server() as server:
        made = Desk(browser, server)
        made.open(path)
        yield made
        made.context.close()


@pytest.fixture
def desk(browser, server) -> Iterator[Desk]:
    made = Desk(browser, server)
    yield made
    made.context.close()


def test_points_and_a_comment_by_hand_reach_gradebook_and_feedback(desk: Desk, course: Course) -> None:
    before = desk.score("mia")
    desk.grade("mia")
    desk.tab.locator("#reading_a_matrix").fill("2")
    desk.tab.locator("#reading_a_matrix-comment").fill("Rows *he* and *hit*: **well seen**.")
    with desk.tab.expect_response(lambda answer: "/api/comment/" in answer.url and answer.request.method == "PUT"):
        desk.tab.locator("#reading_a_matrix").click()
    desk.tab.wait_for_load_state("networkidle")
    desk.grade("mia")  # it is there when one comes back
    assert desk.tab.locator("#reading_a_matrix").input_value() == "2"
    assert desk.score("mia") == before + 2 == course.scores()["mia"]

    desk.open("manage_submissions/bahdanau")
    row = desk.tab.locator("tbody tr").filter(has_text="mia")
    row.locator("td.generate-feedback a, td:nth-child(7) a").first.click()
    desk.tab.get_by_text("Successfully generated feedback").wait_for(timeout=60_000)
    page = (course.folder / "feedback/mia/bahdanau/bahdanau.html").read_text()
    assert total_on(page) == (before + 2, MOST)
    assert "<strong>well seen</strong>" in page

    (course.folder / "feedback/mia/bahdanau/bahdanau.html").unlink()
    course.nbgrader("generate_feedback", "bahdanau", "--student", "mia", "--force")
    again = (course.folder / "feedback/mia/bahdanau/bahdanau.html").read_text()
    assert total_on(again) == (before + 2, MOST)


def test_the_autograde_button_gives_what_grade_gave(desk: Desk, course: Course) -> None:
    before = course.grades()
    for student in ("fay", "hex"):
        desk.open("manage_submissions/bahdanau")
        desk.tab.locator("tbody tr").filter(has_text=student).locator("td:nth-child(6) a").first.click()
        desk.tab.get_by_text("Successfully autograded").wait_for(timeout=120_000)
    after = course.grades()
    assert {student: row["score"] for student, row in after.items()} == {
        student: row["score"] for student, row in before.items()
    }
    desk.grade("fay")
    assert title("bahdanau.masked_softmax", "mask_after_softmax") in desk.tab.locator("body").inner_text()


@pytest.mark.parametrize("student", ["hex", NAMED])
def test_nothing_of_a_students_acts_or_calls_elsewhere(desk: Desk, student: str) -> None:
    for path in ("manage_submissions/bahdanau", "manage_students", "gradebook/bahdanau/bahdanau"):
        desk.open(path)
        assert not desk.acted(), path
    desk.grade(student)
    desk.tab.wait_for_timeout(500)
    assert "ontoggle" in desk.tab.locator("body").inner_text()  # as text it is all there
    for link in desk.tab.locator("a").all():
        assert not (link.get_attribute("href") or "").lower().startswith(("javascript", "data", "vbscript"))
    assert not desk.acted()
    assert not desk.elsewhere
    assert not desk.errors
