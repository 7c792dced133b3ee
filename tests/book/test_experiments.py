"""What tables and curves of an experiment make of result files."""

import pytest

from book import experiments
from book.experiments import ACCURACY, learning_curve, mean, span

RUNS = {
    "": [
        {"training": {"history": [{"epoch": 1, "validation": 10.0}, {"epoch": 2, "validation": 30.0}]}},
        {"training": {"history": [{"epoch": 1, "validation": 20.0}, {"epoch": 2, "validation": 60.0}]}},
        {"training": {}},  # from before histories were kept
    ],
    "wide": [{"training": {"history": [{"epoch": 1, "loss": 2.0}, {"epoch": 2, "validation": 50.0}]}}],
    "none": [],
}
ACCURACIES = {"": [0.5, 0.75, 0.625], "wide": [0.875], "none": []}


@pytest.fixture(autouse=True)
def results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiments, "runs_of", lambda solution, experiment, variant: RUNS[variant])
    monkeypatch.setattr(
        experiments, "values", lambda solution, experiment, variant, column: [100 * v for v in ACCURACIES[variant]]
    )


def test_a_span_reaches_from_the_lowest_seed_of_all_variants_to_the_highest() -> None:
    assert span("pooling", "poolings", "", "wide", column=ACCURACY) == "50.0 to 87.5"
    assert span("pooling", "poolings", "wide") == "87.5"
    assert mean("pooling", "poolings", "") == "62.5"


def test_a_curve_is_the_mean_over_the_seeds_that_kept_their_validation() -> None:
    assert learning_curve(RUNS[""]) == [(1, 15.0), (2, 45.0)]
    assert learning_curve(RUNS[""], epochs=1) == [(1, 15.0)]
    assert learning_curve(RUNS["wide"]) == [(2, 50.0)]
    assert learning_curve(RUNS["none"]) == []
