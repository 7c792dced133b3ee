"""Score the kept outputs again and print every result: `python -m lab.evaluation`; status 1 where one differs."""

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lab import corpora
from lab.evaluation.evaluate import KINDS
from lab.evaluation.result_files import read_json
from lab.kinds.runs import ROOT

DIFFERS = "scored again: DIFFERS"


def corpus_of(result: dict[str, Any]) -> Any:
    """Return the corpus of a result, None where it is not at hand."""
    named = result["corpus"]
    try:
        return corpora.load(named["name"], named.get("source"), named.get("target"))
    except corpora.CorpusError:
        return None


def outputs_beside(path: Path) -> Path:
    return path.with_suffix(".outputs.json.gz")


def rescored(path: Path) -> dict[str, Any] | None:
    """Return the scores of a result, computed anew from its outputs; None where the references are not at hand."""
    corpus = corpus_of(read_json(path))
    return None if corpus is None else KINDS[type(corpus)][1].score(read_json(outputs_beside(path)), corpus)


def are_equal(one: Any, other: Any) -> bool:
    """Return whether two tables of scores are equal, as far as processors add in one order."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(are_equal(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(are_equal, one, other))
    return math.isclose(one, other, rel_tol=1e-9) if isinstance(one, float) else one == other


def kept() -> list[Path]:
    """Return the result files of all chapters."""
    return sorted((ROOT / "solutions").glob("*/results/*-seed*.json"))


def main(words: Sequence[str] | None = None) -> int:
    """Print every result, and whether its outputs still give its scores."""
    argparse.ArgumentParser(prog="python -m lab.evaluation", description=main.__doc__).parse_args(words)
    if not kept():
        print("no results yet: python -m solutions.NAME train, then evaluate")
    states = [state(path) for path in kept()]
    for path, each in zip(kept(), states, strict=True):
        print_result(path, each)
    return int(DIFFERS in states)


def state(path: Path) -> str:
    """Return whether a result's outputs give its scores."""
    again = rescored(path)
    if again is None:
        return "not scored again: the corpus is not at hand"
    return "scored again: same" if are_equal(again, read_json(path)["scores"]) else DIFFERS


def print_result(path: Path, state: str) -> None:
    result = read_json(path)
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
    sys.exit(main())
