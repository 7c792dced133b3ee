"""What stands out in a submission, and what is everyday code."""

import pytest

from autograder.submissions.static_analysis import BEHIND, flags


def test_what_stands_out_is_said_once() -> None:
    source = "from torch.nn import Transformer"
    assert flags([source, source]) == ["torch's own attention: Transformer"]
    assert flags(["x = [" + "1, " * 50_000 + "]"]) == ["a cell is too long to be looked through"]


SHORTCUTS = {
    "return torch.func.vjp(f, x)": ("penalty_backward", "gradients by torch: torch.func.vjp"),
    "from torch.func import vjp as v\n    return v(f, x)": ("penalty_backward", "gradients by torch: torch.func.vjp"),
    "with torch.enable_grad():\n        f(x).backward()": ("penalty_backward", "gradients by torch: backward"),
    "x = x.requires_grad_()": ("penalty_backward", "gradients by torch: requires_grad_"),
    "return torch.gru_cell(x, h, W, R)": ("gru_step", "torch's own GRU: torch.gru_cell"),
    "return torch.nn.GRUCell(3, 4)(x, h)": ("gru_step", "torch's own GRU: torch.nn.GRUCell"),
}


@pytest.mark.parametrize("body", SHORTCUTS)
def test_what_torch_does_of_the_task_stands_out_where_it_is_the_task_and_nowhere_else(body):
    task, expected = SHORTCUTS[body]
    of = {name: flags([f"import torch\ndef {name}(g, x):\n    {body}"]) for name in (task, "train")}
    assert expected in of[task]
    assert of["train"] == []


STARS = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\nimport numpy as np\n"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("compile('1', '', 'exec')", f"{BEHIND}compile"),
        ("f = getattr(F, 'scaled_dot_product_attention')", "torch's own attention: scaled_dot_product_attention"),
        ("f = getattr(F, 'scaled_' + rest)", f"{BEHIND}getattr with a computed name"),
        ("f = vars(F)[name]", f"{BEHIND}vars"),
        ("f = F.__dict__[name]", f"{BEHIND}__dict__"),
        ("torch._masked_softmax(x, m)", "torch's own masked softmax: torch._masked_softmax"),
        ("from autograder.inside import x", f"{BEHIND}autograder.inside.x"),
        ("from torch.nn import MultiheadAttention as M", "torch's own attention: MultiheadAttention"),
        (
            "torch.ops.aten._scaled_dot_product_attention_math(q, k, v)",
            "torch's own attention: _scaled_dot_product_attention_math",
        ),
        ("aten = torch.ops.aten\naten._flash_attention_forward", f"{BEHIND}torch.ops"),
        ("nn.TransformerDecoderLayer(8, 2)", "torch's own attention: TransformerDecoderLayer"),
        ("from torch.nn.attention.flex_attention import flex_attention as f", "torch's own attention: flex_attention"),
        ("import torch.nn.attention as a\na.varlen", "torch's own attention: torch.nn.attention"),
        ("s = getattr(torch, '_masked_softmax')", "torch's own masked softmax: _masked_softmax"),
        ("from torch.masked import softmax as s", "torch's own masked softmax: torch.masked.softmax"),
        ("import torch.masked as tm\ntm.softmax(x, 1)", "torch's own masked softmax: torch.masked.softmax"),
        ("import sys\nsys.modules['autograder.kit.calls.call'].call = f", f"{BEHIND}sys.modules"),
        ("import importlib\nimportlib.import_module('lab.text.tokenizers').f = g", f"{BEHIND}import_module"),
        ("import inspect\ninspect.currentframe()", f"{BEHIND}currentframe"),
        ("import sys\nsys._getframe(1)", f"{BEHIND}_getframe"),
        ("x.f_back.f_globals", f"{BEHIND}f_globals"),
        ("import gc\ngc.get_referrers(x)", f"{BEHIND}gc"),
        ("import ctypes as c", f"{BEHIND}ctypes"),
        ("__builtins__", f"{BEHIND}__builtins__"),
        ("!cat /proc/1/environ", f"{BEHIND}/proc"),
        ("from unittest.mock import patch", f"{BEHIND}unittest.mock"),
    ],
)
def test_what_a_library_does_and_what_is_behind_the_scenes_stands_out_under_any_name(source, expected):
    assert any(expected in flag for flag in flags([STARS, source]))


@pytest.mark.parametrize(
    "source",
    [
        "import re\nre.compile('a')\nf = torch.compile(f)\nx.compile",
        "class Transformer(nn.Module):\n    pass\n\nmodel = Transformer()\nplt.title('Transformer')",
        "getattr(self, f'layer_{i}')\ngetattr(model, 'weight')",
        "torch.stack([a, b])\nnp.stack([a, b])\nstack = torch.stack",
        "weights = x.masked_fill(~mask, -1e9).softmax(-1)\nF.softmax(x, -1)\ntorch.softmax(x, -1)",
        "def masked_softmax(scores, mask):\n    return scores\n\nmasked_softmax(x, m)",
        "def scaled_dot_product(q, k, v):\n    return q\n\nscaled_dot_product(1, 2, 3)",
        "class Thing:\n    pass\n\nthing = Thing()\nthing.call = 3\nsetattr(thing, 'call', 3)",
        "class Own(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.call = 1",
        "torch.backends.cudnn.deterministic = True\ntorch.manual_seed(1)\nnp.random.seed(1)",
        "layer = nn.Linear(2, 2)\nlayer.weight.data = torch.eye(2)\nlayer.weight.requires_grad = False",
        "from autograder.kit import check\ncheck('bahdanau.masked_softmax', globals())",
        "from autograder.kit.known.table_models import GreedyStep\nGreedyStep(a, b)",
        "import sys\nsys.path.insert(0, 'kit')\nsys.stdout = out",
        "import inspect\ninspect.signature(f)",
        "from lab.attention import heat\nplot = heat",
        "text = 'the process/product of a/proc and more'",
        "%timeit f(x)\n!pip list",
        "names = ['q', 'k']\nw = {n: torch.eye(2) for n in names}\nw['q'] = 0\nx.T[0] = 1",
    ],
)
def test_everyday_code_with_such_words_in_it_does_not_stand_out(source):
    assert flags([STARS, source]) == []
