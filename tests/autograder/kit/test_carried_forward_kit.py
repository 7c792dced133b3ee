"""Errors carried forward on a student's machine: `check` says which earlier function is to be repaired first."""

from pathlib import Path

import pytest
import torch

from autograder.kit import NoPoints, check, recordings
from autograder.kit.carried import GRADING_TRIES
from autograder.release.recordings import recording
from solutions.bahdanau.attention import additive_attention, masked_softmax

PARTS = {"masked_softmax": 1, "additive_attention": 2}


@pytest.mark.parametrize("is_right", [True, False])
def test_a_part_whose_earlier_one_is_wrong_is_told_to_wait_for_it(is_right: bool, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(recordings, "FOLDER", tmp_path)
    for function in PARTS:
        recordings.path(f"bahdanau.{function}").write_bytes(recording(f"bahdanau.{function}", PARTS))
    softmax = masked_softmax if is_right else lambda scores, mask=None: scores.softmax(-1)
    namespace = {"masked_softmax": softmax, "additive_attention": lambda *given: torch.zeros(1)}
    with pytest.raises(NoPoints) as no_points:
        check("bahdanau.additive_attention", namespace)
    said = " ".join(str(no_points.value).split())
    assert ("your masked_softmax (part 1): that is not right yet. Repair part 1 first." in said) != is_right
    assert (GRADING_TRIES in said) != is_right
    namespace["additive_attention"] = additive_attention
    assert check("bahdanau.additive_attention", namespace) is None
