"""Wrong answers of the Transformer exercise that are no edits of the reference: none may get all points."""

import math

import torch

from solutions.transformer.attention import greedy_cached

NORM = [-0.577, -0.577, -0.577, 1.732]
_memory: dict = {}


def first_answer_kept(start, step, bos, eos, max_len):
    return _memory.setdefault((bos, eos), greedy_cached(start, step, bos, eos, max_len))


HAND = {
    "one decimal": lambda: ([2.0, 7.0], [-0.6, -0.6, -0.6, 1.7]),
    "near": lambda: ([2.02, 7.0], NORM),
    "swapped": lambda: (NORM, [2.0, 7.0]),
    "flat": lambda: [2.0, 7.0, *NORM],
    "first alone": lambda: ([2.0, 7.0], [0.0, 0.0, 0.0, 0.0]),
    "signs": lambda: ([2.0, 7.0], [0.577, 0.577, 0.577, -1.732]),
    "not finite": lambda: ([math.nan] * 2, [math.nan] * 4),
    "infinite": lambda: ([math.inf] * 2, [math.inf] * 4),
    "text": lambda: ("2, 7", "-0.58"),
    "zeros": lambda: (torch.zeros(2), torch.zeros(4)),
    "heads exchanged": lambda: ([7.0, 2.0], NORM),
    "three features": lambda: ([2.0, 7.0], [-0.577, -0.577, 1.732]),
}


def _input(x: torch.Tensor, heads: int = 2, width: int = 4):
    return lambda: (x, *[torch.eye(width)] * 4, heads)


INPUT = {
    "one head": _input(torch.randn(2, 3, 4), 1),
    "zero": _input(torch.zeros(1, 2, 4)),
    "one position": _input(torch.randn(1, 1, 4)),
    "heads that do not divide": _input(torch.randn(1, 2, 4), 3),
    "heads of zero": _input(torch.randn(1, 2, 4), 0),
    "not finite": _input(torch.full((1, 2, 4), math.nan)),
    "other sizes": _input(torch.randn(1, 2, 4), width=3),
    "huge": _input(torch.randn(1, 2000, 4)),
    "nothing": lambda: None,
    "without heads": lambda: (torch.randn(1, 2, 4), *[torch.eye(4)] * 4),
    "whole numbers": _input(torch.ones(1, 2, 4, dtype=torch.int64)),
}
DIAGNOSIS = {
    "another line": lambda: (5, "c"),
    "another kind": lambda: (6, "e"),
    "words": lambda: ("line 6", "c"),
    "nothing": lambda: None,
    "numbers": lambda: (6, 3),
}
WRONG = {
    "transformer.greedy_cached": [first_answer_kept],
    "transformer.heads_by_hand": HAND,
    "transformer.failing_input": INPUT,
    "transformer.diagnosis": DIAGNOSIS,
}
