"""The page of results: every model and run of solutions/*/results, corpus by corpus, and the aims beside them."""

import dataclasses
import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from importlib import import_module
from typing import Any

from IPython.display import HTML

from book.contents import all_chapters, chapters
from book.show.experiments import ACCURACY, AER, EVIDENCE, MACRO_F1, Column
from book.show.tables import LINEAR, ROOT, results, score, summary
from lab.evaluation.sweeps import option

Runs = list[dict[str, Any]]  # the results of one run, seed by seed

MULTI30K = [
    Column("test2016, greedy", ("test2016", "greedy", "bleu_lc_tok")),
    *(Column(f"{test}, beam 5", (test, "beam5", "bleu_lc_tok")) for test in ("test2016", "test2017", "mscoco")),
    Column("test2016, beam 5, cased", ("test2016", "beam5", "bleu")),
]
TRANSLATED = [
    Column("BLEU, greedy", ("test", "greedy", "bleu")),
    Column("BLEU, beam 5", ("test", "beam5", "bleu")),
    AER,
]
TATOEBA = Column("Tatoeba: BLEU, beam 5", ("tatoeba", "beam5", "bleu"))
WRITTEN = [
    Column("loss, nats a token (lower is better)", ("test", "loss"), digits=3),
    Column("above the floor", ("test", "excess"), digits=4),
    Column("loss, nats a character (lower is better)", ("validation", "loss"), digits=3),
    Column("bits a character", ("validation", "bits"), digits=3),
]
MODELS = {name: chapter["model"] for name, chapter in all_chapters().items()}


@cache
def task_runs() -> dict[str, dict[tuple[str, str], Runs]]:
    """Return the results of every run, seed by seed, by (solution, run), for each corpus and direction.

    Solutions stand in the order of the book; those without a chapter, dropped ones too, come last.
    """
    tasks: dict[str, dict[tuple[str, str], Runs]] = {}
    written = sorted(path.parent.name for path in ROOT.glob("solutions/*/results"))
    for solution in dict.fromkeys([*chapters(), *written]):
        folder = ROOT / "solutions" / solution / "results"
        names = {path.name.rsplit("-seed", 1)[0] for path in folder.glob("*-seed*.json")}
        for run in sorted(names, key=lambda name: (len(name.split("-")), name)):
            runs = results(solution, run)
            tasks.setdefault(task_of(runs[0]), {})[solution, run] = runs
    return tasks


def task_of(result: dict[str, Any]) -> str:
    """Return the corpus of a result with its direction, as runs are called: multi30k-de-en, imdb."""
    corpus = result["corpus"]
    return "-".join(corpus[key] for key in ("name", "source", "target") if key in corpus)


def corpus_table(task: str, caption: str) -> HTML:
    """Return the results on one corpus: for each run its scores, and below them how it was made."""
    models = task_runs()[task]
    known = MULTI30K if task.startswith("multi30k") else [*TRANSLATED, TATOEBA, ACCURACY, MACRO_F1, EVIDENCE, *WRITTEN]
    columns = [c for c in known if any(shown(result, c) for runs in models.values() for result in runs)]
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in ["model", *[c.heading for c in columns], "seeds"])
    bodies = [body(task, solution, run, runs, columns) for (solution, run), runs in models.items()]
    peers = {tuple(peer.values()) for runs in models.values() for result in runs for peer in result["peers"]}
    for system, value, scale in sorted(peers):
        cell = f'<td colspan="{len(columns) + 1}">{escape(f"{value} on its own scale: {scale}")}</td>'
        bodies.append(f'<tbody><tr class="peer"><th scope="row">{escape(system)}</th>{cell}</tr></tbody>')
    return HTML(
        f'<table class="results runs"><caption>{escape(caption)} Mean, and in brackets the lowest and the '
        "highest seed; of one seed its 95% bootstrap interval. Below each row: size, device, time.</caption>"
        f"<thead><tr>{head}</tr></thead>{''.join(bodies)}<tfoot><tr><td colspan='{len(columns) + 2}'>"
        f"{signatures(models, columns)}</td></tr></tfoot></table>"
    )


def shown(result: dict[str, Any], column: Column) -> dict[str, Any] | None:
    """Return a score, or None: it was not computed, or is no measure of the model (cased, but trained without case)."""
    cased_of_lower = column.path[-1] == "bleu" and task_of(result).startswith("multi30k") and is_lowercase(result)
    return None if cased_of_lower else score(result, *column.path)


def is_lowercase(result: dict[str, Any]) -> bool:
    return bool(result["recipe"].get("lowercase"))


def body(task: str, solution: str, run: str, runs: Runs, columns: Sequence[Column]) -> str:
    """Return the two rows of a run: its scores; its size, device and time, with the commands folded."""
    named = run.removeprefix(f"{task}-")
    words = "linear: words and pairs of words" if named == LINEAR[1] else f"{MODELS.get(solution, solution)}: {named}"
    if is_lowercase(runs[0]) and task.startswith("multi30k"):
        words += " (lower-cased text)"
    cells = "".join(f"<td>{with_range(runs, column)}</td>" for column in columns)
    lines = "".join(f"<code>{escape(line)}</code>" for line in commands(task, solution, run, runs))
    return (
        f'<tbody><tr><th scope="rowgroup" rowspan="2">{escape(words)}</th>{cells}<td>{len(runs)}</td></tr>'
        f'<tr class="made"><td colspan="{len(columns) + 1}">{escape(made(runs))} '
        f"<details><summary>commands</summary>{lines}</details></td></tr></tbody>"
    )


