"""Scoring a trained model on test sets, and keeping the scores beside the outputs that they were computed from."""

import argparse
import gzip
import hashlib
import json
import math
import platform
import subprocess
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch

from lab import corpora, metrics
from lab.alignment import aligned, alignment_scores, alignments
from lab.checkpoints import load
from lab.corpora import Parallel
from lab.decoding import Search
from lab.positions import Positions, counted, crossing, position_scores, positions
from lab.runs import ROOT, Solution
from lab.training import Progress
from lab.translation import Run, Trained, restore

LENGTHS = ((3, 8), (9, 14), (15, 20), (21, 26), (27, 30))  # buckets of source words

Outputs = dict[str, Any]


def results_folder(solution: str) -> Path:
    return ROOT / "solutions" / solution / "results"


def evaluate(solution: Solution, run: Run, search: Search, *, command: str) -> Path:
    """Translate and align the test sets with the best checkpoint of a run, score, and write both files."""
    trained = restore(solution, run.folder)
    corpus = corpora.load(run.corpus, run.source, run.target)
    outputs: Outputs = {"translations": translations(trained, corpus, search)}
    if hasattr(trained.model, "look") and aligned(corpus):
        outputs |= alignments(trained, corpus)
    if getattr(trained.model, "predicts", False) and corpus.validation[0].links is not None:
        outputs["positions"] = {split: positions(trained, pairs) for split, pairs in corpus.tests.items()}
    result = {
        "run": run.name,
        "solution": run.solution,
        "seed": run.seed,
        "corpus": {"name": corpus.name, "source": corpus.source, "target": corpus.target},
        "decoding": {"greedy": "", f"beam{search.beam}": str(search)},
        "scores": score(outputs, corpus),
        "peers": list(solution.peers.get(run.task, ())),
        **provenance(trained, run, command, "target_tokens", "bleu"),
    }
    return keep(result, outputs)


def keep(result: dict[str, Any], outputs: Outputs) -> Path:
    """Write a result and the outputs that it was scored from; return the path of the result."""
    folder = results_folder(result["solution"])
    stem = f"{result['run']}-seed{result['seed']}"
    write_json(folder / f"{stem}.outputs.json.gz", outputs)
    path = folder / f"{stem}.json"
    write_json(path, result)
    return path


def translations(trained: Trained, corpus: Parallel, search: Search) -> Outputs:
    found: Outputs = {}
    for split, pairs in corpus.tests.items():
        sources = [pair.source for pair in pairs]
        found[split] = {
            "greedy": trained.translate(sources),
            f"beam{search.beam}": trained.translate(sources, search.beam, search.alpha, search.shift),
        }
    return found


def score(outputs: Outputs, corpus: Parallel) -> dict[str, Any]:
    """Return every score of the outputs, by test set; from the outputs and the corpus alone."""
    found: dict[str, Any] = {}
    for split, pairs in corpus.tests.items():
        found[split] = {
            decoding: bleu_scores(said, corpus, split) for decoding, said in outputs["translations"][split].items()
        }
        if split in outputs.get("links", ()):
            found[split]["alignment"] = alignment_scores(outputs["links"][split], pairs)
        if "positions" in outputs:
            found[split]["positions"] = all_position_scores(outputs["positions"][split], pairs)
    return found


def bleu_scores(said: Sequence[str], corpus: Parallel, split: str) -> dict[str, Any]:
    pairs = corpus.tests[split]
    reference = [pair.target for pair in pairs]
    scores: dict[str, Any] = {"bleu": asdict(metrics.bleu(said, reference, "none" if corpus.tokenised else "13a"))}
    tokenised = None if corpus.tokenised else corpora.references(corpus.name, split, corpus.target)
    if tokenised is not None:
        scores["bleu_lc_tok"] = asdict(metrics.tokenised_bleu(said, tokenised, corpus.target))
    if corpus.name == "phrasebook":  # the buckets are made for its lengths
        lengths = [len(pair.source.split()) for pair in pairs]
        found = metrics.bleu_by_length(said, reference, lengths, LENGTHS, "none")
        scores["by_length"] = [asdict(bucket) for bucket in found]
    return scores


def all_position_scores(predicted: Positions, pairs: Sequence[corpora.Pair]) -> dict[str, Any]:
    """Return how far positions are from the gold links, from all and from crossing ones: predicted, and counted."""
    readings = {
        "predicted": predicted,
        "t": counted(pairs, in_proportion=False),
        "t·S/T": counted(pairs, in_proportion=True),
    }
    gold = [pair.links or frozenset() for pair in pairs]
    kinds = {"all": gold, "crossing": [crossing(links) for links in gold]}
    return {
        reading: {
            kind: {name: asdict(value) for name, value in position_scores(found, links).items()}
            for kind, links in kinds.items()
        }
        for reading, found in readings.items()
    }


