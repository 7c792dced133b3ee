"""Speed of training as ratios within one run: same batches, same shapes, one thread; `make bench` prints the table.

Machines are shared and noisy: only the ratios of one run mean anything, and they are the medians of several rounds.
"""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from benchmarks.measured import in_turn, repeats_asked
from lab.kinds.translation import Translating
from lab.text.batches import Example, bucketed, collate
from lab.text.tokenizers import PAD
from lab.train.training import Trainer, best_device, device_name, should_use_bf16
from solutions.bahdanau.model import Bahdanau
from solutions.bahdanau.recipe import RECIPES
from solutions.encoder_decoder.model import Readout
from solutions.transformer.fast import FastTransformer
from solutions.transformer.recipe import Recipe as TransformerRecipe

VOCABULARY, WIDTH = 6000, 256
PRODUCTS = ("aten::mm", "aten::addmm", "aten::bmm")


class StepByStep(nn.Module):
    """Additive attention as tutorials write it: keys projected, and words scored, at each step again.

    The shapes, and the maxout readout, are those of the Bahdanau model beside it.
    """

    def __init__(self, units: int, hidden: int, width: int, vocabulary: int) -> None:
        super().__init__()
        self.units = units
        self.source = nn.Embedding(vocabulary, width, padding_idx=PAD)
        self.target = nn.Embedding(vocabulary, width, padding_idx=PAD)
        self.encoder = nn.GRU(width, units, bidirectional=True, batch_first=True)
        self.start = nn.Linear(units, units)
        self.score = nn.Linear(3 * units, hidden)
        self.v = nn.Linear(hidden, 1, bias=False)
        self.cell = nn.GRUCell(width + 2 * units, units)
        self.readout = Readout(units + width + 2 * units, self.target, width, tied=True, dropout=0.0)

    def forward(self, source: Tensor, mask: Tensor, inputs: Tensor, real: Tensor) -> Tensor:
        packed = nn.utils.rnn.pack_padded_sequence(
            self.source(source), mask.sum(1).cpu(), batch_first=True, enforce_sorted=False
        )
        states, _ = nn.utils.rnn.pad_packed_sequence(self.encoder(packed)[0], batch_first=True)
        hidden = torch.tanh(self.start(states[:, 0, self.units :]))
        logits = []
        for step in range(inputs.shape[1]):
            word = self.target(inputs[:, step])
            both = torch.cat([hidden[:, None].expand(-1, states.shape[1], -1), states], dim=-1)
            scores = self.v(torch.tanh(self.score(both)))[..., 0]
            weights = scores.masked_fill(~mask, -1e4).softmax(dim=-1)
            context = torch.bmm(weights[:, None].to(states.dtype), states)[:, 0]
            hidden = self.cell(torch.cat([word, context], dim=-1), hidden)
            logits.append(self.readout(torch.cat([hidden, word, context], dim=-1)))
        return torch.stack(logits, dim=1)[real]


