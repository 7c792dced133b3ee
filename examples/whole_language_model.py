"""A language model of today, whole: from a text to more of it."""

import argparse
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

from lab import corpora

# What the chapter's notebook asks for: put your own functions here.
from solutions.language_model.attention import grouped_query_attention, next_probabilities, rms_norm, rope, swiglu

WIDTH, HEADS, KV_HEADS, LAYERS, INNER, CONTEXT, BATCH, RATE = 64, 4, 2, 2, 128, 96, 16, 4e-3


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        shared = KV_HEADS * WIDTH // HEADS
        self.q, self.k, self.v, self.out = (nn.Linear(WIDTH, n, bias=False) for n in (WIDTH, shared, shared, WIDTH))
        self.up, self.gate = (nn.Linear(WIDTH, INNER, bias=False) for _ in range(2))
        self.down = nn.Linear(INNER, WIDTH, bias=False)
        self.gammas = nn.Parameter(torch.ones(2, WIDTH))

    def attend(self, x):  # (batch, length, WIDTH) -> the same
        q, k, v = (of(x).unflatten(-1, (-1, WIDTH // HEADS)).transpose(1, 2) for of in (self.q, self.k, self.v))
        places = torch.arange(x.shape[1])
        context, _ = grouped_query_attention(rope(q, places), rope(k, places), v)
        return self.out(context.transpose(1, 2).flatten(-2))

    def forward(self, x):
        x = x + self.attend(rms_norm(x, self.gammas[0]))
        return x + swiglu(rms_norm(x, self.gammas[1]), self.up.weight, self.gate.weight, self.down.weight)


class LanguageModel(nn.Module):
    def __init__(self, letters):
        super().__init__()
        self.embedding = nn.Embedding(letters, WIDTH)
        nn.init.normal_(self.embedding.weight, std=0.02)
        self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
        self.gamma = nn.Parameter(torch.ones(WIDTH))

    def forward(self, tokens):  # scores of the next letter at every position; the readout is the embeddings again
        return rms_norm(self.blocks(self.embedding(tokens)), self.gamma) @ self.embedding.weight.T


def loss_of(model, rows):
    return functional.cross_entropy(model(rows[:, :-1]).flatten(0, 1), rows[:, 1:].flatten())


@torch.no_grad()
def write(model, tokens, count):
    for _ in range(count):
        scores = model(torch.tensor([tokens[-CONTEXT:]]))[:, -1]
        tokens = [*tokens, int(torch.multinomial(next_probabilities(scores, temperature=0.8, top_p=0.95), 1))]
    return tokens


def main(file=None, steps=1500, start="the cats that"):
    torch.manual_seed(1)
    text = Path(file).read_text("utf-8") if file else "\n".join(corpora.load("grammar").train)
    letters = sorted(set(text + start))
    data = torch.tensor([letters.index(letter) for letter in text])
    train, held = data[: len(data) * 9 // 10], data[len(data) * 9 // 10 :]
    model = LanguageModel(len(letters))
    optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps + 1, pct_start=0.1)
    for step in range(steps):
        places = torch.randint(len(train) - CONTEXT, (BATCH, 1)) + torch.arange(CONTEXT + 1)
        loss = loss_of(model, train[places])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 100 == 0:
            print(f"step {step:4} of {steps}: loss {loss.item():.2f}", flush=True)
    with torch.no_grad():
        rows = held[: len(held) // CONTEXT * CONTEXT].view(-1, CONTEXT)
        print(f"loss on text that it has not read: {loss_of(model, rows[:500]).item():.3f} nats a letter")
    print("".join(letters[token] for token in write(model, [letters.index(letter) for letter in start], 300)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser("python -m examples.whole_language_model", description=__doc__)
    parser.add_argument("file", nargs="?", help="a text to learn from; without one, sentences of the grammar")
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--start", default="the cats that")
    main(**vars(parser.parse_args()))
