"""An encoder–decoder that translates, whole: from pairs of sentences to a translation, through one vector."""

import argparse
import random

import torch
from torch import nn

from lab import corpora

# What the chapter's notebook asks for: put your own functions here.
from solutions.encoder_decoder.attention import greedy_decode, gru_step, last_states, sequence_loss, shift

PAD, START, END, UNKNOWN = range(4)
WORD, UNITS, SENTENCES, RATE = 96, 128, 64, 5e-3
EIGHTEEN = "la semaine prochaine il va me parler , puis votre sœur va soigner l' homme dans la rue"


class Encoder(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.embedding = nn.Embedding(words, WORD)
        self.network = nn.GRU(WORD, UNITS, batch_first=True, bidirectional=True)

    def forward(self, source):  # (batch, source) -> (batch, 2 UNITS), the vector c of each sentence
        lengths = (source != PAD).sum(dim=1)
        words = nn.utils.rnn.pack_padded_sequence(
            self.embedding(source), lengths, batch_first=True, enforce_sorted=False
        )
        states, _ = nn.utils.rnn.pad_packed_sequence(self.network(words)[0], batch_first=True)
        return last_states(states, lengths)


class Decoder(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.embedding = nn.Embedding(words, WORD)
        self.start = nn.Linear(2 * UNITS, UNITS)
        self.cell = nn.GRUCell(WORD + 2 * UNITS, UNITS)  # keeps W, R, b and c of gru_step
        self.readout = nn.Linear(UNITS + WORD + 2 * UNITS, words)

    def forward(self, c, inputs):  # (batch, 2 UNITS), (batch, target) -> (batch, target, words)
        everywhere = c[:, None].expand(-1, inputs.shape[1], -1)  # the same c at every step
        x = torch.cat([self.embedding(inputs), everywhere], dim=-1)
        state, states = torch.tanh(self.start(c)), []
        for word in x.unbind(dim=1):
            state = gru_step(word, state, *self.cell.parameters())
            states.append(state)
        return self.readout(torch.cat([torch.stack(states, dim=1), x], dim=-1))


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
        loss = sequence_loss(decoder(encoder(source), inputs), targets, PAD)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        schedule.step()
        if step % 100 == 0:
            print(f"step {step:4} of {steps}: loss {loss.item():.2f}", flush=True)
    with torch.no_grad():
        for sentence in sentences:
            c = encoder(table([[source_number.get(word, UNKNOWN) for word in sentence.split()] + [END]]))
            [words] = greedy_decode(lambda prefix, c=c: decoder(c, prefix), 1, START, END, PAD, max_len=60)
            print(sentence, "→", " ".join(english[number] for number in words if number not in (PAD, END)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser("python -m examples.whole_encoder_decoder", description=__doc__)
    parser.add_argument("epochs", nargs="?", type=float, default=3.0)
    parser.add_argument("sentences", nargs="*", default=("il m' a entarté", EIGHTEEN))
    main(**vars(parser.parse_args()))
