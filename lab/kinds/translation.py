"""A translation model of any chapter, from corpus to checkpoint and back: train it, load it, translate with it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor, nn

from lab.corpora import Pair, Parallel
from lab.decode.decoding import Tick, Translator, at, forced_attention, translate
from lab.kinds.experiment import Experiment
from lab.kinds.ranges import RecipeError
from lab.kinds.runs import Named, Solution
from lab.text import tokenizers
from lab.text.batches import Batch, Example, bucketed, collate
from lab.text.tokenizers import PAD, Tokenizer
from lab.train.training import Progress, Task, Training
from lab.train.transfer import sent

SAMPLE = 1_000_000  # pairs that vocabularies are learnt from; of a larger corpus every second, third, …


@dataclass(frozen=True)
class Run(Named):
    """A run on a corpus in one of its directions."""

    solution: str
    corpus: str
    source: str
    target: str
    recipe: str
    variant: str = ""
    seed: int = 1


@dataclass
class Trained:
    """A trained model with its vocabularies: text in, text out."""

    model: Translator
    source_text: Tokenizer
    target_text: Tokenizer
    about: dict[str, Any]
    progress: Progress
    kept: Progress = field(default_factory=Progress)  # when these weights were kept: the best on validation

    def translate(
        self,
        sentences: Sequence[str],
        width: int = 1,
        alpha: float = 1.0,
        shift: float = 0.0,
        tick: Tick = lambda: None,
    ) -> list[str]:
        """Return the translations; width 1 is greedy, more is beam search. `tick` is called before each step."""
        numbers = [self.source_text.encode(s) for s in sentences]
        outputs = translate(self.model, numbers, width, alpha, shift=shift, tick=tick)
        return [self.target_text.decode(output.tokens) for output in outputs]

    def attention(self, source: str, target: str) -> Tensor:
        """Return the attention weights of `target`, teacher-forced: (target pieces, source pieces and </s>)."""
        return self.alignments([Pair(source, target)])[0]

    def alignments(self, pairs: Sequence[Pair], size: int = 64) -> list[Tensor]:
        """Return the attention of each pair, the target being forced; the last column is the source's </s>."""
        examples = encoded(pairs, self.source_text, self.target_text)
        maps: list[Tensor] = []
        for start in range(0, len(examples), size):
            part = examples[start : start + size]
            maps += forced_attention(self.model, [s for s, _ in part], [t for _, t in part])
        return maps


class Translating(Task):
    """The task of a translation model: batches of similar length, the mean loss over the real target tokens."""

    unit = "target tokens"

    def __init__(self, examples: Sequence[Example], training: Training) -> None:
        self.examples, self.training = examples, training

    def groups(self, seed: int) -> Sequence[list[Example]]:
        return list(bucketed(self.examples, self.training.tokens, seed=seed))

    def weight(self, group: list[Example]) -> int:
        return sum(len(target) + 1 for _, target in group)  # with </s>

    def collate(self, group: list[Example]) -> Batch:
        return collate(group)

    def loss(self, model: nn.Module, batch: Batch, device: torch.device) -> Tensor:
        # A batch that is on a GPU already may be recorded: no host says which positions are real.
        real = None if batch.targets.device.type != "cpu" else sent(batch.targets != PAD, device)
        batch = batch.to(device)
        if isinstance(model, Translator):
            return model.loss(batch, real, self.training.smoothing)
        scores = model(batch.source, batch.mask, batch.inputs, real)
        return nn.functional.cross_entropy(scores, at(real, batch.targets), label_smoothing=self.training.smoothing)


def encoded(pairs: Sequence[Pair], source_text: Tokenizer, target_text: Tokenizer) -> list[Example]:
    return [(source_text.encode(pair.source), target_text.encode(pair.target)) for pair in pairs]


def vocabularies(corpus: Parallel, recipe: Any) -> tuple[Tokenizer, Tokenizer]:
    """Learn the vocabularies of both languages, or one for both, from the training part alone."""
    if getattr(recipe, "lowercase", False) and not recipe.vocabulary:
        raise RecipeError("whole words keep their case: expected lowercase = False, or vocabulary above 0 (subwords)")
    sample = corpus.train[:: max(1, -(-len(corpus.train) // SAMPLE))]
    source, target = [pair.source for pair in sample], [pair.target for pair in sample]

    def learn(texts: list[str]) -> Tokenizer:
        if not recipe.vocabulary:
            return tokenizers.Words.learn(texts)
        return tokenizers.Subwords.learn(texts, recipe.vocabulary, recipe.lowercase)

    if getattr(recipe, "shared", False):
        joint = learn(source + target)
        return joint, joint
    return learn(source), learn(target)


def read(corpus: Parallel, source_text: Tokenizer, target_text: Tokenizer, longest: int = 0) -> list[Example]:
    """Return the training pairs in numbers, without empty sides.

    With `longest`, only those of which neither side has more tokens.
    """
    pairs = encoded(corpus.train, source_text, target_text)
    return [example for example in pairs if all(example) and (not longest or max(map(len, example)) <= longest)]


@lru_cache(maxsize=1)
def _bleu(references: tuple[str, ...], lowercase: bool) -> Callable[..., Any]:
    """Return sacreBLEU's corpus score; it keeps the references' n-grams, most of the work of a validation's score."""
    from sacrebleu import BLEU  # late, as all that a bare machine with a GPU may lack

    return BLEU(lowercase=lowercase, force=True, references=[references]).corpus_score


class Translation(Experiment[Trained]):
    """Pairs of sentences, a vocabulary for each side, and BLEU on the first thousand validation sentences."""

    metric = "BLEU"
    trained = Trained

    def texts(self, corpus: Parallel) -> Iterator[str]:
        return (f"{pair.source}\t{pair.target}\n" for pair in corpus.train)

    def learn(self, solution: Solution, corpus: Parallel, recipe: Any) -> tuple[Tokenizer, Tokenizer]:
        return vocabularies(corpus, recipe)

    def state(self, source: Tokenizer, target: Tokenizer) -> dict[str, Any]:
        return {"source_text": source.state(), "target_text": target.state()}

    def restored(self, about: dict[str, Any]) -> tuple[Tokenizer, Tokenizer]:
        return tokenizers.restore(about["source_text"]), tokenizers.restore(about["target_text"])

    def task(self, trained: Trained, corpus: Parallel, recipe: Any) -> Translating:
        pairs = read(corpus, trained.source_text, trained.target_text, getattr(recipe, "longest", 0))
        return Translating(pairs, recipe.training)

    def score(self, trained: Trained, corpus: Parallel, tick: Tick) -> float:
        pairs = corpus.validation[:1000]
        translations = trained.translate([pair.source for pair in pairs], tick=tick)
        bleu = _bleu(tuple(pair.target for pair in pairs), trained.about["recipe"]["lowercase"])
        return bleu(translations, None).score


TRANSLATION = Translation()
train, restore = TRANSLATION.train, TRANSLATION.restore
