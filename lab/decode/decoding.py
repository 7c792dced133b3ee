"""Decoding in batches with cached states, for any model that can `encode` and `step`.

Proven token-identical to the taught `greedy_decode` and `beam_search` of solutions.encoder_decoder.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import torch
from jaxtyping import Float, Int, Shaped
from torch import Tensor, nn
from torch.nn import functional

from lab.text.batches import Batch, Mask, Real, Source, Target, pad, source_batch
from lab.text.tokenizers import BOS, EOS, PAD
from lab.train.transfer import real_positions

Memory = dict[str, Tensor]
State = dict[str, Tensor]
Tick = Callable[[], object]  # called before each word that is generated; it ends the decoding by raising an exception


class Translator(nn.Module):
    """A model that decoding can use. Memory stays the same from word to word, state changes; batch on axis 0."""

    readout: nn.Module  # from features to the scores of words
    attends: ClassVar[bool] = True  # whether decoding has attention weights to show

    def encode(self, source: Tensor, mask: Tensor) -> tuple[Memory, State]:
        """Return the decoder's memory of the source, and its first state."""
        raise NotImplementedError

    def decode(self, inputs: Tensor, memory: Memory, state: State) -> tuple[Tensor, State, Tensor | None]:
        """Return the readout's input at each step, the state after the last one, and the attention weights, if any."""
        raise NotImplementedError

    def forward(self, source: Source, mask: Mask, inputs: Target, real: Real) -> Float[Tensor, "real vocabulary"]:
        """Return the scores of the next word at the real target positions, or at all of them (None), row after row."""
        memory, state = self.encode(source, mask)
        features, _, _ = self.decode(inputs, memory, state)
        return self.readout(at(real, features))

    def loss(self, batch: Batch, real: Real, smoothing: float) -> Float[Tensor, ""]:
        """Return the cross-entropy at the real target positions, with label smoothing."""
        scores = self(batch.source, batch.mask, batch.inputs, real)
        return functional.cross_entropy(scores, at(real, batch.targets), ignore_index=PAD, label_smoothing=smoothing)

    def step(
        self, tokens: Int[Tensor, " batch"], memory: Memory, state: State
    ) -> tuple[Float[Tensor, "batch vocabulary"], State, Float[Tensor, "batch source"] | None]:
        """Return the scores of the next word, the new state, and the attention weights if there are any."""
        features, state, weights = self.decode(tokens[:, None], memory, state)
        return self.readout(features[:, 0]), state, None if weights is None else weights[:, 0]


def at(real: Real, features: Shaped[Tensor, "batch target *width"]) -> Shaped[Tensor, " real *width"]:
    """Return the features at the real positions, row after row (as features[real], with a faster way back).

    None keeps all positions: their number is known without the words.
    """
    flat = features.flatten(0, 1)
    return flat if real is None else flat.index_select(0, real_positions(real))


@dataclass(frozen=True)
class Output:
    """A translation: token numbers without <s> and </s>, and the attention weights of each one, if there are any."""

    tokens: list[int]
    weights: Float[Tensor, "target source"] | None = None


def rows(tensors: dict[str, Tensor], index: Tensor) -> dict[str, Tensor]:
    return {name: tensor[index] for name, tensor in tensors.items()}


def length_limit(source: Source) -> int:
    """Return the number of tokens that a translation may have: 1.5 times the batch's longest source, and ten."""
    return int(1.5 * source.shape[1]) + 10


@torch.no_grad()
def greedy(
    model: Translator, source: Source, mask: Mask, max_len: int | None = None, tick: Tick = lambda: None
) -> list[Output]:
    """Return the greedy translation of each row, with its attention weights if the model has any."""
    memory, state = model.encode(source, mask)
    max_len = max_len or length_limit(source)
    tokens = torch.full((len(source),), BOS, device=source.device)
    ended = torch.zeros(len(source), dtype=torch.bool, device=source.device)
    steps: list[Tensor] = []
    all_weights: list[Tensor] = []
    while len(steps) < max_len and not ended.all():
        tick()
        scores, state, weights = model.step(tokens, memory, state)
        tokens = scores.argmax(dim=-1).masked_fill(ended, PAD)
        ended = ended | (tokens == EOS)
        steps.append(tokens)
        if weights is not None:
            all_weights.append(weights)
    table = torch.stack(steps, dim=1).cpu()
    maps = torch.stack(all_weights, dim=1).float().cpu() if all_weights else None
    outputs = []
    for number, row in enumerate(table.tolist()):
        kept = row[: row.index(EOS)] if EOS in row else row
        outputs.append(Output(kept, maps[number, : len(kept)] if maps is not None else None))
    return outputs


