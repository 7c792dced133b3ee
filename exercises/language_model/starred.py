"""The starred tasks, a step of latent attention from the cache alone and a drafted token: cases and checks."""

from collections.abc import Sequence

import numpy as np
import torch

from autograder.checks import FAR, LARGE, LOW, MASKED, PADDING, REPEAT, SHAPE, UNCHANGED, CaseInput, Check, Points
from autograder.checks.random_inputs import Rng, far_below, normal, softmax
from exercises.language_model.layers import AXES, FIRST, PAST, USUAL, left_padding
from solutions.language_model.attention import accept, latent_step, rope

ONE, MEMORY = "one head, or one text", "no keys and values of the heads"  # groups of cases
MOST = 16 << 20  # bytes: a right step takes 2 MB, the keys of one head alone 32
AGREE, NEVER = "draft and target agree", "a token that the draft never draws"


def latent_params(rng: Rng, d: int, heads: int, width: int, latent: int, turned: int) -> dict[str, np.ndarray]:
    """Return the matrices of latent attention, whose heads together may be wider than the model."""
    from_x = {"W_q": heads * width, "W_qr": heads * turned, "W_kr": turned}
    params = {name: normal(rng, rows, d, scale=1.5 * d**-0.5) for name, rows in from_x.items()}
    up = {name: normal(rng, heads * width, latent, scale=1.5 * latent**-0.5) for name in ("W_uk", "W_uv")}
    down = {"W_down": normal(rng, latent, d, scale=d**-0.5)}
    return params | down | up | {"W_o": normal(rng, d, heads * width, scale=(heads * width) ** -0.5)}


def latent(
    rng: Rng, sizes: Sequence[int], name: str, group: str, mask: np.ndarray | None = None, gradients: bool = False
) -> CaseInput:
    """Return a step for sizes B, d, heads, head_dim, latent, turned, past; no x has made what is in the caches."""
    B, d, heads, width, narrow, turned, past = sizes
    kept, keys = normal(rng, B, past, narrow), normal(rng, B, past, turned)
    params = latent_params(rng, d, heads, width, narrow, turned)
    if group == FAR:
        keys, params["W_uk"] = 60 * keys, 60 * params["W_uk"]
    features = [PADDING] * (mask is not None) + [LARGE] * (group == FAR)
    return CaseInput(name, [normal(rng, B, d), kept, keys, params, mask], group, features, gradients)


def latent_below_fills(rng: Rng, sizes: Sequence[int], mask: np.ndarray) -> CaseInput:
    """Return a step with scores as `far_below` has them; that of the newest key is the lowest.

    They are those of the turned part, for which all heads ask alike; what the latent vectors add is small beside them.
    """
    _, _, heads, width, _, turned, past = sizes
    drawn = latent(rng, sizes, LOW, MASKED, mask)
    x, _, _, params, _ = drawn.arguments
    one = params["W_qr"][:turned]
    queries = x @ one.T
    length = np.sqrt((queries**2).sum(axis=-1, keepdims=True))
    divisor = (width + turned) ** 0.5
    params["W_qr"], params["W_kr"] = np.tile(one, (heads, 1)), -300_000 * divisor / length.min() ** 2 * one
    direction = rope(torch.tensor((queries / length)[:, None]), torch.tensor([past])).numpy()
    drawn.arguments[2] = direction * (far_below(mask)[:, :past, None] * divisor / length[..., None])
    drawn.group, drawn.features = FAR, [PADDING, LARGE]
    return drawn


def long_past(rng: Rng) -> CaseInput:
    """Return a step in which the keys of the heads would take 64 MB, their scores 128 kB; short numbers."""
    drawn = latent(rng, (1, 2, 2, 512, 1, 2, 16_384), "16,384 positions, two heads of 512 features", MEMORY)
    x, kept, turned, params, _ = drawn.arguments
    short = {name: np.round(each, 1) for name, each in params.items()}
    drawn.arguments = [x, np.round(kept, 1), np.round(turned, 1), short, None]
    drawn.peak = MOST
    return drawn


def latent_cases(rng: Rng) -> list[CaseInput]:
    """Draw steps: caches with positions and empty ones, narrow and wide latents, padding on the left, a long past."""
    left = "padding on the left"
    return [
        latent(rng, (3, 9, 2, 5, 4, 6, 7), "all sizes different", PAST, gradients=True),
        latent(rng, (2, 7, 4, 3, 5, 8, 6), "more turned features than others", PAST, gradients=True),
        latent(rng, (4, 4, 4, 4, 4, 4, 4), "equal sizes", PAST),
        latent(rng, (2, 12, 3, 4, 6, 2, 5), "heads as wide as the model", PAST),
        latent(rng, (2, 6, 3, 5, 1, 2, 4), "a latent of one number", PAST),
        latent(rng, (3, 5, 2, 4, 9, 2, 1), "one position in the cache, a wide latent", PAST),
        latent(rng, (3, 8, 2, 6, 4, 2, 0), "an empty cache", FIRST),
        latent(rng, (1, 8, 2, 6, 3, 4, 30), "one text, thirty positions", ONE),
        latent(rng, (3, 5, 1, 4, 3, 2, 6), "one head", ONE),
        latent(rng, (4, 6, 2, 5, 3, 4, 5), "padding on the left", MASKED, left_padding(rng, 4, 6, 2), True),
        latent(rng, (6, 8, 2, 4, 3, 2, 5), f"as many texts as positions, {left}", MASKED, left_padding(rng, 6, 6)),
        latent(rng, (2, 7, 2, 3, 4, 6, 7), f"as many texts as heads, {left}", MASKED, left_padding(rng, 2, 8)),
        latent(rng, (3, 8, 2, 6, 4, 2, 5), "scores far from 0", FAR),
        latent_below_fills(rng, (3, 8, 2, 6, 4, 2, 5), left_padding(rng, 3, 6, 3)),
        long_past(rng),
    ]


