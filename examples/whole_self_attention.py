"""A translator whose encoder is self-attention, whole: what each word has read, and the translation."""

import argparse
import random

import torch
from torch import nn

from lab import corpora

# What the notebooks of this chapter and the first two ask for: put your own functions here.
from solutions.bahdanau.attention import rnnsearch_step
from solutions.encoder_decoder.attention import greedy_decode, sequence_loss, shift
from solutions.self_attention.attention import self_attention

PAD, START, END, UNKNOWN = range(4)
WORD, PLACE, UNITS, HIDDEN, SENTENCES, RATE = 96, 32, 128, 128, 64, 5e-3  # WORD + PLACE = UNITS
EIGHTEEN = "la semaine prochaine il va me parler , puis votre sœur va soigner l' homme dans la rue"


class Encoder(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.embedding = nn.Embedding(words, WORD)
        self.embedding.weight.data *= 0.3  # smaller than places: near words count for more
        self.W_q, self.W_k, self.W_v = (nn.Parameter(torch.eye(UNITS)) for _ in range(3))

    def forward(self, source):  # (batch, source) -> (batch, source, 2 UNITS): the word, and the word with what it read
        angles = torch.arange(source.shape[1])[:, None] / 100 ** (torch.arange(0, PLACE, 2) / PLACE)
        places = torch.cat([angles.sin(), angles.cos()], dim=-1).expand(len(source), -1, -1)
        X = torch.cat([self.embedding(source), places], dim=-1)
        context, weights = self_attention(X, self.W_q, self.W_k, self.W_v, source != PAD)
        return torch.cat([X, X + context], dim=-1), weights


class Decoder(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.embedding = nn.Embedding(words, WORD)
        self.start = nn.Linear(UNITS, UNITS)
        self.query, self.key = (nn.Linear(width, HIDDEN, bias=False) for width in (UNITS, 2 * UNITS))
        self.v = nn.Parameter(torch.randn(HIDDEN) * HIDDEN**-0.5)
        self.cell = nn.GRUCell(WORD + 2 * UNITS, UNITS)
        self.readout = nn.Linear(UNITS + WORD + 2 * UNITS, words)

    def forward(self, source, states, inputs):  # (batch, source), its states, (batch, target) -> (batch, target, words)
        mask, keys, W_q = source != PAD, self.key(states), self.query.weight
        state, steps = torch.tanh(self.start(states[:, 0, UNITS:])), []  # begins with the first word and what it read
        for word in self.embedding(inputs).unbind(dim=1):
            state, context, _ = rnnsearch_step(word, state, states, keys, W_q, self.v, self.cell, mask)
            steps.append(torch.cat([state, word, context], dim=-1))
        return self.readout(torch.stack(steps, dim=1))


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
        loss = sequence_loss(decoder(source, encoder(source)[0], inputs), targets, PAD)
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
            states, [weights] = encoder(source)  # a row for each word
            read = [f"{word} ({words[row.argmax()]} {row.max():.2f})" for word, row in zip(words, weights, strict=True)]
            given = source, states
            [reply] = greedy_decode(lambda prefix, given=given: decoder(*given, prefix), 1, START, END, PAD, 60)
            print(*read, "→", *(english[word] for word in reply if word != END))


if __name__ == "__main__":
    parser = argparse.ArgumentParser("python -m examples.whole_self_attention", description=__doc__)
    parser.add_argument("epochs", nargs="?", type=float, default=3.0)
    parser.add_argument("sentences", nargs="*", default=("il m' a entarté", EIGHTEEN))
    main(**vars(parser.parse_args()))