class TorchTransformer(nn.Module):
    """torch.nn.Transformer, 3 + 3 layers of width 256, as its documentation uses it."""

    def __init__(self, width: int, vocabulary: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.source, self.target = nn.Embedding(vocabulary, width), nn.Embedding(vocabulary, width)
        self.network = nn.Transformer(width, 8, 3, 3, 4 * width, dropout=dropout, batch_first=True)
        self.words = nn.Linear(width, vocabulary)

    def forward(self, source: Tensor, mask: Tensor, inputs: Tensor, real: Tensor) -> Tensor:
        future = torch.ones(inputs.shape[1], inputs.shape[1], dtype=torch.bool, device=inputs.device).triu(1)
        features = self.network(
            self.source(source),
            self.target(inputs),
            tgt_mask=future,
            src_key_padding_mask=~mask,
            memory_key_padding_mask=~mask,
            tgt_key_padding_mask=~real,
        )
        return self.words(features)[real]


def random_pairs() -> list[Example]:
    """Return as many sentence pairs as Multi30k has, of random tokens.

    Their lengths are like those of its subwords: about 15, and so alike within a pair that batches of about 1500 target
    tokens have 8 % padding on the source side.
    """
    rng = np.random.default_rng(0)
    target = rng.normal(14, 4, 29_000)
    lengths = np.stack([target + rng.normal(0, 3, len(target)), target], axis=1).round().clip(4, 40).astype(int)
    return [(rng.integers(4, VOCABULARY, s).tolist(), rng.integers(4, VOCABULARY, t).tolist()) for s, t in lengths]


def models() -> dict[str, nn.Module]:
    """Return each of our models behind what it is measured against: the same shape, as much dropout."""
    recipe = replace(RECIPES["base"], dropout=0.0, hidden=RECIPES["base"].units)  # n′ = n, as in the paper's A.2.3
    shape = TransformerRecipe(d_model=WIDTH, d_ff=4 * WIDTH, layers=3, shared=False, dropout=0.1, inner_dropout=0.1)
    return {
        "torch.nn.Transformer": TorchTransformer(WIDTH, VOCABULARY, dropout=0.1),
        "transformer": FastTransformer(shape, VOCABULARY, VOCABULARY),
        "additive, step by step": StepByStep(recipe.units, recipe.hidden, recipe.maxout, VOCABULARY),
        "bahdanau": Bahdanau(recipe, VOCABULARY, VOCABULARY),
    }


def trainers_of(precision: str, batches: Sequence[list[Example]]) -> dict[str, Trainer]:
    """Return a training of each model."""
    training = replace(RECIPES["base"].training, precision=precision, ema=0.0, smoothing=0.0)
    task = Translating([pair for batch in batches for pair in batch], training)
    return {name: Trainer(model, task, training, Path("unused"), quiet=True) for name, model in models().items()}


def training_rates(trainers: Mapping[str, Trainer], batches: Sequence[list[Example]], rounds: int) -> dict[str, float]:
    """Return target tokens per second of each model, the rounds of all models interleaved."""
    calls = {name: lambda each=each: [each.step(batch) for batch in batches] for name, each in trainers.items()}
    tokens = sum(collate(batch).tokens for batch in batches)
    return {name: 1000 * tokens / statistics.median(times) for name, times in in_turn(calls, rounds).items()}


def all_rates(rounds: int) -> dict[str, dict[str, float]]:
    """Return target tokens per second of each model, by precision: ours behind what it is measured against."""
    torch.manual_seed(0)
    batches = list(bucketed(random_pairs(), 1500, seed=1))[:3]
    precisions = ("fp32", "bf16") if should_use_bf16("auto", best_device()) else ("fp32",)
    return {each: training_rates(trainers_of(each, batches), batches, rounds) for each in precisions}


def share_of_products() -> float:
    """Return the share of matrix products in nn.Transformer's step in fp32, which our model has to make, too.

    Whatever else is left out, no step is more than 1 / that part times as fast.
    """
    batches = list(bucketed(random_pairs(), 1500, seed=1))[:2]
    trainer = trainers_of("fp32", batches)["torch.nn.Transformer"]
    trainer.step(batches[0])
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        trainer.step(batches[1])
    events = profile.key_averages()
    products = [event for event in events if event.key in PRODUCTS]
    return sum(event.self_cpu_time_total for event in products) / sum(event.self_cpu_time_total for event in events)


def print_rates(precision: str, rates: Mapping[str, float], exact: Mapping[str, float]) -> None:
    """Print the speed of each model, and how it compares with the one before it, in this precision and in fp32."""
    print(f"training, {precision:<25} target tokens/s   / torch's   / torch's in fp32")
    for (torchs, base), (name, rate) in zip(*[iter(rates.items())] * 2, strict=True):
        print(f"  {torchs:<33} {base:10.0f}")
        print(f"  {name:<33} {rate:10.0f}   {rate / base:16.2f}   {rate / exact[torchs]:16.2f}")


def main(rounds: int) -> None:
    """Print the table."""
    torch.set_num_threads(1)
    print(f"{device_name(best_device())}, torch {torch.__version__}, batches of about 1500 target tokens\n")
    rates_of = all_rates(rounds)
    for precision, rates in rates_of.items():
        print_rates(precision, rates, rates_of["fp32"])


if __name__ == "__main__":
    main(repeats_asked("training", __doc__, 5))
