"""The page of results shows every run, and its commands make the recipe that the result file holds."""

import re

import pytest

from book.contents import page_file
from book.show import gpu_results
from book.show.results_page import aims, all_aims, commands, task_runs
from book.show.tables import PHRASEBOOK, ROOT, by_length, results

PAGE = (page_file("results")).read_text("utf8")
SHOWN = re.findall(r'^corpus_table\("([\w-]+)"', PAGE, re.MULTILINE)
TASKS = task_runs()
BASE = "speed: transformer base, WMT'14"


def test_the_page_begins_with_a_comparison_and_without_attention_long_sentences_lose_most() -> None:
    (named,) = re.findall(r"^phrasebook_lengths\((.*)\)$", PAGE.partition("\n## ")[0], re.MULTILINE)
    names = re.findall(r'"(\w+)"', named)
    lost = {}
    for name in names:
        runs = [[bucket.score.value for bucket in by_length(result)] for result in results(name, PHRASEBOOK)]
        lost[name] = sum(run[0] - run[-1] for run in runs) / len(runs)
    assert names[0] == "encoder_decoder"
    assert lost.pop(names[0]) > 3 * max(lost.values()), "results.md says that the others lose far less"


def test_every_corpus_with_results_has_its_table_once():
    assert sorted(SHOWN) == sorted(TASKS), (
        f"book/results.md: these corpora have results and no table, or a table and no results: "
        f"{', '.join(sorted(set(SHOWN) ^ set(TASKS)))}; write or drop a heading and a cell with corpus_table"
    )


def test_every_result_file_is_shown():
    files = {path.name for path in ROOT.glob("solutions/*/results/*-seed*.json")}
    shown = {
        f"{run}-seed{result['seed']}.json"
        for models in TASKS.values()
        for (_, run), runs in models.items()
        for result in runs
    }
    assert shown == files


@pytest.mark.parametrize(
    ("solution", "run", "options"),
    [
        ("bahdanau", "phrasebook-fr-en-medium-after", "--recipe medium --variant after --query after --seed 1"),
        ("luong", "phrasebook-fr-en-medium-local-m", "--variant local-m --attention local_m --D 2 --seed 1"),
        ("self_attention", "imdb-base-unplaced", "--recipe base --variant unplaced --no-positions --seed 1"),
        ("pooling", "reviews-small_han", "--corpus reviews --recipe small_han --seed 1"),
    ],
)
def test_the_command_names_what_differs_from_the_recipe(solution, run, options):
    runs = results(solution, run)
    task = next(name for name, models in TASKS.items() if (solution, run) in models)
    train, evaluate = commands(task, solution, run, runs)
    assert train.startswith(f"python -m solutions.{solution} train --corpus {task.split('-')[0]} ")
    assert train.endswith(options)
    assert evaluate == runs[0]["command"]


def test_every_aim_names_runs_of_its_solution_and_a_score_that_they_have():
    listed = list(all_aims())
    for solution, aim in listed:
        assert any(results(solution, run) for run in aim["runs"]), aim["what"]
    table = str(aims().data)
    assert table.count("<td>reached") + table.count("<td>missed by") == len(listed)


def test_the_page_types_no_result():
    cells = re.sub(r"^\|.*$", "", PAGE, flags=re.MULTILINE)
    assert not re.search(r"\d\.\d", cells), "a number is typed outside the table of the papers"


def test_what_was_asked_of_a_card_is_reached_or_missed_as_its_table_has_it() -> None:
    asked = gpu_results.goals().data
    assert [asked.count(f">{verdict}<") for verdict in ("reached", "missed", "not measured")] == [2, 2, 0]
    assert f"{gpu_results.result(BASE, 'bf16: target tokens/s') or 0:,.0f}" in asked
    rows = [row for row in gpu_results.measured()["rows"] if row.startswith("speed: ") and row.count(",") == 1]
    assert gpu_results.speeds().data.count('<th scope="row">') == len(rows) > 8
