"""What goes wrong when unknown words are replaced."""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from solutions.luong.attention import replaced_unknowns


@dataclass(frozen=True)
class Replaced:
    """The replacement of unknown words in parts, each of which can be put wrong."""

    best: Callable = lambda weights, source: weights[:, : len(source)].argmax(1)
    translate: Callable = lambda lexicon, words, best, tokens: lexicon[words]
    is_missing: Callable = lambda translated: translated < 0
    otherwise: Callable = lambda words, best, unk: words
    chosen: Callable = lambda tokens, unk: tokens == unk

    def __call__(self, tokens, weights, source, lexicon, unk):
        best = self.best(weights, source)
        words = source[best]
        translated = self.translate(lexicon, words, best, tokens)
        new = torch.where(self.is_missing(translated), self.otherwise(words, best, unk), translated)
        return torch.where(self.chosen(tokens, unk), new, tokens)


def source_word_always(*arguments):
    """The source word itself is taken every time. The lexicon comes first, the word itself where it has nothing."""
    return Replaced(translate=lambda lexicon, words, best, tokens: torch.full_like(words, -1))(*arguments)


def minus_one_kept(*arguments):
    """A -1 of the lexicon stands in the translation: it means that the lexicon has nothing. Take the source word."""
    return Replaced(is_missing=lambda translated: translated < -1)(*arguments)


def unk_kept(*arguments):
    """Where the lexicon has nothing, unk stays. Take the source word itself."""
    return Replaced(otherwise=lambda words, best, unk: torch.full_like(words, unk))(*arguments)


def zero_is_none(*arguments):
    """A 0 of the lexicon is taken for nothing. Only -1 means that: 0 is a word."""
    return Replaced(is_missing=lambda translated: translated <= 0)(*arguments)


def every_word(*arguments):
    """All words of the translation are replaced. Only those that are unk have to go."""
    return Replaced(chosen=lambda tokens, unk: tokens >= 0)(*arguments)


def first_unk_alone(*arguments):
    """Only the first unk is replaced. Replace each of them."""
    return Replaced(chosen=lambda tokens, unk: (tokens == unk) & ((tokens == unk).cumsum(0) == 1))(*arguments)


def last_of_equal(*arguments):
    """Of several equal weights the last one is taken. Take the first."""

    def best(weights, source):
        return len(source) - 1 - weights[:, : len(source)].flip(1).argmax(1)

    return Replaced(best=best)(*arguments)


def all_columns(*arguments):
    """Columns behind the last source word take part, and the last word gets what they have. Leave them out."""
    return Replaced(best=lambda weights, source: weights.argmax(1).clamp(max=len(source) - 1))(*arguments)


def smallest_weight(*arguments):
    """The source word with the smallest weight is taken. Take the one with the largest."""
    return Replaced(best=lambda weights, source: weights[:, : len(source)].argmin(1))(*arguments)


def same_place(*arguments):
    """The weights play no part: the source word at the same place is taken. Read the row of the unk."""

    def best(weights, source):
        return torch.arange(len(weights)).clamp(max=len(source) - 1)

    return Replaced(best=best)(*arguments)


def first_row(*arguments):
    """The weights of the first target word are read for every unk. Each has a row of its own."""
    return Replaced(best=lambda weights, source: weights[:1, : len(source)].argmax(1).expand(len(weights)))(*arguments)


def lexicon_of_place(*arguments):
    """The lexicon is asked for the place of the source word. Its entries stand at the numbers of the words."""
    return Replaced(translate=lambda lexicon, words, best, tokens: lexicon[best])(*arguments)


def lexicon_of_target(*arguments):
    """The lexicon is asked for the word of the translation, unk. Ask it for the source word."""
    return Replaced(translate=lambda lexicon, words, best, tokens: lexicon[tokens])(*arguments)


def place_for_word(*arguments):
    """Where the lexicon has nothing, the place of the source word is given. Give the word that stands there."""
    return Replaced(otherwise=lambda words, best, unk: best)(*arguments)


def translated_twice(tokens, weights, source, lexicon, unk):
    """The lexicon is asked again for its own answer. One translation is enough."""
    once = replaced_unknowns(tokens, weights, source, lexicon, unk)
    again = torch.where(lexicon[once] < 0, once, lexicon[once])
    return torch.where(tokens == unk, again, tokens)


UNKNOWN = (
    source_word_always,
    minus_one_kept,
    unk_kept,
    zero_is_none,
    every_word,
    first_unk_alone,
    last_of_equal,
    all_columns,
    smallest_weight,
    same_place,
    first_row,
    lexicon_of_place,
    lexicon_of_target,
    place_for_word,
    translated_twice,
)
