"""Tables of the chapters, filled from solutions/NAME/results."""

import html
import re
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from IPython.display import HTML

from lab import corpora
from lab.evaluation.result_files import read_json
from lab.metrics import LengthScore, Score
from lab.show.plots import Picture, bleu_by_length_plot

ROOT = Path(__file__).resolve().parents[2]
MINUS = re.compile(r"(?<![\w.-])-(?=\.?\d)")  # a hyphen before a number that begins there
PHRASEBOOK = "phrasebook-fr-en-medium"  # the run behind the figures on the made corpus
MODELS = {  # solution: its words
    "encoder_decoder": "encoder–decoder",
    "bahdanau": "additive attention",
    "luong": "Luong, general",
    "transformer": "Transformer",
}


def results(solution: str, run: str) -> list[dict[str, Any]]:
    """Return the results of one run, seed by seed; raise FileNotFoundError if it has none."""
    return _read(solution, f"{run}-seed*.json")


def outputs(solution: str, run: str) -> list[dict[str, Any]]:
    """Return a run's outputs on the test sets (translations, links, labels), seed by seed."""
    return _read(solution, f"{run}-seed*.outputs.json.gz")


def _read(solution: str, pattern: str) -> list[dict[str, Any]]:
    folder = ROOT / "solutions" / solution / "results"
    if not (paths := sorted(folder.glob(pattern))):
        raise FileNotFoundError(f"{folder} has no {pattern}: train and evaluate this run, or leave it out of the page")
    return [read_json(path) for path in paths]


def score(result: dict[str, Any], *path: str) -> dict[str, Any] | None:
    """Return a score of a result by its path of keys, or None if it was not computed."""
    value: Any = result["scores"]
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def summary(runs: Sequence[dict[str, Any]], *path: str, digits: int = 1, scale: float = 1) -> str:
    """Return one score over the seeds, mean (lowest–highest), or of one seed with its bootstrap interval, [low, high].

    `scale` is 100 for a share that is to be read in per cent. A score that was not computed is –.
    """
    scores = [value for result in runs if (value := score(result, *path)) is not None]
    if not scores:
        return "–"
    values = [scale * value["value"] for value in scores]
    if len(values) > 1:
        return spread(values, digits)
    low, high = (scale * scores[0][end] for end in ("low", "high"))
    return f"{values[0]:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def spread(values: Sequence[float], digits: int = 1) -> str:
    """Return the mean, the lowest and the highest: "93.8 (93.6–93.9)"."""
    mean, low, high = (f"{each:,.{digits}f}" for each in (statistics.fmean(values), min(values), max(values)))
    return f"{mean} ({low}–{high})"


