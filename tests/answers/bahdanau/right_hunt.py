"""Right answers of the bug hunt; what a repair may look like is compared as syntax, in tests/autograder/judge."""

import torch


def input_random():
    torch.manual_seed(0)
    sizes = (3, 2), (3, 5, 4), (3, 5, 6), (7, 2), (7, 4), (7,)
    return *(torch.randn(size) for size in sizes), torch.arange(5) < torch.tensor([5, 2, 3])[:, None]


def input_list():
    return [torch.zeros(1, 1), torch.zeros(1, 2, 1), torch.ones(1, 2, 1), *[torch.ones(1, 1)] * 2, torch.ones(1), None]


def diagnosis_capital():
    return [7, "A"]


RIGHT = {"bahdanau.failing_input": "input_", "bahdanau.diagnosis": "diagnosis_"}
