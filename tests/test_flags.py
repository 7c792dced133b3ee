"""What stands out in a submission, and what is everyday code."""

import pytest

from autograder.flags import flags


@pytest.mark.parametrize("source", ["import re\nre.compile('a')", "import torch\nf = torch.compile(f)", "x.compile"])
def test_compile_of_a_library_is_everyday_code(source):
    assert flags([source]) == []


@pytest.mark.parametrize("name", ["compile", "exec", "eval"])
def test_builtins_that_run_text_stand_out(name):
    assert flags([f"{name}('1', '', 'exec')"]) == [f"looks behind the scenes: {name}"]
