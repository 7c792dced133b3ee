"""Tests of the tables of Luong's variants: what has been run is shown, and nothing else."""

from pathlib import Path

import pytest

from book import figures_luong as variants
from book import tables
from lab.evaluation.result_files import write_json


def result(value: float) -> dict:
    score = {"name": "", "value": value, "low": value - 1, "high": value + 1, "signature": "", "count": 7}
    places = {
        reading: {kind: dict.fromkeys(("mean", "within1", "within2"), score) for kind in ("all", "crossing")}
        for reading in ("predicted", "t", "t·S/T")
    }
    test = {"greedy": {"bleu": score}, "beam5": {"bleu": score}, "alignment": {"argmax": {"aer": score}}}
    return {
        "scores": {"test": test | {"positions": places}},
        "training": {"ended_by_budget": False, "epochs": 1, "of_epochs": 1},
    }


def test_tables_without_results_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "ROOT", tmp_path)
    assert f'<td class="missing">{tables.MISSING}</td>' in variants.hansards().data
    for drawn in (variants.scores(), variants.windows(), variants.feeding()):
        assert "no run yet" in drawn.data
    for drawn in (variants.positions(), variants.real()):
        assert drawn.data.count("<tr>") == 1  # the head alone: what has not been run has no row


def test_each_variant_that_was_run_has_its_row_and_its_seeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "ROOT", tmp_path)
    folder = tmp_path / "solutions" / "luong" / "results"
    for seed, value in ((1, 40.0), (2, 42.0)):
        write_json(folder / f"phrasebook-fr-en-medium-dot-seed{seed}.json", result(value))
    write_json(folder / "phrasebook-fr-en-medium-local-p-seed1.json", result(0.5))
    table = variants.scores().data
    assert '<th scope="row">dot</th><td>41.0 (40.0–42.0)</td><td>41.000 (40.000–42.000)</td><td>2</td>' in table
    assert table.count("<tr>") == 2
    assert variants.positions().data.count("0.50 [-0.50, 1.50]") == 2 * 3 * 3  # predicted, and counted in two ways


def test_the_hansards_have_our_row_above_those_of_the_aligners(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "ROOT", tmp_path)
    folder = tmp_path / "solutions" / "luong" / "results"
    write_json(folder / "hansards-en-fr-short-seed1.json", result(0.25))
    table = variants.hansards().data
    assert "<td>0.250 [-0.750, 1.250]</td>" in table
    assert table.count("<tr>") == 2 + len(variants.ALIGNERS) + 1
