"""A language model that reads further than it was trained, whole: a long stream, in tiles and by a window."""

import argparse
from functools import partial

import torch
from torch import nn
from torch.nn import functional

from lab import corpora

# What the notebooks of this chapter and the one before ask for: put your own functions here.
from solutions.language_model.attention import rms_norm, rope, swiglu
from solutions.long_context.attention import flash_forward, kv_bytes, sliding_window

WIDTH, HEADS, LAYERS, INNER, LENGTH, ROWS, RATE, SINKS = 64, 4, 2, 192, 64, 16, 4e-3, 4


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.out = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))
        self.up, self.gate = (nn.Linear(WIDTH, INNER, bias=False) for _ in range(2))
        self.down = nn.Linear(INNER, WIDTH, bias=False)
        self.gammas = nn.Parameter(torch.ones(2, WIDTH))

    def forward(self, x, attend):  # (batch, length, WIDTH); attend is given all heads: (batch · HEADS, length, head)
        y, places = rms_norm(x, self.gammas[0]), torch.arange(x.shape[1])
        q, k, v = (of(y).unflatten(-1, (HEADS, -1)).transpose(1, 2).flatten(0, 1) for of in (self.q, self.k, self.v))
        context = attend(rope(q, places), rope(k, places), v)
        x = x + self.out(context.unflatten(0, (-1, HEADS)).transpose(1, 2).flatten(-2))
        return x + swiglu(rms_norm(x, self.gammas[1]), self.up.weight, self.gate.weight, self.down.weight)


class Reader(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.embedding = nn.Embedding(words, WIDTH)
        nn.init.normal_(self.embedding.weight, std=0.02)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.gamma = nn.Parameter(torch.ones(WIDTH))

    def forward(self, words, attend):  # (batch, length) -> the loss of each word but the first, (batch, length - 1)
        x = self.embedding(words[:, :-1])
        for block in self.blocks:
            x = block(x, attend)
        scores = rms_norm(x, self.gamma) @ self.embedding.weight.T  # the readout is the embeddings again
        return functional.cross_entropy(scores.transpose(1, 2), words[:, 1:], reduction="none")


def in_tiles(query, key, value):  # to everything before, with a small square of scores at a time
    return flash_forward(query, key, value, tile=max(32, query.shape[1] // 32), causal=True)[0]


def main(steps=1500, length=8192):
    torch.manual_seed(1)
    corpus = corpora.load("grammar")
    train, test = (" </s> ".join(sentences).split() for sentences in (corpus.train, corpus.tests["test"]))
    number_of = {word: number for number, word in enumerate(sorted(set(train)))}
    data, stream = (torch.tensor([number_of[word] for word in text]) for text in (train, test[: length + 1]))
    model = Reader(len(number_of))
    optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps + 1, pct_start=0.1)
    for step in range(steps):
        places = torch.randint(len(data) - LENGTH, (ROWS, 1)) + torch.arange(LENGTH + 1)
        loss = model(data[places], in_tiles).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 100 == 0:
            print(f"step {step:4} of {steps}: loss {loss.item():.2f}", flush=True)
    with_sinks = partial(sliding_window, window=LENGTH - SINKS, sinks=SINKS)
    ways = {
        "everything, in tiles": (in_tiles, length),
        f"the last {LENGTH}": (partial(sliding_window, window=LENGTH), LENGTH),
        f"the last {LENGTH - SINKS}, the first {SINKS}": (with_sinks, LENGTH),
    }
    with torch.no_grad():
        for name, (attend, kept) in ways.items():
            [losses], size = model(stream[None], attend), kv_bytes(length, LAYERS, HEADS, WIDTH // HEADS, LAYERS, kept)
            first, later = losses[: LENGTH - SINKS].mean(), losses[LENGTH:].mean()
            print(f"{name:24} {first:.3f} nats a word at first, later {later:.3f}; keeps {size:9,} bytes")


if __name__ == "__main__":
    parser = argparse.ArgumentParser("python -m examples.whole_long_context", description=__doc__)
    parser.add_argument("steps", nargs="?", type=int, default=1500)
    parser.add_argument("length", nargs="?", type=int, default=8192, help="words of the stream")
    main(**vars(parser.parse_args()))
