"""Wrong answers of the notebook on long context that are no edits of the reference: none may get all points."""

import math

import torch

FIRST, SECOND, BOTH = [1.0, 1.37, 6.21], [3.0, 1.14, 3.08], [3.0, 1.32, 3.92, 2.97]
HAND = {
    "one decimal": lambda: ([1.0, 1.4, 6.2], [3.0, 1.1, 3.1], [3.0, 1.3, 3.9, 3.0]),
    "near": lambda: (FIRST, SECOND, [3.0, 1.34, 3.92, 2.97]),
    "without the context": lambda: (FIRST, SECOND, BOTH[:3]),
    "two lists": lambda: (FIRST, SECOND),
    "swapped": lambda: (SECOND, FIRST, BOTH),
    "flat": lambda: [*FIRST, *SECOND, *BOTH],
    "sums of both": lambda: (FIRST, SECOND, [4.0, 2.51, 9.29, 3.70]),
    "logsumexp": lambda: ([1.0, 1.31, 6.21], [3.0, 3.13, 3.08], [3.0, 3.28, 3.92, 2.97]),
    "text": lambda: ("1", "3", "3"),
    "not finite": lambda: ([math.nan] * 3, [math.nan] * 3, [math.nan] * 4),
    "zeros": lambda: (torch.zeros(3), torch.zeros(3), torch.zeros(4)),
    "nothing": lambda: None,
}


def _input(window=2, chunk=3, length: int = 6, change=lambda each: each):
    def given():
        made = [torch.arange(2.0 * length).view(1, length, 2).cos() for _ in range(3)]
        return (*map(change, made), window, chunk)

    return given


INPUT = {
    "chunks of one": _input(chunk=1),
    "a window as long as the text": _input(window=6),
    "no window": _input(window=0),
    "no chunk": _input(chunk=0),
    "half a chunk": _input(chunk=1.5),
    "all values the same": lambda: (*(torch.ones(1, 6, 2) for _ in range(3)), 2, 3),
    "two axes": _input(change=lambda each: each[0]),
    "not finite": _input(change=lambda each: each * math.nan),
    "whole numbers": _input(change=lambda each: each.long()),
    "another length": lambda: (*_input()()[:2], torch.zeros(1, 5, 2), 2, 3),
    "without the chunk": lambda: _input()()[:4],
    "huge": _input(length=4000),
    "nothing": lambda: None,
}
DIAGNOSIS = {
    "another line": lambda: (5, "b"),
    "another kind": lambda: (9, "d"),
    "words": lambda: ("line 9", "b"),
    "nothing": lambda: None,
    "numbers": lambda: (9, 2),
}
WRONG = {
    "long_context.merge_by_hand": HAND,
    "long_context.failing_input": INPUT,
    "long_context.diagnosis": DIAGNOSIS,
}
