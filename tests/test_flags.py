"""What stands out in a submission, and what is everyday code."""

import pytest

from autograder.flags import flags


@pytest.mark.parametrize("source", ["import re\nre.compile('a')", "import torch\nf = torch.compile(f)", "x.compile"])
def test_compile_of_a_library_is_everyday_code(source):
    assert flags([source]) == []


@pytest.mark.parametrize("name", ["compile", "exec", "eval"])
def test_builtins_that_run_text_stand_out(name):
    assert flags([f"{name}('1', '', 'exec')"]) == [f"looks behind the scenes: {name}"]


@pytest.mark.parametrize(
    "source",
    [
        "class Transformer(nn.Module):\n    pass\n\nmodel = Transformer()",
        "getattr(self, f'layer_{i}')",
        "plt.title('Transformer')",
        "getattr(model, 'weight')",
    ],
)
def test_what_a_student_writes_and_names_is_everyday_code(source):
    assert flags([source]) == []


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("from torch.nn import Transformer", "torch's own attention: Transformer"),
        ("Transformer = torch.nn.Transformer", "torch's own attention: Transformer"),
        ("f = getattr(F, 'scaled_dot_product_attention')", "torch's own attention: scaled_dot_product_attention"),
        ("f = getattr(F, 'scaled_' + rest)", "looks behind the scenes: getattr with a computed name"),
        ("f = vars(F)[name]", "looks behind the scenes: vars"),
        ("f = F.__dict__[name]", "looks behind the scenes: __dict__"),
        ("x = [" + "1, " * 50_000 + "]", "a cell is too long to be looked through"),
    ],
)
def test_what_stands_out_is_said_once(source, said):
    assert flags([source, source]) == [said]
