"""A translator with additive attention, whole: from pairs of sentences to a translation, and where each word looked."""

import argparse
import random

import torch
from torch import nn

from lab import corpora

# What the notebooks of this chapter and the one before ask for: put your own functions here.
from solutions.bahdanau.attention import rnnsearch_step
from solutions.encoder_decoder.attention import greedy_decode, sequence_loss, shift

PAD, START, END, UNKNOWN = range(4)
WORD, UNITS, HIDDEN, SENTENCES, RATE = 96, 128, 128, 64, 5e-3
EIGHTEEN = "la semaine prochaine il va me parler , puis votre sœur va soigner l' homme dans la rue"


class Encoder(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.embedding = nn.Embedding(words, WORD)
        self.network = nn.GRU(WORD, UNITS, batch_first=True, bidirectional=True)

    def forward(self, source):  # (batch, source) -> (batch, source, 2 UNITS), a state for each word
        words, lengths = self.embedding(source), (source != PAD).sum(dim=1)
        words = nn.utils.rnn.pack_padded_sequence(words, lengths, batch_first=True, enforce_sorted=False)
        return nn.utils.rnn.pad_packed_sequence(self.network(words)[0], batch_first=True)[0]


class Decoder(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.embedding = nn.Embedding(words, WORD)
        self.start = nn.Linear(UNITS, UNITS)
        self.query, self.key = (nn.Linear(width, HIDDEN, bias=False) for width in (UNITS, 2 * UNITS))
        self.v = nn.Parameter(torch.randn(HIDDEN) * HIDDEN**-0.5)
        self.cell = nn.GRUCell(WORD + 2 * UNITS, UNITS)
        self.readout = nn.Linear(UNITS + WORD + 2 * UNITS, words)

    def forward(self, source, states, inputs):  # -> (batch, target, words), and the weights, (batch, target, source)
        mask, keys, W_q = source != PAD, self.key(states), self.query.weight
        state, steps = torch.tanh(self.start(states[:, 0, UNITS:])), []  # begins with what has read the whole sentence
        for word in self.embedding(inputs).unbind(dim=1):
            state, context, weights = rnnsearch_step(word, state, states, keys, W_q, self.v, self.cell, mask)
            steps.append((torch.cat([state, word, context], dim=-1), weights))
        read, weights = (torch.stack(each, dim=1) for each in zip(*steps, strict=True))
        return self.readout(read), weights


def table(rows):
    return nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=PAD)


def main(epochs=3.0, sentences=("il m' a entarté", EIGHTEEN)):
    torch.manual_seed(1)
    random.seed(1)
    pairs = [(pair.source.split(), pair.target.split()) for pair in corpora.load("phrasebook").train]
    french, english = (
        ["<pad>", "<s>", "</s>", "<unk>", *sorted({word for pair in pairs for word in pair[side]})] for side in (0, 1)
    )
    source_number, target_number = ({word: place for place, word in enumerate(words)} for words in (french, english))
    pairs.sort(key=lambda pair: len(pair[1]) + random.random())  # like lengths together: little padding
    batches = [pairs[i : i + SENTENCES] for i in range(0, len(pairs), SENTENCES)]
    encoder, decoder = Encoder(len(french)), Decoder(len(english))
    parameters, steps = [*encoder.parameters(), *decoder.parameters()], int(epochs * len(batches))
    optimizer = torch.optim.AdamW(parameters)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps + 1, pct_start=0.1)
    for step in range(steps):
        batch = random.choice(batches)
        source = table([[source_number[word] for word in words] + [END] for words, _ in batch])
        inputs, targets = shift(table([[target_number[word] for word in words] for _, words in batch]), START, END, PAD)
        loss = sequence_loss(decoder(source, encoder(source), inputs)[0], targets, PAD)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        schedule.step()
        if step % 100 == 0:
            print(f"step {step:4} of {steps}: loss {loss.item():.2f}", flush=True)
    with torch.no_grad():
        for sentence in sentences:
            words = [*sentence.split(), "</s>"]
            source = table([[source_number.get(word, UNKNOWN) for word in words]])
            given = source, encoder(source)
            [reply] = greedy_decode(lambda prefix, given=given: decoder(*given, prefix)[0], 1, START, END, PAD, 60)
            [weights] = decoder(*given, torch.tensor([[START, *reply[:-1]]]))[1]  # a row for each word that was said
            looked = [f"({words[row.argmax()]} {row.max():.2f})" for row in weights]
            print(sentence, "→", *(f"{english[word]} {place}" for word, place in zip(reply[:-1], looked, strict=False)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser("python -m examples.whole_bahdanau", description=__doc__)
    parser.add_argument("epochs", nargs="?", type=float, default=3.0)
    parser.add_argument("sentences", nargs="*", default=("il m' a entarté", EIGHTEEN))
    main(**vars(parser.parse_args()))
