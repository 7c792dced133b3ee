"""Tables and plots of many trainings have every seed, leave out what has not been run, and say what is seen."""

import pytest

from book.show import experiments
from book.show.experiments import ACCURACY, learning_curve, mean, span, validations
from book.show.seed_plots import KEY, dots, lines, seed_curves
from lab.show.plots import MODEL_STYLES, styled

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


def drawn(picture) -> list[list[float]]:
    """Return the x of everything that is drawn in the data's own place: lines, seeds, means."""
    return [list(line.get_xdata()) for line in picture.figure.axes[0].lines]


def test_every_seed_is_a_mark_the_mean_another_and_both_are_told() -> None:
    series = {"short": {"a": [90.0, 92.0, 97.0], "b": [2.0]}, "long": {"b": [3.0]}}
    picture = dots(series, "accuracy, %", "A title", marks={"a guess": 50})
    assert [90.0, 92.0, 97.0] in drawn(picture)
    assert [93.0] in drawn(picture)
    assert KEY in picture.figure.axes[0].get_xlabel()
    assert picture.alt == (
        "A title, accuracy, %, every seed drawn; a guess: 50. a, short: mean 93.0 (90.0 to 97.0, 3 seeds); "
        "b, short: 2.0 (one seed); b, long: 3.0 (one seed)."
    )
    with pytest.raises(ValueError, match="1 to 5"):
        dots({f"{number}": {"row": [1.0]} for number in range(6)}, "x")


@pytest.mark.parametrize("name", MODEL_STYLES)
@pytest.mark.parametrize("beside", [[], ["another"], list(MODEL_STYLES)[3:7]])
def test_a_model_looks_the_same_in_every_plot_and_unlike_the_others(name: str, beside: list[str]) -> None:
    looks = dict(styled([*dict.fromkeys([*beside, f"{name}: seed 1"])]))
    assert looks[f"{name}: seed 1"] == MODEL_STYLES[name]
    plot = lines({each: [(1, 2), (2, 3)] for each in ("another", name)}, "x", "y").figure.axes[0].lines
    assert [line.get_color() for line in plot][1] == MODEL_STYLES[name][0] != plot[0].get_color()


def test_curves_have_a_line_for_each_seed() -> None:
    curves = validations(RUNS[""] + RUNS["wide"])
    assert curves == [[(1, 10.0), (2, 30.0)], [(1, 20.0), (2, 60.0)], [(2, 50.0)]]
    picture = seed_curves({"base": curves}, "epoch", "score", "Title")
    assert drawn(picture) == [[1, 2], [1, 2], [2]]
    assert "base, first to last of each seed: 10 to 30, 20 to 60, 50 to 50" in picture.alt


def test_lines_name_their_logarithmic_axes() -> None:
    picture = lines({"time": [(1, 2.0), (10, 20.0)]}, "words", "ms", "Title", "xy", (1, 10), {"limit": 5})
    (axes,) = picture.figure.axes
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert picture.alt == "Title: ms by words (x and y logarithmic); limit: 5. time: 2 at 1, 20 at 10."


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiments, "runs_of", lambda solution, experiment, variant: RUNS[variant])
    monkeypatch.setattr(
        experiments, "values", lambda solution, experiment, variant, column: [100 * v for v in ACCURACIES[variant]]
    )


@pytest.mark.usefixtures("results")
def test_a_span_reaches_from_the_lowest_seed_of_all_variants_to_the_highest() -> None:
    assert span("pooling", "poolings", "", "wide", column=ACCURACY) == "50.0 to 87.5"
    assert span("pooling", "poolings", "wide") == "87.5"
    assert mean("pooling", "poolings", "") == "62.5"


def test_a_curve_is_the_mean_over_the_seeds_that_kept_their_validation() -> None:
    assert learning_curve(RUNS[""]) == [(1, 15.0), (2, 45.0)]
    assert learning_curve(RUNS[""], epochs=1) == [(1, 15.0)]
    assert learning_curve(RUNS["wide"]) == [(2, 50.0)]
    assert learning_curve(RUNS["none"]) == []
