"""Laws of the pictures in the chapter on the Transformer."""

import torch

from book.figures_transformer import habit, head_view, multi30k, phrasebook, positions, schedules
from book.tables import MISSING


def test_a_head_is_told_by_where_most_of_its_rows_look_most() -> None:
    itself = torch.eye(6)
    assert habit(itself) == "mostly at itself"
    assert habit(itself.roll(-1, dims=1)) == "mostly at the word before"
    assert habit(itself.roll(1, dims=1)) == "mostly at the word after"
    assert habit(itself[torch.tensor([0, 5, 2, 1, 0, 3])]) == "at several places"
    assert habit(itself[:1].expand(4, 6)) == "mostly at the first word"


def test_the_view_of_all_heads_tells_every_head() -> None:
    looks = {"cross": torch.rand(2, 3, 5, 4)}
    view = head_view(looks, "cross")
    assert len(view.figure.axes) == 2 * 3
    for layer in (1, 2):
        for head in (1, 2, 3):
            assert f"layer {layer}, head {head}: " in view.alt


def test_the_curves_of_the_rate_turn_at_the_end_of_their_warm_up() -> None:
    for name, curve in schedules().items():
        highest, _ = max(curve, key=lambda point: point[1])
        assert abs(highest - int(name.split()[-1])) <= 100
    assert "feature" in positions(9, 4).alt


def test_tables_without_results_say_so() -> None:
    assert MISSING in phrasebook([("transformer", "no-such-run")]).data
    assert "test2016" in multi30k().data
