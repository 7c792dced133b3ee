"""A translation model of any chapter, from corpus to checkpoint and back: train it, load it, translate with it."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import sacrebleu
import torch
from torch import Tensor

from lab import corpora, text
from lab.batches import Example
from lab.checkpoints import CheckpointError, load
from lab.corpora import Pair, Parallel
from lab.decoding import Translator, forced, translate
from lab.training import Progress, Trainer, best_device, seed_all

ROOT = Path(__file__).resolve().parents[1]
RUNS = ROOT / "build" / "runs"
Tokenizer = text.Words | text.Subwords
Build = Callable[[Any, int, int], Translator]  # (recipe, source vocabulary, target vocabulary) -> model


@dataclass(frozen=True)
class Solution:
    """What a chapter hands to the lab: its name, its model, its recipes, and which recipe each corpus takes."""

    name: str
    build: Build
    recipes: Mapping[str, Any]
    defaults: Mapping[str, str]
    peers: Mapping[str, Sequence[Mapping[str, Any]]]  # run without recipe: what others got, and how it was scored


@dataclass(frozen=True)
class Run:
    """Which training: the corpus in its direction, the recipe by name, a word for what differs from it, the seed."""

    solution: str
    corpus: str
    source: str
    target: str
    recipe: str
    variant: str = ""
    seed: int = 1

    @property
    def task(self) -> str:
        return f"{self.corpus}-{self.source}-{self.target}"

    @property
    def name(self) -> str:
        return "-".join(part for part in (self.task, self.recipe, self.variant) if part)

    @property
    def folder(self) -> Path:
        return RUNS / self.solution / self.name / f"seed{self.seed}"


@dataclass
class Trained:
    """A trained model with its vocabularies: text in, text out."""

    model: Translator
    source_text: Tokenizer
    target_text: Tokenizer
    about: dict[str, Any]
    progress: Progress

    def translate(self, sentences: Sequence[str], width: int = 1, alpha: float = 1.0) -> list[str]:
        """Return the translations; width 1 is greedy, more is beam search."""
        outputs = translate(self.model, [self.source_text.encode(s) for s in sentences], width, alpha)
        return [self.target_text.decode(output.tokens) for output in outputs]

    def attention(self, source: str, target: str) -> Tensor:
        """Return where the model looks while it says `target`: (target pieces, source pieces and </s>)."""
        return self.alignments([Pair(source, target)])[0]

    def alignments(self, pairs: Sequence[Pair], size: int = 64) -> list[Tensor]:
        """Return the attention of each pair, the target being forced; the last column is the source's </s>."""
        examples = encoded(pairs, self.source_text, self.target_text)
        maps: list[Tensor] = []
        for start in range(0, len(examples), size):
            part = examples[start : start + size]
            maps += forced(self.model, [s for s, _ in part], [t for _, t in part])
        return maps


def encoded(pairs: Sequence[Pair], source_text: Tokenizer, target_text: Tokenizer) -> list[Example]:
    return [(source_text.encode(pair.source), target_text.encode(pair.target)) for pair in pairs]


def vocabularies(corpus: Parallel, recipe: Any) -> tuple[Tokenizer, Tokenizer]:
    """Learn the vocabularies of both languages from the training part alone."""
    sides = [[pair.source for pair in corpus.train], [pair.target for pair in corpus.train]]
    if not recipe.vocabulary:
        return text.Words.learn(sides[0]), text.Words.learn(sides[1])
    first, second = (text.Subwords.learn(side, recipe.vocabulary, recipe.lowercase) for side in sides)
    return first, second


