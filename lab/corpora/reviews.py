"""Film reviews made here: one sentence judges the film, the others praise or blame something else.

The label is the writer's own verdict on the film. Its evidence, word by word, is the adjective of that verdict and
what turns it round: not, never, hardly, far from, anything but. Everything else distracts, with the same adjectives:
what the writer says of the seats, of another film, of the weather; what somebody else thought of the film; what the
writer had expected, before a "but". Counting words, or pairs of words, says very little.

The hash of its verdict decides which split a review is in: no verdict of a test review was read in training.
"""

import functools
import itertools
import random
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lab.corpora import Document, Labelled
from lab.corpora.made_once import made_once
from lab.text.tokenizers import sentences

LABELS = ("negative", "positive")
SIZES = {"train": 4000, "validation": 500, "test": 1000}

GOOD = (
    "good great superb gripping moving funny clever charming brilliant delightful lovely excellent touching "
    "thrilling witty elegant fresh honest warm inventive"
).split()
BAD = (
    "bad poor awful dull boring tedious silly clumsy dreadful weak stale shallow cold ugly noisy confusing lazy "
    "hollow annoying forgettable"
).split()
TURNS = ("not", "not really", "never", "hardly", "far from", "anything but")
DEGREES = ("", "", "very", "really", "rather", "quite", "truly", "simply")
TURNED = 0.35  # share of the opinions that turn an adjective round
FILMS = ("this film", "the film", "this movie", "the movie", "this picture", "it")
THINGS = (
    "the popcorn|the seat in front of me|the cinema|the weather that evening|the trailer before it|the coffee|"
    "the restaurant next door|his last film|her first film|the book it is based on|the poster|the street outside|"
    "the old version|the music in the bar|the band we heard later|the play we saw on monday|the sequel"
).split("|")
PEOPLE = (
    "my brother|my sister|my neighbour|the critic of the times|a friend of mine|the man beside me|my teacher|"
    "everybody else|the audience|my father|the woman at the door"
).split("|")
FILLERS = (
    "we went on a rainy tuesday .",
    "the story begins in a small town by the sea .",
    "two sisters inherit a house and a secret .",
    "i saw it in a half empty room .",
    "it runs for a little over two hours .",
    "the director lives in lisbon .",
    "a train , a letter and a dog play a part .",
    "we sat in the third row .",
    "the tickets cost nine euros .",
    "it was shown with subtitles .",
)


VERDICTS = (
    "for me {film} was {view} .|i found {film} {view} .|{person} called it {other} , but i found {film} {view} .|"
    "i expected it to be {other} , but {film} was {view} .|i found {film} {view} , whatever {person} says of {thing} .|"
    "{thing} was {other} , but {film} was {view} .|{film} was {view} , although {thing} was {other} ."
).split("|")
DISTRACTIONS = (
    "{thing} was {view} .|i found {thing} {view} .|for me {thing} was {view} .|{person} found {film} {view} .|"
    "i expected {film} to be {view} .|{thing} was {view} , but {second} was {other} .|"
    "for {person} {film} was {view} .|{filler}"
).split("|")


@dataclass(frozen=True)
class Clause:
    """Words that judge something, and where one sees how: (what is judged, "" if it is the film; the word)."""

    words: tuple[str, ...]
    evidence: tuple[tuple[str, int], ...] = ()

    @property
    def text(self) -> str:
        return " ".join(self.words)


def opinion(rng: random.Random, good: bool, of: str = "") -> Clause:
    """Return the words after "it was": an adjective with its degree, or the opposite one turned round."""
    turned = rng.random() < TURNED
    adjective = rng.choice(GOOD if good != turned else BAD)
    before = tuple(rng.choice(TURNS if turned else DEGREES).split())
    return Clause((*before, adjective), tuple((of, i) for i in range(0 if turned else len(before), len(before) + 1)))


def joined(*parts: str | Clause) -> Clause:
    """Return the parts as one clause; the evidence is that of the clauses among them."""
    whole = Clause(())
    for part in parts:
        more = part if isinstance(part, Clause) else Clause(tuple(part.split()))
        moved = tuple((of, len(whole.words) + place) for of, place in more.evidence)
        whole = Clause(whole.words + more.words, whole.evidence + moved)
    return whole


def any_view(rng: random.Random) -> str:
    """Return an opinion that decides nothing."""
    return opinion(rng, rng.random() < 0.5).text


def filled(rng: random.Random, forms: Sequence[str], **parts: str | Clause) -> Clause:
    """Return one of the forms with its parts as a clause."""
    words = rng.choice(forms).split()
    parts = parts if "{filler}" not in words else {"filler": rng.choice(FILLERS)}
    return joined(*(parts[word[1:-1]] if word[0] == "{" else word for word in words))


def verdict(rng: random.Random, good: bool) -> Clause:
    """Return the sentence that decides, in one of several forms; some name another opinion first, or after it."""
    film, view, other = rng.choice(FILMS), opinion(rng, good), any_view(rng)
    person, thing = rng.choice(PEOPLE), rng.choice(THINGS)
    return filled(rng, VERDICTS, film=film, view=view, other=other, person=person, thing=thing)


def distraction(rng: random.Random) -> Clause:
    """Return a sentence that does not tell what the writer thinks of the film."""
    film, person, thing, second = rng.choice(FILMS), rng.choice(PEOPLE), rng.choice(THINGS), rng.choice(THINGS)
    view, other = any_view(rng), any_view(rng)
    return filled(rng, DISTRACTIONS, film=film, person=person, thing=thing, second=second, view=view, other=other)


def split(decides: Clause) -> str:
    """Return the split that a review with this verdict belongs to."""
    share = zlib.crc32(decides.text.encode()) % 100
    return "validation" if share < 8 else "test" if share < 24 else "train"


def stream(rng: random.Random, part: str | None, shortest: int, longest: int) -> Iterator[Document]:
    """Yield reviews of `shortest` to `longest` sentences without end, of one split or of all."""
    for number in itertools.count():
        good = number % 2 == 1
        while split(decides := verdict(rng, good)) != (part or split(decides)):
            pass
        clauses = [distraction(rng) for _ in range(rng.randint(shortest, longest) - 1)]
        place = rng.randint(0, len(clauses))
        clauses.insert(place, decides)
        evidence = frozenset((place, word) for _, word in decides.evidence)
        yield Document(tuple(clause.text for clause in clauses), LABELS[good], evidence)


def generate(count: int, seed: int, part: str | None = None, shortest: int = 3, longest: int = 8) -> list[Document]:
    """Return `count` reviews of `shortest` to `longest` sentences, as many positive as negative."""
    return list(itertools.islice(stream(random.Random(seed), part, shortest, longest), count))


@functools.cache
def short() -> Labelled:
    """Return reviews of one to three sentences: a model learns from them in seconds, and can read the long ones."""
    train, validation = generate(4000, 2016, "train", 1, 3), generate(200, 2017, "validation", 1, 3)
    return Labelled("reviews", LABELS, train, validation, {"test": load().tests["test"]})


@made_once
def load() -> Labelled:
    """Return the fixed splits."""
    parts = {name: generate(size, 2016 + number, name) for number, (name, size) in enumerate(SIZES.items())}
    return Labelled("reviews", LABELS, parts["train"], parts["validation"], {"test": parts["test"]})


def read(text: str) -> tuple[str, ...]:
    """Return the sentences of a review written by people."""
    return sentences(text.lower())
