"""A Transformer that translates, whole: from pairs of sentences to a translation."""

import argparse
import random

import torch
from torch import nn

from lab import corpora

# What the notebooks of this chapter and the first ask for: put your own functions here.
from solutions.encoder_decoder.attention import shift
from solutions.transformer.attention import (
    decoder_layer,
    encoder_layer,
    greedy_cached,
    label_smoothed_loss,
    make_masks,
    positional_encoding,
)

PAD, START, END, UNKNOWN = range(4)
WIDTH, HEADS, LAYERS, INNER, SENTENCES, RATE = 96, 4, 2, 256, 64, 4e-3


def layer(*attentions):  # its parameters, by the names that the chapter's functions read; an attention's end like this
    shapes = {f"W_{role}{end}": (WIDTH, WIDTH) for end in attentions for role in "qkvo"}
    shapes |= {"W_1": (INNER, WIDTH), "W_2": (WIDTH, INNER)}
    weights = {name: torch.randn(shape) * (3 * shape[1]) ** -0.5 for name, shape in shapes.items()}
    weights |= {f"b{name[1:]}": torch.zeros(shape[0]) for name, shape in shapes.items()}
    for norm in range(1, len(attentions) + 2):
        weights |= {f"gamma_{norm}": torch.ones(WIDTH), f"beta_{norm}": torch.zeros(WIDTH)}
    return nn.ParameterDict(weights)


class Transformer(nn.Module):
    def __init__(self, source_words, target_words):
        super().__init__()
        self.source, self.target = nn.Embedding(source_words, WIDTH), nn.Embedding(target_words, WIDTH)
        self.encoder = nn.ModuleList(layer("") for _ in range(LAYERS))
        self.decoder = nn.ModuleList(layer("", "_cross") for _ in range(LAYERS))
        nn.init.normal_(self.source.weight, std=WIDTH**-0.5)
        nn.init.normal_(self.target.weight, std=WIDTH**-0.5)

    def forward(self, source, target):  # scores of the next word at every target position
        x = positional_encoding(self.source(source) * WIDTH**0.5)
        y = positional_encoding(self.target(target) * WIDTH**0.5)
        source_mask, _, target_mask = make_masks(source, target, PAD)
        for weights in self.encoder:
            x = encoder_layer(x, dict(weights.named_parameters()), HEADS, source_mask[:, 0])
        for weights in self.decoder:
            y = decoder_layer(y, x, dict(weights.named_parameters()), HEADS, target_mask, source_mask)
        return y @ self.target.weight.T  # the output words share the embeddings of the target


def table(rows):
    return nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=PAD)


def main(epochs=3.0, sentence="il m' a entarté"):
    torch.manual_seed(1)
    random.seed(1)
    pairs = [(pair.source.split(), pair.target.split()) for pair in corpora.load("phrasebook").train]
    french, english = (
        ["<pad>", "<s>", "</s>", "<unk>", *sorted({word for pair in pairs for word in pair[side]})] for side in (0, 1)
    )
    source_number, target_number = ({word: place for place, word in enumerate(words)} for words in (french, english))
    pairs.sort(key=lambda pair: len(pair[1]) + random.random())  # like lengths together: little padding
    batches = [pairs[i : i + SENTENCES] for i in range(0, len(pairs), SENTENCES)]
    model, steps = Transformer(len(french), len(english)), int(epochs * len(batches))
    optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps + 1, pct_start=0.1)
    for step in range(steps):
        batch = random.choice(batches)
        source = table([[source_number[word] for word in words] + [END] for words, _ in batch])
        inputs, targets = shift(table([[target_number[word] for word in words] for _, words in batch]), START, END, PAD)
        loss = label_smoothed_loss(model(source, inputs), targets, 0.1, PAD)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 100 == 0:
            print(f"step {step:4} of {steps}: loss {loss.item():.2f}", flush=True)
    with torch.no_grad():
        source = table([[source_number.get(word, UNKNOWN) for word in sentence.split()] + [END]])

        def further(word, before):  # the scores of the word that follows, and all words so far: they are read anew
            return model(source, torch.tensor([[*before, word]]))[0, -1], [*before, word]

        words = greedy_cached([], further, START, END, max_len=60)
    print(sentence, "→", " ".join(english[number] for number in words if number != END))


if __name__ == "__main__":
    parser = argparse.ArgumentParser("python -m examples.whole_transformer", description=__doc__)
    parser.add_argument("epochs", nargs="?", type=float, default=3.0)
    parser.add_argument("sentence", nargs="?", default="il m' a entarté")
    main(**vars(parser.parse_args()))