def train(
    solution: Solution,
    run: Run,
    recipe: Any,
    *,
    minutes: float | None = None,
    quiet: bool = False,
    device: torch.device | None = None,
    folder: Path | None = None,
    corpus: Parallel | None = None,
    fresh: bool = False,
) -> Trained:
    """Train one run to its end or its time budget, going on from where an earlier call was stopped, unless `fresh`."""
    corpus = corpus or corpora.load(run.corpus, run.source, run.target)
    folder = folder or run.folder
    about = {
        "solution": solution.name,
        "run": run.name,
        "recipe": asdict(recipe),
        "data": fingerprint(corpus),
    }
    kept = None if fresh else kept_vocabularies(folder, about)
    source_text, target_text = kept or vocabularies(corpus, recipe)
    about |= {"source_text": source_text.state(), "target_text": target_text.state()}
    seed_all(run.seed)
    model = solution.build(recipe, len(source_text), len(target_text))
    validation = corpus.validation[:1000]
    reference = [pair.target for pair in validation]

    def bleu_of(candidate: Any) -> float:
        trained = Trained(candidate, source_text, target_text, about, Progress())
        said = trained.translate([pair.source for pair in validation])
        return sacrebleu.corpus_bleu(said, [reference], lowercase=recipe.lowercase).score

    trainer = Trainer(
        model,
        [example for example in encoded(corpus.train, source_text, target_text) if all(example)],
        recipe.training,
        folder,
        seed=run.seed,
        validate=bleu_of,
        about=about,
        device=device or best_device(),
        minutes=minutes,
        quiet=quiet,
    )
    if fresh:  # only now, when corpus and model are there
        for file in ("last.pt", "best.pt"):
            (trainer.folder / file).unlink(missing_ok=True)
    progress = trainer.run()
    trained = restore(solution, trainer.folder, device)
    trained.progress = progress  # of the whole training; the checkpoint holds that of its best moment
    return trained


def kept_vocabularies(folder: Path, about: dict[str, Any]) -> tuple[Tokenizer, Tokenizer] | None:
    """Return the vocabularies of a training that can be gone on with: learnt anew, they need not be the same."""
    if not (folder / "last.pt").exists():
        return None
    kept = load(folder / "last.pt").get("about", {})
    if any(kept.get(key) != value for key, value in about.items()):
        return None
    return text.restore(kept["source_text"]), text.restore(kept["target_text"])


def restore(solution: Solution, folder: Path, device: torch.device | None = None) -> Trained:
    """Return the best model of a run's folder; a checkpoint of another solution is an error."""
    content = load(folder / "best.pt")
    if missing := {"solution", "recipe", "weights", "progress"} - set(content):
        raise CheckpointError(f"{folder / 'best.pt'} is no trained model: it has no {', '.join(sorted(missing))}.")
    if content["solution"] != solution.name:
        raise CheckpointError(
            f"{folder / 'best.pt'} holds another model: expected {solution.name}, got {content['solution']}. "
            f"Use python -m solutions.{content['solution']}, or train this one."
        )
    source_text, target_text = text.restore(content["source_text"]), text.restore(content["target_text"])
    try:
        recipe = as_recipe(type(next(iter(solution.recipes.values()))), content["recipe"])
        model = solution.build(recipe, len(source_text), len(target_text))
        model.load_state_dict(content["weights"])
    except (RuntimeError, TypeError) as error:
        raise CheckpointError(
            f"{folder / 'best.pt'} does not fit the model as it is now: {str(error).splitlines()[-1].strip()} "
            "Train again with --fresh."
        ) from None
    about = {key: value for key, value in content.items() if key not in ("weights", "progress")}
    model.to(device or best_device()).eval()
    return Trained(model, source_text, target_text, about, Progress(**content["progress"]))


def as_recipe(kind: type, values: dict[str, Any]) -> Any:
    """Return the recipe that a checkpoint keeps as plain values."""
    training = kind.__dataclass_fields__["training"].default_factory
    return kind(**{**values, "training": training(**values["training"])})


def fingerprint(corpus: Parallel) -> str:
    """Return a short name of the training text: a checkpoint is only gone on with on the same text."""
    digest = hashlib.sha256()
    for pair in corpus.train:
        digest.update(f"{pair.source}\t{pair.target}\n".encode())
    return digest.hexdigest()[:16]
