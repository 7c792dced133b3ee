"""`try` with a file of a bug hunt's functions says what grading says."""

from autograder.checks import checks
from autograder.release.trial import try_file

HANDED_IN = """
import torch

def failing_input():
    one = torch.ones(1, 1)
    return torch.tensor([[[1.0], [2.0]]]), one, one, one, torch.tensor([[True, False]])

def diagnosis():
    return 99, "a"
"""


def tried(function, text, tmp_path, capsys):
    file = tmp_path / "answer.py"
    file.write_text(text, encoding="utf-8")
    return try_file(f"self_attention.{function}", file), capsys.readouterr().out


def test_an_input_is_tried_on_the_broken_function(tmp_path, capsys):
    status, printed = tried("failing_input", HANDED_IN, tmp_path, capsys)
    assert (status, "all 2 points" in printed) == (0, True)
    same = HANDED_IN.replace("[True, False]", "[True, True]")
    assert tried("failing_input", same, tmp_path, capsys)[0] == 1


def test_a_file_finds_what_the_notebook_has_around_it(tmp_path, capsys):
    """The imports of its setup, the functions of earlier notebooks, and those of its other parts."""
    text = """def simple_self_attention(X, mask=None):
    queries = X * math.sqrt(X.shape[-1])
    return scaled_dot_product(queries, X, X, None if mask is None else mask[:, None])
"""
    assert tried("simple_self_attention", text, tmp_path, capsys)[0] == 0
    text = """def scaled_dot_product(query: Tensor, key: Tensor, value: Tensor, mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    weights = masked_softmax(scores, None if mask is None else mask.expand_as(scores))
    return weights @ value, weights
"""
    assert tried("scaled_dot_product", text, tmp_path, capsys)[0] == 0


def test_a_repair_may_change_one_statement(tmp_path, capsys):
    hunt = checks("self_attention")["repaired_attention"].hunt
    broken = "import torch\n" + hunt.source.replace("def broken_attention", "def repaired_attention")
    repaired = broken.replace("outside[:, :, None]", "outside[:, None]")
    rewritten = repaired.replace("torch.softmax(scores, dim=-1)", "scores.softmax(-1)")
    assert "as it was" in tried("repaired_attention", broken, tmp_path, capsys)[1]
    assert tried("repaired_attention", repaired, tmp_path, capsys)[0] == 0
    assert "more than one statement" in tried("repaired_attention", rewritten, tmp_path, capsys)[1]