def length_penalty(length: int, alpha: float, shift: float = 0.0) -> float:
    """Return the divisor of a hypothesis's log-probability: ((shift + length) / (shift + 1))^α.

    With shift 0 it is the length^α of the taught `beam_search`, with shift 5 that of Wu et al. (2016), equation 14,
    which Vaswani et al. (2017), section 6.1, use with α = 0.6.
    """
    return ((shift + length) / (shift + 1)) ** alpha


@dataclass(frozen=True)
class Search:
    """A beam search: how wide, and by what power of the length a hypothesis's log-probability is divided."""

    beam: int = 5
    alpha: float = 1.0
    shift: float = 0.0

    def __str__(self) -> str:
        length = f"(({self.shift:g} + length) / {self.shift + 1:g})" if self.shift else "length"
        return f"log p / {length}^{self.alpha:g}"


class Beams:
    """The hypotheses of the sentences still in hand: one row a sentence, `width` places in a row."""

    def __init__(
        self, count: int, width: int, penalty: Callable[[int], float], max_len: int, device: torch.device
    ) -> None:
        self.width, self.penalty, self.max_len = width, penalty, max_len
        self.total = torch.full((count, width), -torch.inf, device=device)  # log-probabilities; -inf: an empty place
        self.total[:, 0] = 0.0  # at first there is one hypothesis: <s>
        self.history = torch.empty((count, width, 0), dtype=torch.long, device=device)
        self.best_score = torch.full((count,), -torch.inf, device=device)
        self.best: list[list[int]] = [[] for _ in range(count)]  # of all sentences
        self.live = list(range(count))  # which of them the rows are

    def grow(self, log_p: Float[Tensor, "sentences width vocabulary"]) -> Int[Tensor, "sentences width"]:
        """Keep the best continuations, set aside those that end; return the place that each one came from."""
        grown = (self.total[..., None] + log_p).flatten(1)
        total, index = grown.topk(min(self.width, grown.shape[1]), dim=1)
        missing = self.width - total.shape[1]  # a vocabulary smaller than the beam
        total = nn.functional.pad(total, (0, missing), value=-torch.inf)
        index = nn.functional.pad(index, (0, missing))
        came_from, word = index // log_p.shape[-1], index % log_p.shape[-1]
        length = self.history.shape[-1] + 1
        before = self.history.gather(1, came_from[..., None].expand(-1, -1, length - 1))
        self.history = torch.cat([before, word[..., None]], dim=2)
        ending = (word == EOS) if length < self.max_len else torch.ones_like(word, dtype=torch.bool)
        top, which = (torch.where(ending, total, -torch.inf) / self.penalty(length)).max(dim=1)
        for row in (top > self.best_score).nonzero()[:, 0].tolist():
            self.best_score[row] = top[row]
            tokens = self.history[row, which[row]].tolist()
            self.best[self.live[row]] = tokens[:-1] if tokens[-1] == EOS else tokens
        self.total = total.masked_fill(ending, -torch.inf)
        return came_from

    def improvable(self) -> Int[Tensor, " kept"]:
        """Return the rows whose best hypothesis may still get a better one.

        A log-probability only falls, and log p / penalty is largest at the greatest length: stopping here changes no
        result.
        """
        return (self.total.amax(dim=1) / self.penalty(self.max_len) > self.best_score).nonzero()[:, 0]

    def keep(self, kept: Int[Tensor, " kept"]) -> None:
        self.total, self.history, self.best_score = self.total[kept], self.history[kept], self.best_score[kept]
        self.live = [self.live[i] for i in kept.tolist()]


