"""A reader that pools by attention, whole: from sentences with a label to a verdict, and the words it was made of."""

import argparse
import random

import torch
from torch import nn
from torch.nn import functional

from lab import corpora

# What the chapter's notebook asks for: put your own function here.
from solutions.pooling.attention import attention_pool

PAD, UNKNOWN = range(2)
WORD, UNITS, SENTENCES, RATE = 50, 50, 64, 1e-2


class AttBLSTM(nn.Module):
    def __init__(self, words, labels):
        super().__init__()
        self.embedding = nn.Embedding(words, WORD)
        self.network = nn.LSTM(WORD, UNITS, batch_first=True, bidirectional=True)
        self.w = nn.Parameter(torch.randn(UNITS) * UNITS**-0.5)
        self.labels = nn.Linear(UNITS, labels)

    def forward(self, source):  # (batch, source) -> (batch, labels), and the weights, (batch, source)
        words, lengths = self.embedding(source), (source != PAD).sum(dim=1)
        words = nn.utils.rnn.pack_padded_sequence(words, lengths, batch_first=True, enforce_sorted=False)
        states, _ = nn.utils.rnn.pad_packed_sequence(self.network(words)[0], batch_first=True)
        forwards, backwards = states.chunk(2, dim=-1)
        pooled, weights = attention_pool(forwards + backwards, self.w, source != PAD)
        return self.labels(pooled), weights


def table(rows):
    return nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=PAD)


def main(epochs=8.0, sentences=("il m' a entarté", "la reine me manque")):
    torch.manual_seed(1)
    random.seed(1)
    corpus = corpora.load("roles")
    words = ["<pad>", "<unk>", *sorted({word for text in corpus.train for word in text.words})]
    number_of = {word: number for number, word in enumerate(words)}

    def read(texts):  # the words of each text as numbers, and the number of its label
        rows = table([[number_of.get(word, UNKNOWN) for word in text.words] for text in texts])
        return rows, torch.tensor([corpus.labels.index(text.label) for text in texts])

    texts = sorted(corpus.train, key=lambda text: len(text.words) + random.random())  # like lengths: little padding
    batches = [texts[i : i + SENTENCES] for i in range(0, len(texts), SENTENCES)]
    model, steps = AttBLSTM(len(words), len(corpus.labels)), int(epochs * len(batches))
    optimizer = torch.optim.AdamW(model.parameters())
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps + 1, pct_start=0.1)
    for step in range(steps):
        source, labels = read(random.choice(batches))
        loss = functional.cross_entropy(model(source)[0], labels)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 100 == 0:
            print(f"step {step:4} of {steps}: loss {loss.item():.2f}", flush=True)
    with torch.no_grad():
        source, labels = read(corpus.tests["test"])
        print(f"right: {(model(source)[0].argmax(dim=-1) == labels).float().mean():.1%} of sentences it has not read")
        for sentence in sentences:
            scores, weights = model(table([[number_of.get(word, UNKNOWN) for word in sentence.split()]]))
            seen = (f"{word} ({weight:.2f})" for word, weight in zip(sentence.split(), weights[0], strict=True))
            print(*seen, "→", corpus.labels[scores.argmax()])


if __name__ == "__main__":
    parser = argparse.ArgumentParser("python -m examples.whole_pooling", description=__doc__)
    parser.add_argument("epochs", nargs="?", type=float, default=8.0)
    parser.add_argument("sentences", nargs="*", default=("il m' a entarté", "la reine me manque"))
    main(**vars(parser.parse_args()))
