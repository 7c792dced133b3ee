"""Keep one state: how many pairs can be recalled from it, by its size and by the rule that writes it."""

from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from lab.kinds.fit import fit
from solutions.long_context.attention import delta_step, features

KEYS, VALUES, MOST = 128, 32, 48  # tokens of each kind; pairs in a text, at most
COUNTS = (2, 4, 8, 16, 24, 32, 48)
WIDTH, ROWS, STEPS, RATE = 64, 64, 1000, 3e-3
VARIANTS = {
    "softmax 16": ("softmax", 16),
    **{f"linear {width}": ("linear", width) for width in (8, 16, 32)},
    **{f"delta {width}": ("delta", width) for width in (8, 16, 32)},
    "gated 16": ("gated", 16),
    **{f"gru {numbers}": ("gru", numbers) for numbers in (64, 256)},
    "gru 256, at most 2": ("gru", 256),
}
EASIER = {"gru 256, at most 2": 2}  # trained on so few pairs, for LONGER times as many steps
LONGER = 3
VARIES = "variant"
ABOUT = {"keys": KEYS, "values": VALUES, "most": MOST, "width": WIDTH, "rows": ROWS, "rate": RATE}


@dataclass
class Pairs:
    """Texts of pairs: keys and values in their order, and the value that each key has at the end."""

    keys: Int[Tensor, "rows length"]
    values: Int[Tensor, "rows length"]
    asked: Int[Tensor, "rows count"]
    answers: Int[Tensor, "rows count"]


def draw(rows: int, count: int, again: bool, generator: torch.Generator) -> Pairs:
    """Return pairs of `count` different keys; with `again` half of the keys come once more, with another value."""
    keys = torch.rand(rows, KEYS, generator=generator).argsort(dim=1)[:, :count]
    values = torch.randint(VALUES, (rows, count), generator=generator)
    if not again:
        return Pairs(keys, values, keys, values)
    half = count // 2
    new = (values[:, :half] + torch.randint(1, VALUES, (rows, half), generator=generator)) % VALUES
    return Pairs(
        torch.cat([keys, keys[:, :half]], dim=1),
        torch.cat([values, new], dim=1),
        keys,
        torch.cat([new, values[:, half:]], dim=1),
    )


class Recaller(nn.Module):
    """One layer that reads pairs, a position each, and is then asked for the value of each key.

    The rules: softmax attention over all pairs, with ALiBi's bias of one learned slope; a matrix to which pairs are
    added (linear attention), added behind a gate that forgets, or written by the delta rule; the one vector of a GRU.
    """

    def __init__(self, rule: str, width: int) -> None:
        super().__init__()
        self.rule = rule
        self.of_key, self.of_value = nn.Embedding(KEYS, WIDTH), nn.Embedding(VALUES, WIDTH)
        if rule == "gru":
            self.gru = nn.GRU(2 * WIDTH, width, batch_first=True)
            self.join = nn.Linear(width + WIDTH, 2 * WIDTH)
            self.out = nn.Linear(2 * WIDTH, VALUES)
            return
        self.k, self.v = nn.Linear(WIDTH, width, bias=False), nn.Linear(WIDTH, width, bias=False)
        self.gate = nn.Linear(2 * WIDTH, 1)
        self.slope = nn.Parameter(torch.tensor(0.1))
        self.out = nn.Linear(width, VALUES)

    def forward(self, pairs: Pairs) -> Float[Tensor, "rows count values"]:
        """Return the scores of the values for each key that is asked for."""
        keys, values = self.of_key(pairs.keys), self.of_value(pairs.values)
        both, query = torch.cat([keys, values], dim=-1), self.of_key(pairs.asked)
        if self.rule == "gru":
            state = self.gru(both)[0][:, -1:].expand(-1, query.shape[1], -1)
            return self.out(self.join(torch.cat([state, query], dim=-1)).relu())
        q, k, v = self.k(query), self.k(keys), self.v(values)
        return self.out(getattr(self, self.rule)(q, k, v, self.gate(both)[..., 0]))

    def softmax(self, q: Tensor, k: Tensor, v: Tensor, gate: Tensor) -> Tensor:
        age = torch.arange(k.shape[1] - 1, -1, -1)
        return (q @ k.transpose(1, 2) - self.slope * age).softmax(dim=-1) @ v

    def linear(self, q: Tensor, k: Tensor, v: Tensor, gate: Tensor) -> Tensor:
        q, k = features(q), features(k)
        return q @ (k.transpose(1, 2) @ v) / (q @ k.sum(dim=1)[..., None])

    def gated(self, q: Tensor, k: Tensor, v: Tensor, gate: Tensor) -> Tensor:
        log_gate = functional.logsigmoid(gate + 4)  # at first little is forgotten
        left = log_gate.flip(1).cumsum(dim=1).flip(1) - log_gate
        return q @ ((k * left.exp()[..., None]).transpose(1, 2) @ v)

    def delta(self, q: Tensor, k: Tensor, v: Tensor, gate: Tensor) -> Tensor:
        q, k = functional.normalize(q, dim=-1), functional.normalize(k, dim=-1)
        state = q.new_zeros(len(q), k.shape[-1], v.shape[-1])
        for key, value, beta in zip(k.unbind(1), v.unbind(1), torch.sigmoid(gate).unbind(1), strict=True):
            state = delta_step(state, key, value, beta)
        return q @ state


def measured(variant: str, seed: int, steps: int) -> dict[str, Any]:
    """Train a model on texts of 1 to MOST pairs; return the share of values recalled, by the number of pairs.

    Of an EASIER variant the texts have fewer pairs, and the training more steps.
    """
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    model, most = Recaller(*VARIANTS[variant]), EASIER.get(variant, MOST)

    def loss() -> Tensor:
        count = int(torch.randint(1, most + 1, (), generator=generator))
        pairs = draw(ROWS, count, bool(torch.rand((), generator=generator) < 0.5), generator)
        return functional.cross_entropy(model(pairs).flatten(0, 1), pairs.answers.flatten())

    for _ in fit(model, loss, steps * LONGER if variant in EASIER else steps, RATE):
        pass
    test = torch.Generator().manual_seed(0)
    shares: dict[str, Any] = {}
    with torch.no_grad():
        for name, again in (("once", False), ("again", True)):
            drawn = {count: draw(256, count, again, test) for count in COUNTS}
            shares[name] = {
                str(count): (model(pairs).argmax(dim=-1) == pairs.answers).double().mean().item()
                for count, pairs in drawn.items()
            }
    return shares | {"parameters": sum(each.numel() for each in model.parameters())}
