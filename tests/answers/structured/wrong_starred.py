"""Wrong answers by hand, in the bug hunt, and of a way back that is not worked out by hand."""

import torch

from solutions.bahdanau.attention import masked_softmax
from solutions.structured.attention import penalization
from tests.answers.not_by_hand import not_by_hand

HAND = {
    "exchanged": lambda: (0.5604, 4.0),
    "nothing": lambda: (0.0, 0.0),
    "one number": lambda: 4.0,
    "nan": lambda: (float("nan"), float("nan")),
    "one decimal": lambda: (4.1, 0.6),
    "words": lambda: ("4.0", "0.56"),
}
INPUT = {
    "one hop": lambda: (torch.randn(2, 3, 4), torch.randn(5, 4), torch.randn(1, 5), None),
    "one word": lambda: (torch.randn(2, 1, 4), torch.randn(5, 4), torch.randn(3, 5), None),
    "equal words and hops": lambda: (torch.ones(1, 2, 1), torch.ones(1, 1), torch.ones(2, 1), None),
    "too large": lambda: (torch.randn(20, 30, 10), torch.randn(5, 10), torch.randn(3, 5), None),
    "not a number": lambda: (torch.full((1, 2, 1), torch.nan), torch.ones(1, 1), torch.ones(2, 1), None),
    "no mask given": lambda: (torch.randn(2, 3, 4), torch.randn(5, 4), torch.randn(3, 5)),
    "empty mask": lambda: (torch.randn(1, 2, 1), torch.ones(1, 1), torch.randn(2, 1), torch.tensor([[False, False]])),
    "sizes that do not fit": lambda: (torch.randn(2, 3, 4), torch.randn(5, 3), torch.randn(3, 5), None),
}
DIAGNOSIS = {
    "another line": lambda: (7, "e"),
    "another kind": lambda: (6, "a"),
    "neither": lambda: (2, "f"),
    "a letter alone": lambda: "e",
}


WRONG = {
    "structured.penalty_by_hand": HAND,
    "structured.failing_input": INPUT,
    "structured.diagnosis": DIAGNOSIS,
    "structured.penalty_backward": not_by_hand(
        lambda e, m: penalization(masked_softmax(e, m if m is None else m[:, None].expand_as(e))), (0,)
    ),
}
