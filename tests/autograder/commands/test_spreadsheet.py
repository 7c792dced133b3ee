"""Tables for spreadsheets: nothing that a student wrote is computed, however it is split; the rest stays."""

import csv
import io
import itertools
import re
import time
from pathlib import Path

import pytest

from autograder.grade import summary
from autograder.gradebook.store.spreadsheet import text

SIGNS = "=+-@＝＋－＠﹦−"
STARTS = ["", " ", '"', *(f"a{separator}" for separator in ";,\t|\n\r"), "\ufeff", "\x00"]
STARTS += [f"a;{unseen}" for unseen in ('"', " \t", "\u200b", "\xa0")]
HOSTILE = [f"{start}{sign}1+1{end}" for start, sign, end in itertools.product(STARTS, SIGNS, ["", ";b", '";b'])]
HOSTILE += ['=HYPERLINK("http://x";"y")', "a;@SUM(1)", "a;=cmd|' /C calc'!A0;b", "ada\r\n=1+1,x", "ok.ipynb;+1;-1;=1"]
HONEST = [
    "O'Neil, Ada",
    "Müller; Jörg",
    "c++/a-b.ipynb",
    "x = 1",
    "ada@uni.org",
    "2026-11-20",
    "李 明",
]
HONEST += ["Anna -Maria", 'the "bug"', "a\nb", "", "1e5"]


def cells(written: bytes) -> list[str]:
    """Return the cells that some spreadsheet sees: split with and without regard to quotes, at every separator."""
    whole = written.decode("utf-8")
    seen = []
    for separator in ",;\t|":
        seen += [cell for row in csv.reader(io.StringIO(whole, newline=""), delimiter=separator) for cell in row]
        seen += [cell for line in whole.splitlines() for cell in line.split(separator)]
    return seen


def computed(cell: str) -> bool:
    """Return whether a spreadsheet would begin to compute: what it drops or does not see is left out."""
    plain = "".join(sign for sign in cell if sign.isprintable() and not sign.isspace() and sign not in '"')
    return plain[:1] in set(SIGNS) and not re.fullmatch(r"-?\d+(\.\d+)?", plain)


def test_a_formula_is_computed_by_no_spreadsheet_in_whatever_column_it_stands(tmp_path: Path) -> None:
    """Whatever separator the spreadsheet of a country splits at: `a;=1+1` was a formula in one."""
    columns = [name for name in summary.COLUMNS if "score" not in name]
    rows = [{"late_penalty": -1.5, "total": 2.0} | dict.fromkeys(columns, each) for each in HOSTILE]
    summary.write(rows, tmp_path / "summary.csv")
    assert [cell for cell in cells((tmp_path / "summary.csv").read_bytes()) if computed(cell)] == []


@pytest.mark.parametrize("name", HONEST)
def test_what_honest_people_write_comes_back_as_it_was(name: str, tmp_path: Path) -> None:
    summary.write([{"student": name, "score": 7.0, "total": -0.5}], tmp_path / "summary.csv")
    with (tmp_path / "summary.csv").open(newline="", encoding="utf-8") as file:
        [row] = csv.DictReader(file)
    assert (row["student"], row["score"], row["total"]) == (name, "7", "-0.5")


def test_a_long_text_of_separators_takes_no_time() -> None:
    begun = time.process_time()
    assert text(";\n" * 500_000 + "a") == ";\n" * 500_000 + "a"
    assert time.process_time() - begun < 5
