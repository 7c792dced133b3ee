"""What Luong's scores and windows cost: python -m benchmarks.luong writes solutions/luong/results/costs.json.

What is counted is exact: parameters, and the multiplications of the matrix products, by formula and as PyTorch counts
them. What is timed is one forward and backward pass on this machine, several times, in the processor's time, in which
other programs of the machine do not count.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from benchmarks.measured import counted, in_turn, keep, repeats_asked
from lab.evaluation.result_files import results_folder
from solutions.bahdanau.attention import masked_softmax
from solutions.luong.attention import gaussian, general_score, window, windowed_attention
from solutions.luong.model import SCORES

WIDTH = 256  # of the states of either side, and of concat's hidden layer
ROWS = 100  # of the location score's matrix
SENTENCES, WORDS = 64, 30  # of the batch that the scores are timed on; source and target are equally long
D, NARROW, FEW = 10, 128, 2  # the window; width and sentences of the batch that windows are timed on
LENGTHS = (25, 50, 100, 200, 400, 800, 1600)
SHAPES = {
    "dot": [],
    "general": [(WIDTH, WIDTH)],
    "concat": [(WIDTH, 2 * WIDTH), (WIDTH,)],
    "location": [(ROWS, WIDTH)],
}


def multiplications(score: str) -> int:
    """Return the number of products of two numbers in the scores of a sentence; PyTorch does not count those by v_a."""
    pairs, both = WORDS * WORDS, 2 * WORDS * WIDTH * WIDTH
    return {
        "dot": pairs * WIDTH,
        "general": WORDS * WIDTH * WIDTH + pairs * WIDTH,
        "concat": both + pairs * WIDTH,
        "location": pairs * WIDTH,
    }[score]


def largest(score: str) -> int:
    """Return the number of elements of the largest tensor for the pairs of words of one sentence."""
    return WORDS * WORDS * (WIDTH if score == "concat" else 1)


def masked(h_t: Tensor, h_s: Tensor, W_a: Tensor, p: Tensor, lengths: Tensor) -> Tensor:
    """Return the context of local attention as the models compute it: all scores, those outside the window masked."""
    source = h_s.shape[1]
    align = masked_softmax(general_score(h_t, h_s, W_a), window(p, lengths[:, None].expand_as(p), source, D))
    return (align * gaussian(p, source, D)) @ h_s


def alone(h_t: Tensor, h_s: Tensor, W_a: Tensor, p: Tensor, lengths: Tensor) -> Tensor:
    """Return the same context, computed from the window alone."""
    return windowed_attention(h_t, h_s, W_a, p, lengths, D)


def passes(calls: dict[str, Callable[[], Tensor]], repeats: int) -> dict[str, list[float]]:
    """Return the milliseconds of forward and backward passes."""
    return in_turn({name: lambda call=call: call().sum().backward() for name, call in calls.items()}, repeats)


def leaf(*shape: int) -> Tensor:
    return (0.1 * torch.randn(shape)).requires_grad_()


def scores(repeats: int) -> list[dict[str, Any]]:
    """Return a row for each score: parameters, multiplications, the largest tensor, times."""
    h_t, h_s = leaf(SENTENCES, WORDS, WIDTH), leaf(SENTENCES, WORDS, WIDTH)
    parameters = {name: [leaf(*shape) for shape in shapes] for name, shapes in SHAPES.items()}
    calls = {name: lambda name=name: SCORES[name](h_t, h_s, *parameters[name]) for name in SHAPES}
    times = passes(calls, repeats)
    return [
        {
            "score": name,
            "parameters": sum(each.numel() for each in parameters[name]),
            "multiplications": multiplications(name),
            "counted": counted(calls[name]) // SENTENCES,
            "largest": largest(name),
            "milliseconds": times[name],
        }
        for name in SHAPES
    ]


def windows(repeats: int) -> list[dict[str, Any]]:
    """Return a row for each length: the times of the masked window and of the window alone."""
    rows = []
    for length in LENGTHS:
        h_t, h_s, W_a = leaf(FEW, length, NARROW), leaf(FEW, length, NARROW), leaf(NARROW, NARROW)
        p = (length * torch.rand(FEW, length)).requires_grad_()
        inputs = h_t, h_s, W_a, p, torch.full((FEW,), length)
        calls = {"masked": lambda i=inputs: masked(*i), "alone": lambda i=inputs: alone(*i)}
        times = passes(calls, repeats)
        rows.append(
            {"length": length}
            | {name: {"milliseconds": times[name], "multiplications": counted(calls[name]) // FEW} for name in calls}
        )
        print(f"S = {length}", flush=True)
    return rows


def main(repeats: int) -> Path:
    """Measure the scores and the windows, on one thread, write the figures, and return the file."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    return keep(
        results_folder("luong"),
        "costs.json",
        f"benchmarks.luong --repeats {repeats}",
        sizes={"width": WIDTH, "rows": ROWS, "sentences": SENTENCES, "words": WORDS},
        scores=scores(repeats),
        window_sizes={"D": D, "width": NARROW, "sentences": FEW},
        windows=windows(repeats),
    )


if __name__ == "__main__":
    print(main(repeats_asked("luong", __doc__, 9)))
