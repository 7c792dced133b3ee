"""Which notebooks are run a second time: those that import more than the usual, or draw by themselves."""

import pytest

from autograder.judge.runs import CHANCE


@pytest.mark.parametrize(
    "source",
    [
        "x = 1  # takes no time",
        "import torch\nfrom torch import nn, optim\nimport torch.nn.functional as F\nimport numpy as np",
        "from lab.plots import heatmap\nx = torch.randn(3)",
        "class A(nn.Module):\n    def __init__(self):\n        super().__init__()",
    ],
)
def test_what_only_calculates_is_run_once(source: str) -> None:
    assert not CHANCE.search(source)


@pytest.mark.parametrize(
    "source",
    ["import time", "import torch, time", "x = 1; from os import urandom", "np.random.rand()", "torch.seed()", "id(x)",
     "rng = np.random.default_rng()", "torch.empty(3)", "!date", "%time f()", "open('x').read()", "exec('1')"],
)  # fmt: skip
def test_what_may_draw_is_run_again(source: str) -> None:
    assert CHANCE.search(f"x = 1\n{source}")
