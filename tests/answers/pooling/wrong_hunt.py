"""Wrong answers by hand and in the bug hunt: inputs that show nothing, lines and kinds that are not the bug's."""

import torch

from autograder.checks.pooling import hunt

HAND = {
    "one number": lambda: 0.664,
    "exchanged": lambda: (7.0, 0.664),
    "zeros": lambda: (0.0, 0.0),
    "NaN": lambda: (float("nan"),) * 2,
    "rounded": lambda: (0.7, 7.0),
    "the sum itself": lambda: (0.8, 7.0),
    "three numbers": lambda: (0.664, 8.0, 7.0),
    "text": lambda: ("0.664", "7"),
    "nothing": lambda: None,
}

one, zero = torch.ones(1), torch.zeros(1)
TWO = torch.tensor([[[[1.0]], [[-1.0]]]])


def _two(H=TWO, W_w=None, b_w=one, u_w=one, W_s=None, b_s=zero, u_s=one, mask=None):
    return H, one[None] if W_w is None else W_w, b_w, u_w, one[None] if W_s is None else W_s, b_s, u_s, mask


INPUT = {
    "nothing": lambda: None,
    "equal biases": lambda: _two(b_s=one),
    "no biases": lambda: _two(b_w=zero),
    "one sentence": lambda: _two(H=TWO[:, :1]),
    "two sentences alike": lambda: _two(H=torch.ones(1, 2, 1, 1)),
    "no context vector of sentences": lambda: _two(u_s=zero),
    "no matrix of sentences": lambda: _two(W_s=zero[None]),
    "biases that hardly differ": lambda: _two(b_s=one + 1e-4),
    "an empty sentence": lambda: _two(mask=torch.tensor([[[True], [False]]])),
    "seven arguments": lambda: _two()[:7],
    "with an encoder": lambda: (*_two(), None),
    "three axes": lambda: _two(H=TWO[0]),
    "shapes that do not fit": lambda: _two(W_s=torch.ones(1, 2)),
    "infinite": lambda: _two(b_s=one * torch.inf),
    "too much": lambda: _two(H=torch.randn(1, 65, 64, 1)),
    "no sentence": lambda: _two(H=TWO[:, :0]),
    "a verdict": lambda: torch.tensor(1.0),
}
DIAGNOSIS = {
    "the words' line": lambda: (4, "e"),
    "the line alone": lambda: (8, "a"),
    "the kind alone": lambda: (4, "f"),
    "the line below": lambda: (9, "b"),
    "a line": lambda: 8,
    "text": lambda: ("8", "f"),
    "exchanged": lambda: ("f", 8),
    "a word": lambda: (8, "input"),
}


WRONG = {
    "pooling.pooled_by_hand": HAND,
    "pooling.failing_input": INPUT,
    "pooling.diagnosis": DIAGNOSIS,
    "pooling.repaired_hierarchy": [hunt.broken_hierarchy],
}
