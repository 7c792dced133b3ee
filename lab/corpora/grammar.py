"""Sentences made here by a probabilistic grammar, whose entropy is known: no model can have a lower loss.

Nouns and verbs agree in number, however many clauses stand between them: "the cats that the dog that sleeps sees run".
The grammar is in Chomsky normal form, and each sentence has one tree: the entropy of trees is that of sentences.
Sentences are drawn independently and not sorted into splits: a short one may be in all of them, as chance has it.
"""

import itertools
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lab.corpora import Text
from lab.corpora.made_once import made_once

UNIT = "word"
SIZES = {"train": 40_000, "validation": 1000, "test": 4000}

NOUNS = "dog cat girl king baker horse child poet bird judge nurse thief sailor goat farmer queen".split()
SEEING = "see chase love help fear follow know hear paint hate".split()  # someone
SLEEPING = "sleep run sing laugh wait swim fall dance".split()
SAYING = "say think hope swear".split()  # that something is so
ADJECTIVES = "old small clever happy lazy brave tired proud".split()
ADVERBS = "often slowly well today again".split()
WORDS = {"singular": ("the", "a", "every"), "plural": ("the", "some", "many")}

Rules = Mapping[str, Mapping[tuple[str, str] | str, float]]  # symbol -> two symbols or a word: their probability
START = "sentence"


def falling(words: Sequence[str], total: float = 1.0) -> dict[str, float]:
    """Return probabilities that are as 1 : 1/2 : 1/3 : … and add up to `total` (Zipf's law)."""
    whole = sum(1 / rank for rank in range(1, len(words) + 1))
    return {word: total / rank / whole for rank, word in enumerate(words, start=1)}


def rules() -> dict[str, dict[tuple[str, str] | str, float]]:
    """Return the grammar: each symbol becomes two symbols or a word, with these probabilities."""
    grammar: dict[str, dict[tuple[str, str] | str, float]] = {
        START: {("singular", "singular verb"): 0.6, ("plural", "plural verb"): 0.4},
        "clause": {("that", START): 1.0},
        "adjective": {**falling(ADJECTIVES)},
        "adverb": {**falling(ADVERBS)},
        "that": {"that": 1.0},
        "gap": {("singular", "singular seeing"): 0.6, ("plural", "plural seeing"): 0.4},
    }
    for number, determiners in WORDS.items():
        nouns = NOUNS if number == "singular" else [plural(noun) for noun in NOUNS]
        seeing, sleeping, saying = (
            [third(verb) for verb in verbs] if number == "singular" else verbs for verbs in (SEEING, SLEEPING, SAYING)
        )
        grammar |= {
            number: {(f"{number} determiner", f"{number} noun"): 0.7, (f"{number} phrase", f"{number} relative"): 0.3},
            f"{number} phrase": {(f"{number} determiner", f"{number} noun"): 1.0},
            f"{number} determiner": {**falling(determiners)},
            f"{number} noun": {("adjective", f"{number} noun"): 0.2, **falling(nouns, 0.8)},
            f"{number} relative": {("that", f"{number} verb"): 0.5, ("that", "gap"): 0.5},
            f"{number} verb": {
                (f"{number} seeing", "singular"): 0.2,
                (f"{number} seeing", "plural"): 0.15,
                (f"{number} sleeping", "adverb"): 0.15,
                (f"{number} saying", "clause"): 0.15,
                **falling(sleeping, 0.35),
            },
            f"{number} seeing": {**falling(seeing)},
            f"{number} sleeping": {**falling(sleeping)},
            f"{number} saying": {**falling(saying)},
        }
    return grammar


def plural(noun: str) -> str:
    return {"child": "children", "thief": "thieves"}.get(noun, f"{noun}s")


def third(verb: str) -> str:
    """Return the verb's form for one other person."""
    return f"{verb}es" if verb.endswith(("ch", "sh")) else f"{verb}s"


@dataclass(frozen=True)
class Expected:
    """What a symbol becomes on average: the entropy of its trees, in nats, and the words."""

    entropy: float
    words: float

    @property
    def loss(self) -> float:
        """The lowest loss that a model can have, in nats a token; </s>, which ends a sentence, is one."""
        return self.entropy / (self.words + 1)


def expected(grammar: Rules, start: str = START) -> Expected:
    """Return the entropy and the words of `start`, from linear equations.

    With p of each rule A → α: H(A) = Σ p (-log p + Σ_{B in α} H(B)), and so for words, a word of α counting 1. All
    sums are finite if the largest eigenvalue of the matrix of expected children is below 1: then trees end.
    """
    place = {symbol: number for number, symbol in enumerate(grammar)}
    children, own = np.zeros((len(place), len(place))), np.zeros((len(place), 2))
    for symbol, options in grammar.items():
        for becomes, p in options.items():
            own[place[symbol]] += p * -math.log(p), p * isinstance(becomes, str)
            for child in () if isinstance(becomes, str) else becomes:
                children[place[symbol], place[child]] += p
    if (largest := max(abs(np.linalg.eigvals(children)))) >= 1:
        raise ValueError(f"trees of this grammar need not end: expected an eigenvalue below 1, got {largest:.3f}")
    entropy, words = np.linalg.solve(np.eye(len(place)) - children, own)[place[start]]
    return Expected(float(entropy), float(words))


def derive(grammar: Rules, rng: random.Random, start: str = START) -> tuple[str, float]:
    """Return a sentence, and the log-probability of its tree."""
    words, log_p, waiting = [], 0.0, [start]
    while waiting:
        options = grammar[waiting.pop()]
        (becomes,) = rng.choices(list(options), list(options.values()))
        log_p += math.log(options[becomes])
        if isinstance(becomes, str):
            words.append(becomes)
        else:
            waiting += reversed(becomes)
    return " ".join(words), log_p


def stream(rng: random.Random) -> Iterator[tuple[str, float]]:
    """Yield sentences and their log-probabilities without end."""
    grammar = rules()
    while True:
        yield derive(grammar, rng)


def generate(count: int, seed: int) -> list[tuple[str, float]]:
    """Return `count` sentences, each with its log-probability."""
    return list(itertools.islice(stream(random.Random(seed)), count))


@made_once
def load() -> Text:
    """Return the fixed splits, with the entropy and with what the grammar says of the test sentences."""
    parts = {name: generate(size, 2026 + number) for number, (name, size) in enumerate(SIZES.items())}
    train, validation, test = ([sentence for sentence, _ in part] for part in parts.values())
    known = {"test": [log_p for _, log_p in parts["test"]]}
    return Text("grammar", UNIT, train, validation, {"test": test}, expected(rules()).loss, known)


def tables(grammar: Rules | None = None) -> tuple[list[str], list[str], np.ndarray, np.ndarray]:
    """Return symbols (the first is the start), words, P(A → B C) as a table [A, B, C], and P(A → word) as [A, word]."""
    grammar = grammar or rules()
    symbols = list(grammar)
    words = sorted({becomes for options in grammar.values() for becomes in options if isinstance(becomes, str)})
    binary, emission = np.zeros((len(symbols),) * 3), np.zeros((len(symbols), len(words)))
    for a, options in enumerate(grammar.values()):
        for becomes, p in options.items():
            if isinstance(becomes, str):
                emission[a, words.index(becomes)] = p
            else:
                binary[a, symbols.index(becomes[0]), symbols.index(becomes[1])] = p
    return symbols, words, binary, emission
