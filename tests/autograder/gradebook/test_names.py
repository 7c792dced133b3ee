"""People whose names differ by marks alone are two people, and each finds what is theirs; one's spellings are one."""

import unicodedata
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from autograder.gradebook.people.extensions import Extensions
from autograder.gradebook.people.names import marked_key, name_key
from autograder.gradebook.people.roster import Person, Roster
from autograder.submissions import collect
from tests.autograder.submissions.test_collect import KNOWN, lay, notebook, taken
from tests.autograder.submissions.test_zip_files import MOODLE
from tests.support.classes import summary
from tests.support.lms import Teacher, lms
from tests.support.teacher import settle

__all__ = ["lms"]

PAIRS = [
    ("José Pena", "José Peña"),
    ("Tran Van Dung", "Trần Văn Dũng"),
    ("राम", "रमा"),
    ("かな", "がな"),
    ("Ann Lee", "Ann-Lee"),
]


def nfd(name: str) -> str:
    return unicodedata.normalize("NFD", name)


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("written", [str, nfd, str.upper])
def test_each_of_two_is_found_by_the_very_name(pair: tuple[str, str], written) -> None:
    names = [written(name) for name in pair] if pair != PAIRS[-1] else pair
    roster = Roster([Person(name) for name in pair])
    match = roster.match([(name, "bahdanau", "") for name in names])
    assert [match[name, "bahdanau", ""].name for name in names] == [*pair]
    assert roster.strangers([(name, "bahdanau", "") for name in names]) == []
    assert roster.missing([(names[0], "bahdanau", "")]) == {"bahdanau": [roster.people[1]]}


@pytest.mark.parametrize("pair", PAIRS)
def test_a_name_without_its_marks_finds_whom_nobody_else_is(pair: tuple[str, str]) -> None:
    one, other = pair
    both = [(name, "bahdanau", "") for name in pair]
    on_it = Roster([Person(other)])
    assert on_it.find(one) == on_it.people[0]  # alone, as LMSs write it
    if marked_key(one) != marked_key(other):
        assert on_it.strangers(both) == [one]
    third = Roster([Person(name_key(one).title())])
    if len({marked_key(name) for name in (*pair, third.people[0].name)}) == 3:
        assert third.strangers(both) == [one, other], "neither is nearer"


def test_the_number_comes_before_the_name() -> None:
    roster = Roster(
        [Person("José Pena", numbers={"bahdanau": "104"}), Person("José Peña", numbers={"bahdanau": "103"})]
    )
    match = roster.match([("José Pena", "bahdanau", "103"), ("José Peña", "bahdanau", "104")])
    assert [person.name for person in match.values()] == ["José Peña", "José Pena"]


def test_tables_that_come_together_keep_two_people_apart() -> None:
    tables = [[Person(name, numbers={key: str(n)}) for n, name in enumerate(PAIRS[0], 7)] for key in KNOWN]
    roster = Roster([Person(PAIRS[0][1], numbers={"luong": "9"})]).replaced_by(tables)
    assert [(person.name, person.numbers) for person in roster.people] == [
        (PAIRS[0][0], {"encoder_decoder": "7", "bahdanau": "7"}),
        (PAIRS[0][1], {"luong": "9", "encoder_decoder": "8", "bahdanau": "8"}),
    ]
    merged = Roster().replaced_by([[Person("Roe, Ann", "Ann", "Roe", numbers={"": "21"})], [Person("Ann Roe")]])
    assert [person.numbers for person in merged.people] == [{"": "21"}]


@pytest.mark.parametrize(("pair", "has_both"), [(PAIRS[0], True), (PAIRS[2], False)])
def test_an_extension_is_one_persons(lms: Teacher, pair: tuple[str, str], has_both: bool) -> None:
    """Also before the one who has it has handed in."""
    names = pair if has_both else pair[:1]
    lms.grades(*(f"{name}_{n}_{MOODLE}/bahdanau.ipynb" for n, name in enumerate(names, 3)))
    roster = lms.folder / "roster.csv"
    roster.write_text("Name\n" + "\n".join(pair) + "\n", "utf-8")
    times = [f"--handed-in=bahdanau/{name}=2026-10-29 20:00" for name in names]
    words = ["--due", "bahdanau=2026-10-24 20:00", "--extend", f"{pair[1]}/bahdanau=2026-10-30 20:00", *times]
    status, shown = lms.types("grade", str(lms.folder / "submissions.zip"), "--roster", str(roster), *words)
    assert (status, "Not on the roster" in shown) == (0, False), shown
    settle(lms.out, "LateSubmissionPlugin.penalty_method = 'zero'")
    lms.exports("csv", "--zero")
    rows = {row["student"]: row for row in lms.rows("grades.csv")}
    assert set(rows) == {*pair}
    assert (rows[pair[0]]["days_late"], rows[pair[0]]["extended_to"], rows[pair[0]]["total"]) == ("5", "", "0")
    if has_both:
        assert (rows[pair[1]]["days_late"], rows[pair[1]]["extended_to"]) == ("0", "2026-10-30 20:00:00 UTC")
    assert ("has not handed in" in {row["note"] for row in summary(lms.out).values()}) == (not has_both)


def test_who_is_typed_without_marks_has_the_extension(tmp_path: Path) -> None:
    from autograder.gradebook.people.extensions import whose

    people = Roster([Person("José Peña"), Person("Ann Roe")])
    assert whose(["Jose Pena"], ["José Peña", "Ann Roe"], people) == {"José Peña": "Jose Pena"}
    extensions = Extensions(tmp_path)
    extensions.add({("bahdanau", "Jose Pena"): datetime(2026, 1, 1) + timedelta(1)})
    assert extensions.of("bahdanau") == {"Jose Pena": datetime(2026, 1, 2)}


@pytest.mark.parametrize("spelling", [nfd, str])
def test_two_spellings_of_one_name_are_told_apart_by_moodles_number(tmp_path: Path, spelling) -> None:
    mine, theirs = notebook("bahdanau", "mine"), notebook("bahdanau", "theirs")
    files = {
        f"Zoë Müller_7_{MOODLE}/bahdanau.ipynb": mine,
        f"{spelling('Zoë Müller')}_8_{MOODLE}/bahdanau.ipynb": theirs,
    }
    box = collect.read(lay(tmp_path, files), KNOWN)
    assert taken(box) == {("Zoë Müller_7", "bahdanau"): mine, ("Zoë Müller_8", "bahdanau"): theirs}
    assert box.rejected == []