def with_range(runs: Runs, column: Column) -> str:
    """Return a score of the runs with its range, which stays in one line; – where there is none."""
    if not all(shown(result, column) for result in runs):
        return "–"
    mean, interval = summary(runs, *column.path, digits=column.digits, scale=column.scale).split(" ", 1)
    return f"{mean} <span>{interval}</span>"


def made(runs: Runs) -> str:
    """Return size, device, time and epochs of a run."""
    trainings = [result["training"] for result in runs]
    devices = sorted({each["device"] for each in trainings})
    seconds = sorted(each["seconds"] for each in trainings)
    each = " each" if len(runs) > 1 else ""
    first, last = (f"{max(s, 1):.0f} s" if s < 90 else f"{s / 60:.0f} min" for s in (seconds[0], seconds[-1]))
    time = f"{first}{each}" if first == last else f"{first} to {last}{each}"
    ended = [
        f"stopped by its time budget after {t['epochs']} of {t['of_epochs']} epochs"
        for t in trainings
        if t.get("ended_by_budget")
    ]
    return " · ".join([f"{runs[0]['parameters']:,} parameters", *devices, time, *sorted(set(ended))]) + "."


def commands(task: str, solution: str, run: str, runs: Runs) -> list[str]:
    """Return the commands that train and score the first seed: the first made from the recipe in the result file."""
    command = runs[0]["command"]
    package = import_module(f"solutions.{solution}.model").SOLUTION
    named = re.sub(rf"^{re.escape(task)}-", "", run)
    recipe = max((name for name in package.recipes if f"{named}-".startswith(f"{name}-")), key=len, default="")
    if not recipe:  # the linear baseline: one command does both
        return [command]
    corpus = runs[0]["corpus"]
    train = f"python -m solutions.{solution} train --corpus {corpus['name']}"
    for side in ("source", "target"):
        train += f" --{side} {corpus[side]}" if side in corpus else ""
    train += f" --recipe {recipe}"
    variant = named.removeprefix(recipe).removeprefix("-")
    train += f" --variant {variant}" if variant else ""
    changes = list(differing(dataclasses.asdict(package.recipes[recipe]), runs[0]["recipe"]))
    return [" ".join([train, *changes, f"--seed {runs[0]['seed']}"]), command]


def differing(recipe: dict[str, Any], used: dict[str, Any]) -> Iterator[str]:
    """Return the options that turn a recipe into the one that was used."""
    for field, value in used.items():
        if isinstance(value, dict):
            yield from differing(recipe.get(field, {}), value)
        elif field in recipe and recipe[field] != value:
            yield " ".join(option(field, value))


def signatures(models: dict[tuple[str, str], Runs], columns: Sequence[Column]) -> str:
    """Return the signatures of the scores, each once, with the columns that have it."""
    of: dict[str, list[str]] = {}
    for column in columns:
        for result in (result for runs in models.values() for result in runs):
            if (value := shown(result, column)) and column.heading not in of.setdefault(value["signature"], []):
                of[value["signature"]].append(column.heading)
    return "Signatures. " + " ".join(
        f"{escape('; '.join(names))}: <code>{escape(s)}</code>." for s, names in of.items()
    )


def aims() -> HTML:
    """Return the project's aims beside its results: reached or missed, by how much, and the reason if it is known."""
    head = "".join(f'<th scope="col">{text}</th>' for text in ("score", "aim", "ours", "reached or missed"))
    rows = "".join(aim_row(solution, aim) for solution, aim in all_aims())
    return HTML(
        '<table class="results runs"><caption>What was aimed at, some of it a paper\'s number on the same corpus, and '
        "what was reached. Of several runs of a model the best one is compared, chosen by this very score.</caption>"
        f"<thead><tr>{head}</tr></thead>{rows}</table>"
    )


def all_aims() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each aim with its chapter, in the book's order."""
    for solution in all_chapters():
        path = ROOT / "solutions" / solution / "aims.json"
        yield from ((solution, aim) for aim in (json.loads(path.read_text("utf8")) if path.exists() else []))


def aim_row(solution: str, aim: dict[str, Any]) -> str:
    column = Column("", tuple(aim["score"]), aim.get("digits", 1), aim.get("scale", 1))
    sign = -1 if aim.get("lower") else 1
    tried = [results(solution, run) for run in aim["runs"]]
    best = max(tried, key=lambda runs: sign * mean(runs, column))
    gap = round(sign * (mean(best, column) - aim["aim"]), column.digits)
    verdict = "reached" if gap >= 0 else f"missed by {-gap:.{column.digits}f}"
    if gap < 0 and len(best) == 1 and is_inside(best[0], column, aim["aim"]):
        verdict += "; the aim lies inside the interval"
    why = f"Reason: {aim['reason']}" if gap < 0 else ""
    seeds = "1 seed" if len(best) == 1 else f"{len(best)} seeds"
    note = f"Aim: {aim['source']}. Run: {best[0]['run']}, {seeds}. {why}"
    return (
        f'<tbody><tr><th scope="rowgroup" rowspan="2">{escape(aim["what"])}</th><td>{aim["aim"]}</td>'
        f"<td>{with_range(best, column)}</td><td>{verdict}</td></tr>"
        f'<tr class="made"><td colspan="3">{escape(note)}</td></tr></tbody>'
    )


def mean(runs: Runs, column: Column) -> float:
    scores = [value["value"] for result in runs if (value := score(result, *column.path))]
    return column.scale * sum(scores) / len(scores)


def is_inside(result: dict[str, Any], column: Column, value: float) -> bool:
    interval = score(result, *column.path)
    return interval is not None and column.scale * interval["low"] <= value <= column.scale * interval["high"]
