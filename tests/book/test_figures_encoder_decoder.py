"""The tables of BLEU by length show what has been run, and nothing else."""

import copy

import pytest

from book import figures_encoder_decoder as figures
from book.tables import results

RUN = "phrasebook-fr-en-medium"


@pytest.fixture
def seeds():
    """Return the results of the recipe as it stands, seed by seed."""
    return results("encoder_decoder", RUN)


def with_variants(monkeypatch, runs):
    monkeypatch.setattr(figures, "runs_of", lambda solution, experiment, variant: runs.get(variant, []))


def test_nothing_is_shown_of_one_variant(monkeypatch, seeds):
    with_variants(monkeypatch, {"": seeds})
    assert figures.units_table() is None
    assert figures.units_plot() is None


def test_a_variant_that_has_been_run_is_a_column_and_a_line(monkeypatch, seeds):
    wide = copy.deepcopy(seeds[:1])
    wide[0]["recipe"]["units"] = 256
    with_variants(monkeypatch, {"": seeds, "units-256": wide})
    shown, picture = figures.units_table(), figures.units_plot()
    assert shown is not None
    assert picture is not None
    text = str(shown.data)
    assert "128 units" in text
    assert "256 units" in text
    assert "64 units" not in text
    assert "<td>256</td><td>512</td>" in text, "twice the units: both directions"
    assert "256 units: 3 to 8 words" in picture.alt


def test_the_mean_lies_between_the_lowest_and_the_highest_seed(seeds):
    values = [each["scores"]["test"]["greedy"]["by_length"][0]["score"]["value"] for each in seeds]
    score = figures.over_seeds(seeds)[0].score
    assert (score.low, score.high) == (min(values), max(values))
    assert score.low < score.value < score.high
    assert figures.bucket(RUN, 3) == f"{score.value:.1f}"
