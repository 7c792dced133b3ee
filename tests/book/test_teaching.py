"""TEACHING.md and the week's loop say what chapters, notebooks and checks say: needs, minutes, questions, commands."""

import re
import shlex
import subprocess

import pytest

from autograder import __main__ as command
from autograder import settings
from autograder.checks import checks, hint_of, questions
from autograder.places import ROOT
from book.contents import EVIDENCE, all_chapters, beside, chapters, page_file
from book.make import reading as reader
from book.make.lists import core_parts
from book.show.mistakes import by_function, mistakes

TEXT = (ROOT / "TEACHING.md").read_text("utf-8")
LOOP = page_file("weeks_loop").read_text("utf-8")
MOST_WORDS = 2_200  # of TEACHING.md, with its plans
PLANNED = re.compile(r"(\d+)(?:–(\d+))? · (\d+)")  # parts of a notebook, and their minutes
CLASS = 90  # minutes


def section(title: str, text: str = TEXT) -> str:
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def rows(text: str) -> list[list[str]]:
    """Return the rows of the tables in a text, without their heads."""
    lines = [line for line in text.splitlines() if line.startswith("| ") and "--" not in line]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines][1:]


def named(cell: str) -> str:
    """Return the chapter that a cell names, which is linked to its lesson."""
    found = re.fullmatch(r"\[`(\w+)`\]\(book/(\w+)/lesson\.md\)", cell)
    assert found, f"TEACHING.md: expected a link, [`NAME`](book/NAME/lesson.md), got {cell}"
    assert found[1] == found[2]
    return found[1]


def chapter(name: str) -> str:
    return page_file(name).read_text("utf-8")


def headings(name: str) -> list[str]:
    """Return the headings of a chapter's lesson, of its evidence and of the pages of its tools."""
    text = "\n".join(map(chapter, (name, name + EVIDENCE, *beside(name))))
    return re.findall(r"^#+ (.+)$", text, re.MULTILINE)


def head(name: str) -> str:
    """Return the last sentences of the box that begins a chapter: minutes and needs."""
    lines = [line for line in chapter(name).splitlines() if " minutes" in line and "You need" in line]
    assert lines, f"book/{name}.md: write into the box at its head: About 20 minutes. You need [a chapter](NAME.md)."
    return lines[0]


def minutes_to_read(name: str) -> int:
    return int(re.findall(r"(\d+) minutes", head(name))[0])


@pytest.mark.parametrize("name", chapters())
def test_the_minutes_of_a_lesson_are_worked_out_from_its_words_formulas_and_code(name: str) -> None:
    expected = reader.minutes(chapter(name), page_file(name).parent)
    assert minutes_to_read(name) == expected, f"book/{name}.md: its head says {minutes_to_read(name)} minutes"


NEEDS = {named(row[0]): row[1:] for row in rows(section("What needs what"))}


@pytest.mark.parametrize("name", chapters())
def test_a_chapter_needs_what_its_head_and_its_notebook_say(name: str) -> None:
    assert name in NEEDS, "TEACHING.md, What needs what: `python -m book.make.lists` writes its rows"
    before, functions, to_read, core = NEEDS[name]
    linked = set(re.findall(r"\(\.\./(\w+)/lesson\.md", head(name).partition("You need")[2])) & set(chapters())
    row = f"TEACHING.md, What needs what, `{name}`"
    assert set(re.findall(r"`(\w+)`", before)) & set(chapters()) == linked, (
        f"{row}: the head of book/{name}.md links {linked}"
    )
    earlier = re.findall(
        r"^#\| earlier (.+)$", (ROOT / "exercises" / name / "notebook.md").read_text("utf-8"), re.MULTILINE
    )
    needed = [each.rpartition(".") for line in earlier for each in line.split(",")]
    assert re.findall(r"`(\w+)`", functions) == [function for *_, function in needed], (
        f"{row}: exercises/{name}/notebook.md has {earlier}"
    )
    for notebook, _, function in needed:
        assert re.search(rf"`{function}` (?:is )?of (?:the notebook )?`{notebook}`", TEXT)
    minutes = minutes_to_read(name), sum(core_parts(name).values())
    assert (int(to_read), int(core)) == minutes, f"{row}: expected {minutes}"


