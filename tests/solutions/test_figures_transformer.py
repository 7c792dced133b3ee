"""Tests of the pictures in the chapter on the Transformer."""

import re
from statistics import fmean

import pytest
import torch

import book.transformer.figures as figures
from book.show.tables import by_length
from book.transformer import pictures, walk
from book.transformer.figures import habit, head_view, heads_table, positions, schedules
from solutions.transformer.ablation import Habits, Head


def test_a_head_is_told_by_where_most_of_its_rows_look_most() -> None:
    itself = torch.eye(6)
    assert habit(itself) == "mostly at itself"
    assert habit(itself.roll(-1, dims=1)) == "mostly at the word before"
    assert habit(itself.roll(1, dims=1)) == "mostly at the word after"
    rows = habit(itself[torch.tensor([0, 5, 2, 1, 0, 3])])
    assert rows == "row by row strongest at columns 1, 6, 3, 2, 1, 4"
    assert habit(itself[:1].expand(4, 6)) == "mostly at the first word"


def test_the_view_of_all_heads_tells_every_head() -> None:
    looks = {"cross": torch.rand(2, 3, 5, 4)}
    view = head_view(looks, "cross", "he hit me with </s>".split(), "il m' a </s>".split())
    assert len(view.figure.axes) == 2 * 3
    for layer in (1, 2):
        for head in (1, 2, 3):
            assert f"layer {layer}, head {head}: " in view.alt
    below, left = view.figure.axes[-1], view.figure.axes[0]
    assert [label.get_text() for label in below.get_xticklabels()] == ["il", "m'", "a", "</s>"]
    assert [label.get_text() for label in left.get_yticklabels()] == ["he", "hit", "me", "with", "</s>"]


def test_the_curves_of_the_rate_turn_at_the_end_of_their_warm_up() -> None:
    for name, curve in schedules().items():
        highest, _ = max(curve, key=lambda point: point[1])
        assert abs(highest - int(name.split()[-1])) <= 100
    assert "feature" in positions(9, 4).alt


def test_the_table_of_heads_has_a_row_for_each_and_for_equal_weights() -> None:
    head = Head("cross", 2, 1, 0.1234, Habits(0.041, linked=0.6))
    equal = {(use, 0, 0): Habits(0.25) for use in figures.USES}
    html = heads_table([head], equal).data
    assert "cross, layer 2, head 1" in html
    assert "+0.123" in html
    assert html.count("equal weights, ") == 3


def test_the_walk_through_a_layer_has_the_numbers_of_the_text_and_ends_as_the_taught_layer() -> None:
    made = walk.steps()
    told = {
        "heads": [5, 6],
        "attended": [11, 6],
        "normed": [1, -1],
        "wide": [1, 0, 0, 2],
        "narrow": [1, 2],
        "last": [2, 1],
    }
    for name, numbers in told.items():
        assert made[name].tolist() == pytest.approx(numbers, abs=1e-4), name
    assert made["added"].tolist() == pytest.approx([12.10, 6], abs=0.002)
    assert len(walk.layer_walk().panels) == 8


def test_the_masks_of_a_batch_are_drawn_as_they_are_made() -> None:
    drawing = pictures.three_masks("a b <pad>".split(), "<s> c <pad>".split())
    hidden = [sum(part.count(">×<") for part in parts) for _, _, parts in drawing.panels]
    assert hidden == [1, 3, 4]  # the source's padding; the future of three; and the target's padding as a key of itself


def test_each_head_stands_with_its_weights_and_its_cost_in_a_frame_as_thick_as_that() -> None:
    heads = [
        Head("cross", 1, 1, 0.3, Habits(0.1)),
        Head("decoder", 1, 2, 0.15, Habits(0.46)),
        Head("encoder", 1, 1, -0.01, Habits(0.2)),
    ]
    generator = torch.Generator().manual_seed(0)
    sizes = {"encoder": (1, 1, 3, 3), "decoder": (1, 2, 4, 4), "cross": (1, 1, 4, 3)}
    seen = {use: torch.rand(size, generator=generator) for use, size in sizes.items()}
    drawing = pictures.heads_left_out(heads, seen)
    encoder, decoder, cross = ("".join(parts) for _, _, parts in drawing.panels)
    for drawn, weights in (
        (encoder, seen["encoder"][0, 0]),
        (decoder, seen["decoder"][0, 1]),
        (cross, seen["cross"][0, 0]),
    ):
        shades = [float(shade) for shade in re.findall(r'fill-opacity="([\d.]+)"', drawn)]
        assert shades == pytest.approx(weights.flatten().tolist(), abs=0.01)
    widths = [float(re.findall(r'stroke-width="([\d.]+)"', drawn)[0]) for drawn in (encoder, decoder, cross)]
    assert widths == [0.5, 3.0, 5.5]
    assert [each in drawn for each, drawn in (("−.010", encoder), (".150", decoder), (".300", cross))] == [True] * 3
    assert "decoder, layer 1, head 2 0.150, 46% on <s>" in drawing.described


def test_a_counter_stands_beside_clocks() -> None:
    digits, clocks = pictures.counter_and_clocks(8).panels
    assert sum(part.count("<rect") for part in digits[2]) == sum(part.count("<rect") for part in clocks[2]) == 24


def test_sentences_split_by_length_and_clauses_score_as_in_the_result_file() -> None:
    """No sentence of the shortest has two clauses, so their group is the bucket that the evaluation scored."""
    groups = figures.clause_groups()
    assert [group for group in groups if group[0] < 15] == [(3, 8, 1), (9, 14, 1)]
    assert sum(map(len, groups.values())) == len(set().union(*groups.values())) > 1900
    assert not set(groups[15, 20, 1]) & set(groups[15, 20, 2])
    buckets = [by_length(run)[0] for run in figures.runs_of("transformer", "positions", "short")]
    assert [(bucket.first, bucket.last) for bucket in buckets] == [(3, 8)] * len(buckets)
    expected = fmean(bucket.score.value for bucket in buckets)
    assert figures.bleu_by_clauses("short")[3, 8, 1] == pytest.approx(expected)