def table(caption: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> HTML:
    """Return a table whose first column names the row."""
    head = "".join(f'<th scope="col">{html.escape(column)}</th>' for column in columns)
    body = "".join(
        f'<tr><th scope="row">{html.escape(first)}</th>{"".join(cell(text) for text in rest)}</tr>'
        for first, *rest in rows
    )
    return HTML(
        f'<table class="results"><caption>{html.escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def cell(text: str) -> str:
    kind = "" if any(sign.isdigit() for sign in text) else ' class="words"'
    return f"<td{kind}>{html.escape(MINUS.sub('−', text))}</td>"


def scientific(number: float) -> str:
    """Return a number with two digits, and a power of ten if it is small."""
    if number >= 0.01:
        return f"{number:.2g}"
    digits, exponent = f"{number:.1e}".split("e")
    return f"{digits} × 10{str(int(exponent)).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def multi30k(solutions: Sequence[str], run: str = "multi30k-de-en-base") -> HTML:
    """Return the scores on real data: each model, and what others published, on the two scales that are in use."""
    return multi30k_of([(name, run, name) for name in solutions])


def multi30k_of(models: Sequence[tuple[str, str, str]]) -> HTML:
    """Return the same of models given by solution, run, and the words that stand for them."""
    rows = []
    for name, run, words in models:
        runs = results(name, run)
        peers = {(peer["system"], peer["score"], peer["scale"]) for result in runs for peer in result["peers"]}
        for decoding in ("greedy", "beam5"):
            rows.append(
                [
                    f"{words}, {decoding}{budget(runs)}",
                    summary(runs, "test2016", decoding, "bleu_lc_tok"),
                    summary(runs, "test2016", decoding, "bleu"),
                ]
            )
        rows += [[f"{system} ({scale})", f"{value}", "–"] for system, value, scale in sorted(peers)]
    return table(
        "Multi30k German to English, test2016: BLEU, with its 95% bootstrap interval (several seeds: lowest–highest)",
        ["model", "lower-cased, tokenised", "cased, sacreBLEU"],
        rows,
    )


def budget(runs: Sequence[dict[str, Any]]) -> str:
    """Return a note on trainings that their time budget ended, or nothing."""
    ended = [result["training"] for result in runs if result["training"]["ended_by_budget"]]
    return f", ended by its time budget after {ended[0]['epochs']} of {ended[0]['of_epochs']} epochs" if ended else ""


def phrasebook_lengths(solutions: Sequence[str], run: str = PHRASEBOOK) -> HTML:
    """Return BLEU by the length of the source sentence: a row a bucket, a column a model."""
    models = [[by_length(result) for result in results(name, run)] for name in solutions]
    rows = [
        [f"{first.first}–{first.last} words", f"{first.score.count}"]
        + [f"{statistics.fmean(seed[place].score.value for seed in seeds):.1f}" for seeds in models]
        for place, first in enumerate(models[0][0])
    ]
    return table(
        f"Phrasebook French to English, test: BLEU by length, greedy, mean of {max(map(len, models))} seeds",
        ["source length", "sentences", *(MODELS[name] for name in solutions)],
        rows,
    )


def phrasebook_lengths_plot(solutions: Sequence[str], run: str = PHRASEBOOK) -> Picture:
    """Return the picture of BLEU by length, of the first seed of each model."""
    lines = {MODELS[name]: by_length(results(name, run)[0]) for name in solutions}
    return bleu_by_length_plot(lines, title="BLEU by length, seed 1")


def by_length(result: dict[str, Any], search: str = "greedy") -> list[LengthScore]:
    """Return a run's BLEU on the test sentences of each bucket of lengths, with one way of decoding."""
    buckets = score(result, "test", search, "by_length") or []
    return [LengthScore(bucket["first"], bucket["last"], Score(**bucket["score"])) for bucket in buckets]


def missed_words(run: str = PHRASEBOOK, most: int = 8) -> HTML:
    """Return the target words that the argmax reading of the first seed links wrongly most often."""
    wrong, every = Counter(), Counter()
    pairs, first = corpora.load("phrasebook").tests["test"], outputs("bahdanau", run)[0]
    for pair, links in zip(pairs, first["links"]["test"]["argmax"], strict=True):
        words = pair.target.split()
        every.update(words[j] for _, j in links)
        wrong.update(words[j] for i, j in links if (i, j) not in (pair.links or ()))
    rows = [[word, f"{count}", f"{every[word]}"] for word, count in wrong.most_common(most)]
    rows.append(["all words", f"{wrong.total()}", f"{every.total()}"])
    return table("Target words whose strongest source word is not a true link, seed 1", ["word", "wrong", "of"], rows)


def alignment(run: str = PHRASEBOOK) -> HTML:
    """Return the alignment error rate of additive attention, both readings, beside a diagonal aligner's."""
    runs = results("bahdanau", run)
    readings = {
        "argmax": "strongest source word of each target word",
        "threshold": "every source word above a threshold",
        "diagonal": "a diagonal aligner, which has seen no word",
    }
    rows = [
        [
            words,
            *[summary(runs, "test", "alignment", reading, kind, digits=3) for kind in ("aer", "precision", "recall")],
        ]
        for reading, words in readings.items()
    ]
    return table(
        f"Alignments on the phrasebook's test sentences, {len(runs)} seeds: mean (lowest–highest)",
        ["reading", "AER (lower is better)", "precision", "recall"],
        rows,
    )


SCORES = {"accuracy": "accuracy, %", "macro_f1": "macro-F1, %"}
LINEAR = ("pooling", "linear")  # where the baseline's results are kept, and its recipe


def classified(
    corpus: str, models: Mapping[str, str], score: str = "accuracy", split: str = "test", caption: str = ""
) -> HTML:
    """Return a corpus's scores: a row for each model (its words: its solution), its peers, and the linear baseline.

    A model's run is the one with the recipe that it takes for this corpus by default.
    """
    rows = []
    for words, solution in models.items():
        recipe = import_module(f"solutions.{solution}.model").SOLUTION.defaults.get(corpus)
        runs = results(solution, f"{corpus}-{recipe}")
        rows.append(_row(words + budget(runs), runs, split, score))
        peers = {(peer["system"], peer["score"], peer["scale"]) for result in runs for peer in result["peers"]}
        rows += [{"model": f"{system} ({scale})", score: f"{value}"} for system, value, scale in sorted(peers)]
    rows.append(_row("linear: words and pairs of words", results(LINEAR[0], f"{corpus}-{LINEAR[1]}"), split, score))
    columns = {"model": "model", score: SCORES[score], "evidence": "weight on the evidence, %", "seeds": "seeds"}
    if all(row.get("evidence", "–") == "–" for row in rows):  # a corpus without gold evidence
        del columns["evidence"]
    cells = [[row.get(key, "–") for key in columns] for row in rows]
    return table(caption or f"{corpus}, {split}", list(columns.values()), cells)


def _row(words: str, runs: list, split: str, score: str) -> dict[str, str]:
    scores = {key: summary(runs, split, key, scale=100) for key in (score, "evidence")}
    return {"model": words, "seeds": f"{len(runs)}"} | scores
