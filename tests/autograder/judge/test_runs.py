"""Which notebooks are run again: those whose code can draw from chance, whatever their comments are about."""

import pytest

from autograder.judge.runs import LONGEST_READ, may_differ

QUIET = [
    "x = 1  # takes no time, nothing random",
    '"""What happens at this time."""\nx = 1',
    "def f(x):\n    'random inputs'\n    # the seed\n    return x",
    "class A:\n    '''hash'''\n\n    def g(self):\n        # object\n        '''id'''\n        return 2",
    "torch.manual_seed(0)\nx = torch.rand(3)",
    "torch.manual_seed( 1234 )",
    "def step(x):\n\n    # clock\n\n    'sleep'\n    return x + '# not this'.count('#')",
]
CHANCE = [
    "import time",
    "torch.seed()",
    "torch.manual_seed(x)",
    "torch.manual_seed(int(x))",
    "torch.manual_seed(0 + x)",
    "np.random.seed(0)",  # of what Python's and numpy's modules hold, more than this is drawn from the system
    "start = torch.seed",
    "x = '#'; import random",
    "x = '''#'''\nimport time",
    "# a comment\rimport random",
    "x = 1 # a\\\nimport time",
    "def f():\n    '''text'''; import random",
    "!date",
    "%time f()",
    "x = f'{time}'",
    "def f():\n    f'{time}'\n    return 1",
    "'a' if random.random() < 0.5 else 'b'",
    "y = '''\n''' + str(id(x))  # no docstring",
    "exec('1')\n'unterminated",
    "# " + "x" * LONGEST_READ + " time",  # too long to be read word by word
]


@pytest.mark.parametrize("source", QUIET)
def test_comments_and_docstrings_about_chance_are_no_chance(source: str) -> None:
    assert not may_differ([source])


@pytest.mark.parametrize("source", CHANCE)
def test_code_that_draws_from_chance_is_seen_whatever_stands_around_it(source: str) -> None:
    assert may_differ(["x = 1", source])
