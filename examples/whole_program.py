"""A Transformer that translates, whole: from pairs of sentences to a translation."""

import argparse
import math
import random

import torch
from torch import nn
from torch.nn import functional

from lab import corpora

PAD, START, END, UNKNOWN = range(4)
WIDTH, HEADS, LAYERS, INNER, TOKENS, RATE = 96, 4, 2, 256, 700, 4e-3


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))

    def forward(self, x, memory, mask):  # (batch, target, WIDTH), (batch, source, WIDTH) -> (batch, target, WIDTH)
        projected = self.q(x), self.k(memory), self.v(memory)
        q, k, v = (y.unflatten(-1, (HEADS, -1)).transpose(1, 2) for y in projected)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])  # (batch, HEADS, target, source)
        weights = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
        return self.out((weights @ v).transpose(1, 2).flatten(-2))


class Layer(nn.Module):
    def __init__(self, attentions):
        super().__init__()
        self.attend = nn.ModuleList(Attention() for _ in range(attentions))
        self.feed = nn.Sequential(nn.Linear(WIDTH, INNER), nn.ReLU(), nn.Linear(INNER, WIDTH))
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(attentions + 1))

    def forward(self, x, mask, memory=None, memory_mask=None):
        x = self.norms[0](x + self.attend[0](x, x, mask))
        if memory is not None:
            x = self.norms[1](x + self.attend[1](x, memory, memory_mask))
        return self.norms[-1](x + self.feed(x))


class Transformer(nn.Module):
    def __init__(self, source_words, target_words):
        super().__init__()
        self.source, self.target = nn.Embedding(source_words, WIDTH), nn.Embedding(target_words, WIDTH)
        self.encoder = nn.ModuleList(Layer(attentions=1) for _ in range(LAYERS))
        self.decoder = nn.ModuleList(Layer(attentions=2) for _ in range(LAYERS))
        nn.init.normal_(self.source.weight, std=WIDTH**-0.5)
        nn.init.normal_(self.target.weight, std=WIDTH**-0.5)

    def embed(self, embedding, tokens):
        angles = torch.arange(tokens.shape[1])[:, None] / 10_000 ** (torch.arange(0, WIDTH, 2) / WIDTH)
        positions = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)
        return embedding(tokens) * math.sqrt(WIDTH) + positions

    def forward(self, source, target):  # scores of the next word at every target position
        words = (source != PAD)[:, None, None]
        past = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool).tril()
        x, y = self.embed(self.source, source), self.embed(self.target, target)
        for layer in self.encoder:
            x = layer(x, words)
        for layer in self.decoder:
            y = layer(y, past, x, words)
        return y @ self.target.weight.T  # the output words share the embeddings of the target


def table(rows):
    return nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=PAD)


def main(epochs=3.0, sentence="il m' a entarté"):
    torch.manual_seed(1)
    random.seed(1)
    pairs = [(pair.source.split(), pair.target.split()) for pair in corpora.load("phrasebook").train]
    sides = [["<pad>", "<s>", "</s>", "<unk>", *sorted({w for pair in pairs for w in pair[side]})] for side in (0, 1)]
    number_of = [{word: number for number, word in enumerate(words)} for words in sides]
    examples = [[[number_of[side][w] for w in pair[side]] + [END] for side in (0, 1)] for pair in pairs]
    examples.sort(key=lambda example: len(example[1]) + random.random())  # like lengths together: little padding
    size = TOKENS // 14  # sentences of a batch
    batches = [examples[i : i + size] for i in range(0, len(examples), size)]
    model, steps = Transformer(*map(len, sides)), int(epochs * len(batches))
    optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps + 1, pct_start=0.1)
    for step in range(steps):
        source, target = (table(side) for side in zip(*random.choice(batches), strict=True))
        inputs = functional.pad(target, (1, 0), value=START)[:, :-1]  # shifted: a word is predicted from those before
        loss = functional.cross_entropy(model(source, inputs).flatten(0, 1), target.flatten(), ignore_index=PAD)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 100 == 0:
            print(f"step {step:4} of {steps}: loss {loss.item():.2f}", flush=True)
    source, words = table([[number_of[0].get(w, UNKNOWN) for w in sentence.split()] + [END]]), [START]
    while words[-1] != END and len(words) < 60:
        words.append(int(model(source, torch.tensor([words]))[0, -1].argmax()))
    print(sentence, "→", " ".join(sides[1][number] for number in words[1:-1]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser("python -m examples.whole_program", description=__doc__)
    parser.add_argument("epochs", nargs="?", type=float, default=3.0)
    parser.add_argument("sentence", nargs="?", default="il m' a entarté")
    main(**vars(parser.parse_args()))
