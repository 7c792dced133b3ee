"""The weights in the first two drawings of attention are those of the model that its chapter shows."""

import json
import re

import pytest
import torch

from book.bahdanau import redraw


def test_the_drawings_are_as_the_pinned_model_has_them() -> None:
    for file, text in redraw.drawn().items():
        assert file.read_text("utf-8") == text, "python -m book.bahdanau.redraw draws them anew"


def test_what_is_said_of_a_word_are_the_weights_of_its_row() -> None:
    states = json.loads(redraw.WAY_AROUND.with_suffix(".json").read_text("utf-8"))["states"]
    for state, row in zip(states, redraw.weights().tolist(), strict=True):
        said = re.findall(r"(?<!\d)\.\d\d", state["says"])
        assert said
        assert set(said) <= {redraw.shown(weight) for weight in row}, state["name"]
        assert said[0] == redraw.shown(max(row)), state["name"]


def test_other_weights_are_drawn_where_they_belong() -> None:
    rows = torch.arange(35).reshape(7, 5) / 100
    steps = redraw.steps(redraw.STEPS.read_text("utf-8"), rows)
    assert "For he, the weights are .00, .01, .02, .03 and .04; for hit they are .05," in steps
    assert re.findall(r'class="small" data-weight=""[^>]*>([^<]*)<', steps)[5:7] == [".05", ".06"]
    around = redraw.way_around(redraw.WAY_AROUND.read_text("utf-8"), rows)
    assert 'data-each=".01|.06|.11|.16|.21|.26|.31"' in around
    assert "il .10, m' .11, a .12, entarté .13, end mark .14." in around
    lines = re.findall(r'data-at="2" data-w="([\d.]*)"', around)
    assert lines == [redraw.width(weight) for weight in rows[1].tolist()]
    thick = re.findall(r'data-at="3" data-w="([\d.]*)" class="beam weights" stroke-width="([\d.]*)"', around)
    assert all(one == other for one, other in thick)


def test_a_drawing_with_fewer_places_is_refused() -> None:
    with pytest.raises(ValueError, match="expected more places"):
        redraw.replaced(r"(a)(b)(c)", "abc", ["x", "y"])