def drafted(rng: Rng, shape: Sequence[int], spread: float = 1.5) -> list[np.ndarray]:
    """Return draft and target (shape), and a token of each row to which they give clearly different probabilities.

    Of three rows or more some tokens are kept for sure, and some are not.
    """
    while True:
        draft, target = (softmax(normal(rng, *shape, scale=spread)).astype(np.float32) for _ in range(2))
        apart = np.abs(target - draft) > 0.02
        token = np.where(apart, rng.random(shape), -1).argmax(axis=-1)
        q, p = (np.take_along_axis(each, token[..., None], axis=-1)[..., 0] for each in (draft, target))
        if apart.any(axis=-1).all() and (q.size < 3 or 0.2 < (p > q).mean() < 0.8):
            return [draft, target, token]


def agreeing(rng: Rng, shape: Sequence[int], every: int = 1) -> list[np.ndarray]:
    """Return the same where draft and target of each `every`-th row are equal."""
    draft, target, token = drafted(rng, shape)
    target[::every] = draft[::every]
    return [draft, target, token]


def never_drawn(rng: Rng, rows: int, words: int, neither: bool = False) -> list[np.ndarray]:
    """Return the same where the draft gives its token nothing in half of the rows; `neither`: nor does the target."""
    draft, target, token = drafted(rng, (rows, words))
    some = np.arange(0, rows, 2)
    for given in [draft, target] if neither else [draft]:
        given[some, token[some]] = 0
        given /= given.sum(axis=-1, keepdims=True)
    return [draft, target, token]


def top_k(rng: Rng, rows: int, words: int, k: int) -> list[np.ndarray]:
    """Return the same where each keeps its k most probable words alone, and the draft draws one of its own."""
    while True:
        draft, target, token = drafted(rng, (rows, words))
        for given in (draft, target):
            given[given < np.sort(given, axis=-1)[:, -k, None]] = 0
            given /= given.sum(axis=-1, keepdims=True)
        token[:] = [rng.choice(np.flatnonzero(row)) for row in draft]
        at = np.arange(rows), token
        if (target[at] == 0).any() and (target[at] > 0).any() and (np.abs(target[at] - draft[at]) > 0.02).all():
            return [draft, target, token]


def near(rng: Rng, rows: int, words: int) -> list[np.ndarray]:
    """Return draft and target whose words all differ by less than 1e-4, and the token that is refused most often."""
    draft, target = (softmax(normal(rng, rows, words, scale=0.005)).astype(np.float32) for _ in range(2))
    return [draft, target, (target / draft).argmin(axis=-1)]


def accept_cases(rng: Rng) -> list[CaseInput]:
    """Draw rows of one axis to three; rows in which both agree; words that one of the two never draws."""
    sharp = 6.0  # probabilities near 0 and 1
    drawn = [
        ("all sizes different", USUAL, drafted(rng, (5, 7))),
        ("two words", USUAL, drafted(rng, (6, 2))),
        ("equal sizes", USUAL, drafted(rng, (6, 6))),
        ("probabilities near 0 and 1", USUAL, drafted(rng, (8, 9), sharp)),
        ("a large vocabulary", USUAL, drafted(rng, (4, 60), sharp)),
        ("many rows, draft and target near each other", USUAL, drafted(rng, (60, 5), 0.4)),
        ("300 words, of which none differs much", USUAL, near(rng, 2, 300)),
        ("words that one of the two leaves out", USUAL, top_k(rng, 7, 9, 4)),
        ("one position", AXES, drafted(rng, (1, 6))),
        ("one text of five positions", AXES, drafted(rng, (1, 5, 6))),
        ("three axes", AXES, drafted(rng, (2, 3, 5))),
        ("three axes, equal sizes", AXES, drafted(rng, (4, 4, 4))),
        ("all rows agree", AGREE, agreeing(rng, (3, 6))),
        ("every second row agrees", AGREE, agreeing(rng, (5, 7), 2)),
        ("three axes, every second text agrees", AGREE, agreeing(rng, (3, 2, 6), 2)),
        ("q is 0", NEVER, never_drawn(rng, 5, 6)),
        ("q and p are 0", NEVER, never_drawn(rng, 6, 7, neither=True)),
    ]
    return [CaseInput(name, arguments, group) for name, group, arguments in drawn]


LATENT = Check(
    latent_step,
    ("out", "latent", "turned"),
    latent_cases,
    points={
        "out": Points(4, PAST, part="out"),
        "the cache": Points(1, PAST, part="latent"),
        "the cache of turned keys": Points(1, PAST, part="turned"),
        FIRST: 1,
        MASKED: 2,
        ONE: 1,
        FAR: 1,
        MEMORY: 3,
    },
    shape="the shapes of the three",
    may_call=("rope",),
    stars=1,
)

ACCEPT = Check(
    accept,
    ("keep", "rest"),
    accept_cases,
    points={
        "the probability of keeping": Points(2, USUAL, part="keep"),
        "what to draw from instead": Points(3, USUAL, part="rest"),
        AXES: 1,
        AGREE: 2,
        NEVER: 1,
    },
    also=(SHAPE, UNCHANGED, REPEAT),
    exact=("rest",),
    stars=1,
)