@pytest.mark.parametrize("title", ["Week by week", "Six weeks"])
def test_a_plan_has_each_core_part_once_with_its_minutes_and_no_class_that_is_too_long(title: str) -> None:
    there = {named(row[1]) for row in rows(section(title))}
    names = [name for name in chapters() if title == "Week by week" or name in there]
    planned: dict[str, list[int]] = {name: [] for name in names}
    for _, cell, reading, in_class, at_home, *_ in rows(section(title)):
        name = named(cell)
        if name not in planned:  # dropped
            continue
        to_read = "" if planned[name] else str(minutes_to_read(name))
        assert reading == to_read, f"TEACHING.md, {title}, `{name}`: reading is '{reading}', expected '{to_read}'"
        for first, last, minutes in PLANNED.findall(f"{in_class} {at_home}"):
            numbers = range(int(first), int(last or first) + 1)
            expected = sum(core_parts(name).get(number, 0) for number in numbers)
            parts = f"{first}–{last}" if last else first
            assert int(minutes) == expected, f"TEACHING.md, {title}, `{name}`: expected {parts} · {expected}"
            planned[name] += numbers
        assert 0 < sum(int(minutes) for *_, minutes in PLANNED.findall(in_class)) <= CLASS
    for name in names:
        parts = list(core_parts(name))
        assert planned[name] == parts, f"TEACHING.md, {title}: `{name}` has the parts {planned[name]}, expected {parts}"


def test_the_front_page_is_short_and_leads_to_every_page_for_teachers() -> None:
    assert len(TEXT.split()) < MOST_WORDS, "TEACHING.md: move what is not for planning to a page in book/teachers/"
    table = rows(TEXT.partition("\n## ")[0])
    links = [set(re.findall(r"\]\(([^)]+)\)", cell)) for _, cell in table]
    assert all(links), "TEACHING.md: each row of its first table links what to read"
    files = {f"book/teachers/{path.name}" for path in (ROOT / "book" / "teachers").glob("*.md")}
    below = {f"#{title.lower().replace(' ', '-')}" for title in re.findall(r"^## (.+)$", TEXT, re.MULTILINE)}
    wanted, there = files - {"book/teachers/teaching.md"}, set.union(*links)
    assert wanted <= there <= wanted | below, f"TEACHING.md, its first table: {there ^ wanted} is missing, or nowhere"


def test_the_page_of_slides_lists_each_deck_with_its_first_claim_and_offers_its_source() -> None:
    listed = rows(page_file("slides_in_class").read_text("utf-8").partition("<!-- end -->")[0])
    assert [re.findall(r"\.\./(\w+)/", row[0] + row[-1]) for row in listed] == [[name, name] for name in all_chapters()]
    for name, (_, claim, slides, minutes, _) in zip(all_chapters(), listed, strict=True):
        source = (ROOT / "book" / name / "slides.md").read_text("utf-8")
        assert source.startswith(f"# {claim.strip('*')}\n")
        assert int(slides) == source.count(":::{notes} "), f"book/{name}/slides.md: each slide has notes"
        assert int(minutes) == sum(map(int, re.findall(r"notes\} (\d+)", source)))


def test_what_is_graded_by_hand_is_listed_with_its_points() -> None:
    table = rows(section("Grade by hand", LOOP))
    listed = {name.strip("`"): dict(re.findall(r"`(\w+)` (\d+)", cell)) for name, cell in table}
    for name in chapters():
        points = {question: str(each.points) for question, each in questions(name).items()}
        row = f"| `{name}` | {', '.join(f'`{question}` {number}' for question, number in points.items())} |"
        assert listed.get(name, {}) == points, f"weeks_loop.md, Grade by hand: the row of its table is {row}"


def commands() -> list[str]:
    blocks = re.findall(r"```sh\n(.*?)```", TEXT + LOOP, re.DOTALL)
    return [line.partition(" #")[0].strip() for block in blocks for line in block.splitlines()]