@torch.no_grad()
def beam(
    model: Translator,
    source: Source,
    mask: Mask,
    width: int,
    alpha: float = 1.0,
    max_len: int | None = None,
    shift: float = 0.0,
    tick: Tick = lambda: None,
) -> list[Output]:
    """Return the output of the taught `beam_search` for each row, without </s>: the best log p / length_penalty.

    `mask` is False at the padding of `source`; `width` hypotheses of at most `max_len` tokens compete; `alpha` and
    `shift` are those of `length_penalty`. `tick` is called before each step of the `model`.
    """
    memory, state = model.encode(source, mask)
    places = torch.arange(width, device=source.device)
    every = torch.arange(len(source), device=source.device).repeat_interleave(width)
    memory, state = rows(memory, every), rows(state, every)
    penalty = partial(length_penalty, alpha=alpha, shift=shift)
    beams = Beams(len(source), width, penalty, max_len or length_limit(source), source.device)
    tokens = torch.full((len(every),), BOS, device=source.device)
    while True:
        tick()
        scores, state, _ = model.step(tokens, memory, state)
        log_p = scores.float().log_softmax(dim=-1)
        came_from = beams.grow(log_p.view(len(beams.live), width, -1))
        kept = beams.improvable()
        if not len(kept):
            return [Output(row) for row in beams.best]
        state = rows(state, (kept[:, None] * width + came_from[kept]).flatten())
        if len(kept) < len(beams.live):
            memory = rows(memory, (kept[:, None] * width + places).flatten())
            beams.keep(kept)
        tokens = beams.history[..., -1].flatten()


@torch.no_grad()
def forced_attention(
    model: Translator, source: Sequence[Sequence[int]], target: Sequence[Sequence[int]]
) -> list[Float[Tensor, "target source"]]:
    """Return the attention weights of given targets, teacher-forced; the source's </s> is the last column."""
    device = next(model.parameters()).device
    table, mask = source_batch(source)
    memory, state = model.encode(table.to(device), mask.to(device))
    inputs = pad([[BOS, *row] for row in target]).to(device)
    all_weights = []
    for tokens in inputs[:, :-1].unbind(dim=1):
        _, state, weights = model.step(tokens, memory, state)
        if weights is None:
            raise TypeError(f"{type(model).__name__} has no attention to show: use a model that attends to the source")
        all_weights.append(weights)
    maps = torch.stack(all_weights, dim=1).float().cpu() if all_weights else torch.zeros(len(source), 0, table.shape[1])
    return [w[: len(t), : len(s) + 1] for w, s, t in zip(maps, source, target, strict=True)]


CELLS = {"cpu": 4000, "cuda": 32000}  # positions of a batch of sources: a GPU takes as long for a short step


def translate(
    model: Translator,
    sentences: Sequence[Sequence[int]],
    width: int = 1,
    alpha: float = 1.0,
    shift: float = 0.0,
    tick: Tick = lambda: None,
) -> list[Output]:
    """Translate many `sentences` with a `model`, those of similar length together; return them in their own order.

    `width` 1 is greedy, more is beam search with `alpha` and `shift` of `length_penalty`; `tick` is called before
    each step.
    """
    device = next(model.parameters()).device
    order = sorted(range(len(sentences)), key=lambda i: len(sentences[i]))
    outputs: list[Output] = [Output([])] * len(sentences)
    while order:
        size = max(1, CELLS.get(device.type, 4000) // ((len(sentences[order[-1]]) + 1) * width))
        group, order = order[-size:], order[:-size]
        source, mask = source_batch([sentences[i] for i in group])
        source, mask = source.to(device), mask.to(device)
        if width == 1:
            group_outputs = greedy(model, source, mask, tick=tick)
        else:
            group_outputs = beam(model, source, mask, width, alpha, shift=shift, tick=tick)
        for index, output in zip(group, group_outputs, strict=True):
            outputs[index] = output
    return outputs
