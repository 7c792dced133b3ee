"""What the chapter on language models shows of its runs: sweeps above the floor, induction heads, expected words."""

from collections.abc import Sequence
from statistics import fmean
from typing import Any

import torch
from IPython.display import HTML

from book.experiments import Column, experiment_table, runs_of, seeds_plot, values
from book.seed_plots import lines
from lab.attention_table import heat_table
from lab.evaluation.result_files import read_json, results_folder
from lab.language import Trained, framed
from lab.plots import Picture, training_curves
from lab.tokenizers import EOS

NAME = "language_model"
EXCESS = Column("above the floor, thousandths of a nat a word", ("test", "excess"), digits=1, scale=1000)
LOSS = Column("loss, nats a word", ("test", "loss"), digits=3)
BLOCK = {  # variant of the sweep: what it is called
    "2017": "the block of 2017",
    "pre": "2017, norm before the sublayer",
    "rms": "2017, RMSNorm",
    "swiglu": "2017, SwiGLU",
    "rope": "2017, rotary positions",
    "unbiased": "2017, no biases",
    "": "all of today's parts",
    "untied": "today's, readout of its own",
}
POSITIONS = {"": "rotary", "sine": "sines", "learned": "learned", "unplaced": "none"}
KV_HEADS = {"": "4 key–value heads", "gqa": "2, shared by two heads each", "mqa": "1, shared by all"}


def expected_words(model: Trained, sentence: str, words: Sequence[str]) -> Any:
    """Draw the probability of some next words after each word of a sentence."""
    tokens = framed(model.text, sentence)[:-1]
    with torch.no_grad():
        probabilities = model.model(torch.tensor([tokens]))[0].softmax(dim=-1)
    chosen = [EOS if word == "</s>" else model.text.encode(word)[0] for word in words]
    return heat_table(
        probabilities[:, chosen].T,
        ["<s>", *sentence.split()],
        list(words),
        caption="The probability of a next word, after each word of a sentence.",
        axes="Rows: the next word; columns: the last word that was read.",
    )


def block() -> Picture:
    """Draw how far each block is above the floor, seed by seed."""
    return seeds_plot(NAME, "block", BLOCK, EXCESS, "Blocks of 2017 and of today, above the floor")


def sizes() -> Picture | HTML:
    """Draw the loss over the number of parameters, seed by seed, with the floor."""
    points, floor = [], 0.0
    for variant in [*(f"width-{width}" for width in (8, 16, 24, 32, 48)), ""]:
        if runs := runs_of(NAME, "sizes", variant):
            points.append((runs[0]["parameters"], fmean(values(NAME, "sizes", variant, LOSS))))
            floor = runs[0]["scores"]["test"]["floor"]
    if len(points) < 2:
        return _missing(" sweep sizes")
    return lines(
        {"models of six widths": points},
        "parameters",
        LOSS.heading,
        "Loss over the number of parameters",
        log="xy",
        marks={"the floor": floor},
    )


def sweep_table(experiment: str, words: dict[str, str], caption: str) -> HTML:
    """Return an experiment as a table: loss and distance from the floor."""
    return experiment_table(NAME, experiment, words, (LOSS, EXCESS), caption)


def kept_induction() -> dict[str, Any]:
    """Return what `python -m solutions.language_model.induction` has written."""
    path = results_folder(NAME) / "induction.json"
    return read_json(path) if path.exists() else {"runs": []}


def induction() -> Picture | HTML:
    """Draw, over the training, the best head's score and the loss on what was seen before, for one layer and two."""
    runs = kept_induction()["runs"]
    if not runs:
        return _missing(".induction")
    names = {1: "one layer", 2: "two layers"}
    curves = {
        f"{names[run['layers']]}: {what}, seed {run['seed']}": [
            (row["step"], max(map(max, row["scores"])) if what == "best head's score" else row["again"])
            for row in run["history"]
        ]
        for run in runs
        if run["seed"] == runs[0]["seed"]
        for what in ("best head's score", "loss on what was seen before")
    }
    return training_curves(curves, "step of training", "weight; nats a token", "Two layers learn to copy, one does not")


def _missing(command: str) -> HTML:
    return HTML(f'<p class="results">No run yet (<code>python -m solutions.{NAME}{command}</code>).</p>')
