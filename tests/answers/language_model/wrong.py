"""Wrong answers of the language model's exercise that are no edits of the reference: none may get all points."""

import math

import torch

MEANS, TURNED = [6.0, 4.0, 3.0, 4.0], [1.62, 0.80, 2.52, 2.09]
HAND = {
    "one decimal": lambda: (MEANS, [1.6, 0.8, 2.5, 2.1]),
    "near": lambda: ([6.06, 4.0, 3.0, 4.0], TURNED),
    "swapped": lambda: (TURNED, MEANS),
    "flat": lambda: [*MEANS, *TURNED],
    "sums": lambda: ([6.0, 8.0, 9.0, 16.0], TURNED),
    "degrees": lambda: (MEANS, [3.0, 1.0, 0.05, 2.0]),
    "pairs side by side": lambda: (MEANS, [1.62, 2.52, 0.80, 2.09]),
    "three means": lambda: (MEANS[:3], TURNED),
    "text": lambda: ("6, 4", "1.62"),
    "not finite": lambda: ([math.nan] * 4, [math.nan] * 4),
    "zeros": lambda: (torch.zeros(4), torch.zeros(4)),
    "nothing": lambda: None,
}


def _input(new: int = 2, past: int = 3, change=lambda each: each):
    def given():
        made = [torch.arange(2.0 * n).view(1, 1, n, 2).cos() for n in (new, new, new, past, past)]
        return tuple(map(change, made))

    return given


INPUT = {
    "nothing in the cache": _input(past=0),
    "too many heads": lambda: (*_input()()[:3], *(torch.zeros(1, 2, 3, 2) for _ in range(2))),
    "three axes": _input(change=lambda each: each[0]),
    "not finite": _input(change=lambda each: each * math.nan),
    "whole numbers": _input(change=lambda each: each.long()),
    "without the past": lambda: _input()()[:3],
    "huge": _input(past=4000),
    "two lengths": lambda: (*_input()()[:4], torch.zeros(1, 1, 4, 2)),
    "nothing": lambda: None,
}
DIAGNOSIS = {
    "another line": lambda: (6, "b"),
    "another kind": lambda: (5, "d"),
    "words": lambda: ("line 5", "b"),
    "nothing": lambda: None,
    "numbers": lambda: (5, 2),
}
WRONG = {
    "language_model.mean_and_rotation_by_hand": HAND,
    "language_model.failing_input": INPUT,
    "language_model.diagnosis": DIAGNOSIS,
}
