"""The bug hunt of two levels: the bias of the words among the scores of the sentences."""

from dataclasses import replace

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from autograder.checks import FAR, CaseInput, Hunt, Points
from autograder.checks.random_inputs import Rng
from exercises.pooling.levels import HIERARCHY, PADDED, WHOLE, hierarchy_cases
from solutions.pooling.attention import hierarchical_attention


def two_levels(
    H: Float[Tensor, "batch sentences words value_dim"],
    W_w: Float[Tensor, "hidden value_dim"],
    b_w: Float[Tensor, " hidden"],
    u_w: Float[Tensor, " hidden"],
    W_s: Float[Tensor, "hidden value_dim"],
    b_s: Float[Tensor, " hidden"],
    u_s: Float[Tensor, " hidden"],
    mask: Bool[Tensor, "batch sentences words"] | None = None,
) -> tuple[
    Float[Tensor, "batch value_dim"],
    Float[Tensor, "batch sentences words"],
    Float[Tensor, "batch sentences"],
]:
    """Return both levels without an encoder between them: the right result of `broken_hierarchy`."""
    return hierarchical_attention(H, W_w, b_w, u_w, W_s, b_s, u_s, mask)


def failing_input():
    """Return arguments on which `broken_hierarchy` is wrong: H, W_w, b_w, u_w, W_s, b_s, u_s, mask."""
    one = torch.ones(1)
    # Two sentences of one word, 1 and -1. Without a bias they score tanh(1) and -tanh(1), with b_s tanh(2) and 0.
    H = torch.tensor([[[[1.0]], [[-1.0]]]])
    return H, one[None], 0 * one, one, one[None], one, one, None


def diagnosis():
    """Return the number of the line that is wrong, and the letter of its kind."""
    return 8, "f"


def repaired_hierarchy(H, W_w, b_w, u_w, W_s, b_s, u_s, mask=None):
    """Return the right result: this is `broken_hierarchy` with one statement changed."""
    if mask is None:
        mask = torch.ones(H.shape[:3], dtype=torch.bool)
    scores = torch.tanh(H @ W_w.T + b_w) @ u_w
    words = scores.masked_fill(~mask, -1e9).softmax(dim=-1) * mask
    s = torch.einsum("bnt,bntd->bnd", words, H)
    filled = mask.any(dim=-1)
    scores = torch.tanh(s @ W_s.T + b_s) @ u_s
    sentences = scores.masked_fill(~filled, -1e9).softmax(dim=-1) * filled
    document = torch.einsum("bn,bnd->bd", sentences, s)
    return document, words, sentences


def two_level_cases(rng: Rng) -> list[CaseInput]:
    """Draw the documents of the check of both levels, without the encoder between them."""
    return [replace(each, arguments=each.arguments[:-1]) for each in hierarchy_cases(rng)]


HUNT = Hunt(
    replace(HIERARCHY, reference=two_levels, cases=two_level_cases),
    repaired_hierarchy,
    failing_input,
    diagnosis,
    bug="W_s.T + b_s => W_s.T + b_w",
    points={
        "documents without padded sentences": Points(3, (WHOLE, "padded sentences")),
        "documents with padded sentences": Points(2, (PADDED, "an empty document")),
        FAR: 1,
    },
    own="hierarchical_attention",
)
