"""The published model by the taught functions beside llama.cpp and transformers: python -m benchmarks.published.

Needs `make model`, and for the comparison what is in no requirements: `pip install llama-cpp-python`, which compiles
llama.cpp, and `pip install transformers accelerate`. Pieces a second on one thread, and with transformers scores of the
next piece on ten texts.
"""

from __future__ import annotations

import importlib.util
import statistics
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from benchmarks.measured import in_turn, repeats_asked
from lab.kinds.language import most_probable
from lab.published.gguf_file import find
from solutions.language_model import published

TEXTS = [
    "The mayor hit me with a pie.",
    published.TEXT,
    "Once upon a time, in a small village by the sea, there lived",
    "def softmax(x):\n    e = np.exp(x - x.max())\n    return e / e.sum()",
    "In 2017, eight authors wrote: Attention is all you need.",
    "Le maire m'a entarté.",
    "1, 1, 2, 3, 5, 8, 13, 21, 34, 55",
    "To be, or not to be, that is the question:\nWhether 'tis nobler in the mind to suffer",
    "日本語の文章です。",
    "The animal did not cross the street because it was too tired.",
]
WRITTEN = 60  # pieces


def theirs() -> Any:
    """Return the same file as transformers reads it, None where that is not installed."""
    if importlib.util.find_spec("transformers") is None:
        return None
    from transformers import AutoModelForCausalLM  # pyright: ignore[reportMissingImports]

    file = find()
    return AutoModelForCausalLM.from_pretrained(str(file.parent), gguf_file=file.name, dtype=torch.float32).eval()


def by_llama_cpp(numbers: list[int]) -> Callable[[], object] | None:
    """Return a function that goes on from these pieces with llama.cpp, None where that is not installed."""
    if importlib.util.find_spec("llama_cpp") is None:
        return None
    from llama_cpp import Llama  # pyright: ignore[reportMissingImports]

    model = Llama(str(find()), n_ctx=1024, n_threads=1, n_threads_batch=1, verbose=False)

    def write() -> None:
        model.reset()
        model.eval(numbers)
        for _ in range(WRITTEN):
            model.eval([model.sample(temp=0.0)])

    return write


def perplexity(scores: Tensor, numbers: Tensor) -> float:
    return functional.cross_entropy(scores[0, :-1], numbers[0, 1:]).exp().item()


@torch.no_grad()
def compare(ours: published.Published, other: Any) -> None:
    """Print the largest difference of two scores, and both perplexities, text by text."""
    print("largest difference   largest score   perplexity: transformers, taught functions")
    for text in TEXTS:
        numbers = torch.tensor([ours.pieces.encode(text)])
        expected, got = other(numbers).logits, ours.model(numbers)
        both = f"{perplexity(expected, numbers):.4f}   {perplexity(got, numbers):.4f}"
        print(f"{(expected - got).abs().max():18.5f}   {expected.abs().max():13.1f}   {both}   {text[:40]!r}")


def rates(repeats: int, ours: published.Published, other: Any = None) -> dict[str, float]:
    """Return the pieces that each writes in a second of one processor's time."""
    beginning = ours.pieces.encode(TEXTS[2])
    calls: dict[str, Callable[[], object]] = {
        "taught functions": lambda: list(ours.continued(beginning, WRITTEN, most_probable))
    }
    if llama_cpp := by_llama_cpp(beginning):
        calls["llama.cpp"] = llama_cpp
    if other is not None:
        about = {"max_new_tokens": WRITTEN, "min_new_tokens": WRITTEN, "do_sample": False}
        calls["transformers"] = lambda: other.generate(torch.tensor([beginning]), **about)
    return {name: 1000 * WRITTEN / statistics.median(times) for name, times in in_turn(calls, repeats).items()}


def main() -> None:
    """Compare scores and speed with transformers', where it is installed."""
    repeats = repeats_asked("published", main.__doc__, 3)
    torch.set_num_threads(1)
    ours, other = published.load(), theirs()
    print("pieces a second of one processor's time:")
    for name, rate in rates(repeats, ours, other).items():
        print(f"  {name:20} {rate:.1f}")
    if other is None:
        print("transformers is not installed: nothing to compare with")
    else:
        compare(ours, other)


if __name__ == "__main__":
    main()
