"""What an encoder takes of a translator's training: python -m benchmarks.encoders.

It writes solutions/self_attention/results/encoders.json: the parameters of Bahdanau's model and of each variant of the
sweep `encoders`, the seconds of an epoch on the phrasebook, and those of the encoder alone, forwards and backwards, on
the same batches. Times are the processor's, in which other programs do not count.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import torch
from torch import nn

from benchmarks.measured import in_turn, keep, repeats_asked
from lab import corpora
from lab.evaluation.result_files import results_folder
from lab.evaluation.sweeps import changed
from lab.kinds.translation import Translating, read, vocabularies
from lab.text.batches import Batch, Example
from lab.train.training import Trainer
from solutions.bahdanau.model import SOLUTION as RNNSEARCH
from solutions.self_attention.sweeps import TRANSLATING
from solutions.self_attention.translator import TRANSLATOR

SWEEP = TRANSLATING["encoders"]


def epoch(trainer: Trainer, groups: Sequence[list[Example]]) -> None:
    """Take a step on each group of examples."""
    for group in groups:
        trainer.step(group)


def encoded(model: nn.Module, batches: Sequence[Batch]) -> None:
    """Take each batch through the encoder, and send a gradient back."""
    encoder = cast("Any", model.encoder)
    for batch in batches:
        encoder.states(batch.source, batch.mask).sum().backward()


def parameters(module: nn.Module) -> int:
    return sum(each.numel() for each in module.parameters())


def measured(repeats: int) -> list[dict[str, Any]]:
    """Return a row for each encoder, the sweep's variants by their names: parameters, and times in milliseconds."""
    corpus, recipe = corpora.load(SWEEP.corpus), RNNSEARCH.recipes[SWEEP.recipe]
    texts = vocabularies(corpus, recipe)
    task = Translating(read(corpus, *texts), recipe.training)
    groups = task.groups(1)
    batches, sizes = [task.collate(group) for group in groups], [len(text) for text in texts]
    models = {"recurrent": RNNSEARCH.build(recipe, *sizes)}
    for variant, changes in SWEEP.variants.items():
        models[variant] = TRANSLATOR.build(changed(TRANSLATOR, SWEEP.recipe, changes), *sizes)
    trainers = {
        name: Trainer(model, task, recipe.training, Path("unused"), quiet=True, device=torch.device("cpu"))
        for name, model in models.items()
    }
    epochs = in_turn({name: lambda each=each: epoch(each, groups) for name, each in trainers.items()}, repeats)
    passes = in_turn({name: lambda each=each: encoded(each, batches) for name, each in models.items()}, repeats)
    return [
        {
            "encoder": name,
            "parameters": parameters(model),
            "in the layers of the encoder": parameters(model.encoder) - parameters(model.encoder.embedding),
            "milliseconds of an epoch": epochs[name],
            "milliseconds of the encoder": passes[name],
        }
        for name, model in models.items()
    ]


def main(repeats: int) -> Path:
    """Measure all encoders, on one thread, write the figures, and return the file."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    folder, command = results_folder("self_attention"), f"benchmarks.encoders --repeats {repeats}"
    return keep(folder, "encoders.json", command, recipe=SWEEP.recipe, models=measured(repeats))


if __name__ == "__main__":
    print(main(repeats_asked("encoders", __doc__, 3)))