def provenance(trained: Any, run: Any, command: str, unit: str, metric: str) -> dict[str, Any]:
    """Return how the result came about, as far as a reader needs it to get the same.

    `unit` is what the training counted (target_tokens), `metric` what its model was selected by (bleu).
    """
    epochs = trained.about["recipe"]["training"]["epochs"]
    progress = Progress(**load(run.folder / "last.pt")["progress"])
    return {
        "recipe": trained.about["recipe"],
        "parameters": sum(weight.numel() for weight in trained.model.parameters()),
        "training": {
            "device": progress.device,
            "best_epoch": trained.progress.best_epoch,
            "epochs": progress.epoch,
            "of_epochs": epochs,
            "steps": progress.step,
            "seconds": round(progress.seconds, 1),
            unit: progress.tokens,
            f"{unit}_per_second": round(progress.tokens / max(progress.seconds, 1e-9)),
            "ended_by_budget": progress.epoch < epochs,
            f"validation_{metric}": trained.progress.best if math.isfinite(trained.progress.best) else None,
        },
        "versions": versions(),
        "commit": commit(),
        "command": f"python -m solutions.{run.solution} evaluate {command}".strip(),
        "data": trained.about["data"],
        "checkpoint_sha256": hashlib.sha256((run.folder / "best.pt").read_bytes()).hexdigest(),
    }


def versions() -> dict[str, str]:
    return {"python": platform.python_version(), "torch": torch.__version__, "numpy": np.__version__}


def commit() -> str:
    """Return the commit that is checked out; + after it says that files were changed."""
    try:
        head = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, capture_output=True, check=True)
        dirty = subprocess.run(["git", "status", "--porcelain", "-uno"], cwd=ROOT, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return head.stdout.decode().strip() + ("+" if dirty.stdout.strip() else "")


def write_json(path: Path, content: Any) -> None:
    """Write a file whole or not at all; the same content gives the same bytes, gzipped or not."""
    text = json.dumps(content, ensure_ascii=False, indent=None if path.suffix == ".gz" else 1).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(path.name + ".writing")
    aside.write_bytes(gzip.compress(text + b"\n", mtime=0) if path.suffix == ".gz" else text + b"\n")
    aside.replace(path)


def read_json(path: Path) -> Any:
    data = path.read_bytes()
    return json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)


def rescored(path: Path) -> dict[str, Any] | None:
    """Return the scores of a result anew, from its kept outputs; None where the references are not at hand."""
    result = read_json(path)
    named = result["corpus"]
    try:
        corpus = corpora.load(named["name"], named.get("source"), named.get("target"))
    except corpora.CorpusError:
        return None
    outputs = read_json(path.with_suffix(".outputs.json.gz"))
    if "labels" in outputs:
        from lab import label_results

        return label_results.score(outputs, corpus)
    return score(outputs, corpus)


def kept() -> list[Path]:
    """Return the result files of all chapters."""
    return sorted((ROOT / "solutions").glob("*/results/*-seed*.json"))


def main(words: Sequence[str] | None = None) -> None:
    """Print every kept result, and say whether its outputs still give it."""
    argparse.ArgumentParser(prog="python -m lab.results", description=main.__doc__).parse_args(words)
    if not kept():
        print("no results yet: python -m solutions.NAME train, then evaluate")
    for path in kept():
        result, again = read_json(path), rescored(path)
        state = (
            "not scored again" if again is None else "scored again: same" if again == result["scores"] else "DIFFERS"
        )
        training = result["training"]
        budget = ", ended by its time budget" if training["ended_by_budget"] else ""
        print(f"\n{path.relative_to(ROOT)}  ({state})")
        print(
            f"  best of {training['epochs']} epochs (the recipe has {training['of_epochs']}): "
            f"number {training['best_epoch']}; {training['seconds']:.0f} s on "
            f"{training['device'] or 'a CPU'}{budget}"
        )
        for split, scores in result["scores"].items():
            for decoding in result.get("decoding", ()):
                print(f"  {split:<10} {decoding:<8} {figures(scores[decoding])}")
            for reading, values in scores.get("alignment", {}).items():
                print(f"  {split:<10} {reading:<10} AER {values['aer']['value']:.3f}")
            if "decoding" not in result:
                print(f"  {split:<10} {figures(scores, digits=4)}")


def figures(scores: dict[str, Any], digits: int = 2) -> str:
    """Return scores with their intervals, in one line."""
    return "  ".join(
        f"{name} {value['value']:.{digits}f} [{value['low']:.{digits}f}, {value['high']:.{digits}f}]"
        for name, value in scores.items()
        if isinstance(value, dict)
    )


if __name__ == "__main__":
    main()
