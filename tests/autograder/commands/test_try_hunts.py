"""`try` with a file says what grading says, of a bug hunt's functions too."""

import pytest

from autograder.checks import checks
from autograder.release.trial import try_file

INPUT = """import torch

def failing_input():
    one = torch.ones(1, 1)
    return torch.tensor([[[1.0], [2.0]]]), one, one, one, torch.tensor([[True, False]])
"""
HUNT = checks("self_attention")["repaired_attention"].hunt
BROKEN = "import torch\n" + HUNT.source.replace("def broken_attention", "def repaired_attention") if HUNT else ""
REPAIRED = BROKEN.replace("outside[:, :, None]", "outside[:, None]")
# The imports of the notebook's setup, the functions of earlier notebooks, and those of its other parts are there.
AROUND = """def simple_self_attention(X, mask=None):
    queries = X * math.sqrt(X.shape[-1])
    return scaled_dot_product(queries, X, X, None if mask is None else mask[:, None])
"""
OF_EARLIER = """def scaled_dot_product(query: Tensor, key: Tensor, value: Tensor, mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    weights = masked_softmax(scores, None if mask is None else mask.expand_as(scores))
    return weights @ value, weights
"""


@pytest.mark.parametrize(
    ("function", "text", "status", "sentence"),
    [
        ("failing_input", INPUT, 0, "all 2 points"),
        ("failing_input", INPUT.replace("[True, False]", "[True, True]"), 1, ""),
        ("simple_self_attention", AROUND, 0, ""),
        ("scaled_dot_product", OF_EARLIER, 0, ""),
        ("diagnosis", 'def diagnosis():\n    return 99, "a"\n', 1, ""),
        ("repaired_attention", BROKEN, 1, "as it was"),
        ("repaired_attention", REPAIRED, 0, ""),
        ("repaired_attention", REPAIRED.replace("torch.softmax(scores, dim=-1)", "scores.softmax(-1)"), 1, "more than"),
    ],
)
def test_a_file_is_tried_as_it_would_be_graded(function, text, status, sentence, tmp_path, capsys):
    (tmp_path / "answer.py").write_text(text, encoding="utf-8")
    assert try_file(f"self_attention.{function}", tmp_path / "answer.py") == status
    assert sentence in capsys.readouterr().out