def test_day_one_is_seven_commands_that_there_are_and_files_that_come_of_them() -> None:
    text = (page_file("day_one")).read_text("utf-8")
    first, then = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    lines = first.splitlines()
    assert len(lines) == 7
    assert "REPOSITORY" not in text
    targets = subprocess.run(["make", "-C", ROOT, "help"], capture_output=True, text=True, check=True).stdout
    for line in lines:
        if line.startswith("make "):
            assert f"  {line} " in targets
    assert (ROOT / lines[2].split()[1]).is_file()
    command.arguments().parse_args(shlex.split(then)[3:])


def test_a_semester_is_ten_commands() -> None:
    first = re.findall(r"```sh\n(.*?)```", LOOP, re.DOTALL)[0]
    assert [int(number) for number in re.findall(r"# (\d+) ", first)] == list(range(1, 11))


def test_every_command_of_ours_is_one_that_there_is() -> None:
    prefix = "python -m autograder "
    ours = [line.removeprefix(prefix) for line in commands() if line.startswith(prefix)]
    ours += re.findall(rf"`{prefix}([^`]*)`", TEXT + LOOP)
    assert {shlex.split(line)[0] for line in ours} == {"release", "grade", "report", "export"}
    for line in ours:
        command.arguments().parse_args(shlex.split(line))


def test_the_settings_that_the_text_shows_can_be_used(tmp_path, monkeypatch) -> None:
    """The parts of course.toml together: they choose four chapters, in the book's order."""
    shown = "\n".join(re.findall(r"```toml\n(.*?)```", section("Your class in one file"), re.DOTALL))
    monkeypatch.delenv(settings.ONLY_CHAPTERS)
    monkeypatch.setattr(settings, "ROOT", tmp_path)
    listed = chapters()
    (tmp_path / settings.FILE).write_text(shown, encoding="utf-8")
    read = settings.settings()
    assert all((read.chapters, read.points, read.deadlines, read.late))
    kept = read.chapters or ()
    assert list(kept) == [name for name in listed if name in kept] if set(kept) <= set(listed) else len(kept) == 4
    for name in set(kept) & set(listed):
        checks(name)
        questions(name)


@pytest.mark.parametrize("name", chapters())
def test_the_sections_that_the_discussion_names_are_there(name: str) -> None:
    asked = (ROOT / "book" / name / "discussion.md").read_text("utf-8")
    assert asked.count("**\n*Good:*") == 2, (
        f"book/{name}/discussion.md needs two questions in bold, and below each what is good: **Why …?**\n*Good:* …"
    )
    for places in re.findall(r"\((\*.+\*[^)]*)\)$", asked, re.MULTILINE):
        for place in re.findall(r"\*([^*]+)\*", places):
            assert any(heading.startswith(place) for heading in headings(name)), place


@pytest.mark.parametrize("name", chapters())
def test_the_mistakes_are_those_of_the_checks_but_no_task_is_given_away(name: str) -> None:
    shown = by_function(name)
    hunted = {function for function, check in checks(name).items() if check.hunt}
    assert not hunted & set(shown)
    assert set(checks(name)) - hunted == set(shown) | {each for each in checks(name) if each.endswith("_by_hand")}
    for function, titles in shown.items():
        assert titles or not checks(name)[function].mistakes
        assert len(titles) == len(set(titles)) <= len(checks(name)[function].mistakes)
        hints = [hint_of(each) for each in checks(name)[function].mistakes]
        assert all(any(hint.startswith(title) for hint in hints) for title in titles)


def test_the_page_of_mistakes_is_whole_and_nothing_in_it_acts() -> None:
    page = str(mistakes().data)
    assert page.count("<details>") == page.count("</details>") == sum(map(bool, _every()))
    assert page.count("<li>") == sum(len(titles) for titles in _every())
    assert set(re.findall(r"</?(\w+)", page)) == {"h3", "details", "summary", "code", "ul", "li"}


def _every() -> list[list[str]]:
    return [titles for name in chapters() for titles in by_function(name).values()]
