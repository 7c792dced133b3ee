"""How the check of a window calls it in a source that begins with zeros, which take no memory."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor


def after_zeros(
    function: Callable,
    h_t: Tensor,
    h_s: Tensor,
    W_a: Tensor,
    p: Tensor,
    lengths: Tensor,
    D: int,
    before: int = 0,
) -> Any:
    """Return a window's outputs in sources that begin with `before` states of zeros; p and lengths count these too.

    The pages of `np.zeros` are allocated at the first write, so a long source costs only what the function touches.
    """
    if before:
        B, S, A = h_s.shape
        whole = np.zeros((B, before + S, A), np.float32)
        whole[:, before:] = h_s.detach().cpu().numpy()
        h_s = torch.from_numpy(whole).to(h_s.device)
    return function(h_t, h_s, W_a, p, lengths, D)
