"""A reader with several hops, whole: from sentences with two facts each to both facts, and the matrix of weights."""

import argparse
import random

import torch
from torch import nn
from torch.nn import functional

from lab import corpora
from lab.corpora.roles import LABELS as FACTS

# What the chapter's notebook asks for: put your own function here.
from solutions.structured.attention import structured_attention

PAD, UNKNOWN = range(2)
WORD, UNITS, HIDDEN, HOPS, PRICE, SENTENCES, RATE = 64, 64, 32, 4, 0.1, 64, 5e-3
EIGHTEEN = "la semaine prochaine il va me parler , puis votre sœur va soigner l' homme dans la rue"


class Structured(nn.Module):
    def __init__(self, words, answers):
        super().__init__()
        self.embedding = nn.Embedding(words, WORD)
        self.network = nn.LSTM(WORD, UNITS, batch_first=True, bidirectional=True)
        self.W_s1 = nn.Parameter(torch.randn(HIDDEN, 2 * UNITS) * (2 * UNITS) ** -0.5)
        self.W_s2 = nn.Parameter(torch.randn(HOPS, HIDDEN) * HIDDEN**-0.5)
        layers = nn.Linear(HOPS * 2 * UNITS, 64), nn.ReLU(), nn.Linear(64, 2 * answers)
        self.answers = nn.Sequential(nn.Flatten(), *layers, nn.Unflatten(1, (answers, 2)))

    def forward(self, source):  # (batch, source) -> (batch, answers, 2), A: (batch, HOPS, source), penalties: (batch)
        words, lengths = self.embedding(source), (source != PAD).sum(dim=1)
        words = nn.utils.rnn.pack_padded_sequence(words, lengths, batch_first=True, enforce_sorted=False)
        states, _ = nn.utils.rnn.pad_packed_sequence(self.network(words)[0], batch_first=True)
        M, A, penalties = structured_attention(states, self.W_s1, self.W_s2, source != PAD)
        return self.answers(M), A, penalties


def table(rows):
    return nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=PAD)


def main(epochs=8.0, sentence=EIGHTEEN):
    torch.manual_seed(1)
    random.seed(1)
    corpus = corpora.load("two_facts")
    words = ["<pad>", "<unk>", *sorted({word for text in corpus.train for word in text.words})]
    number_of = {word: number for number, word in enumerate(words)}

    def read(texts):  # the words of each text as numbers, and the numbers of its first fact and of its second
        rows = table([[number_of.get(word, UNKNOWN) for word in text.words] for text in texts])
        return rows, torch.tensor([[FACTS.index(fact) for fact in text.label.split(", ")] for text in texts])

    texts = sorted(corpus.train, key=lambda text: len(text.words) + random.random())  # like lengths: little padding
    batches = [texts[i : i + SENTENCES] for i in range(0, len(texts), SENTENCES)]
    model, steps = Structured(len(words), len(FACTS)), int(epochs * len(batches))
    optimizer = torch.optim.AdamW(model.parameters())
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps + 1, pct_start=0.1)
    for step in range(steps):
        source, labels = read(random.choice(batches))
        scores, _, penalties = model(source)
        loss = functional.cross_entropy(scores, labels) + PRICE * penalties.mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 100 == 0:
            print(f"step {step:4} of {steps}: loss {loss.item():.2f}", flush=True)
    with torch.no_grad():
        source, labels = read(corpus.tests["test"])
        both = (model(source)[0].argmax(dim=1) == labels).all(dim=1).float().mean()
        columns = [f"{word:>3}" for word in sentence.split()]
        scores, A, _ = model(table([[number_of.get(word.strip(), UNKNOWN) for word in columns]]))
        print(f"both facts right: {both:.1%} of sentences it has not read")
        print(*columns, "→", ", then ".join(FACTS[fact] for fact in scores[0].argmax(dim=0)))
        for hop in 100 * A[0]:  # below each word its weight, in hundredths
            print(*(f"{weight:{len(word)}.0f}" for weight, word in zip(hop, columns, strict=True)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser("python -m examples.whole_structured", description=__doc__)
    parser.add_argument("epochs", nargs="?", type=float, default=8.0)
    parser.add_argument("sentence", nargs="?", default=EIGHTEEN)
    main(**vars(parser.parse_args()))
