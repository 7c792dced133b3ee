"""Score the kept outputs again and print every result: `python -m lab.evaluation`."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lab import corpora
from lab.evaluation import classification_results, translation_results
from lab.evaluation.result_files import read_json
from lab.runs import ROOT


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
        return classification_results.score(outputs, corpus)
    return translation_results.score(outputs, corpus)


def kept() -> list[Path]:
    """Return the result files of all chapters."""
    return sorted((ROOT / "solutions").glob("*/results/*-seed*.json"))


def main(words: Sequence[str] | None = None) -> None:
    """Print every kept result, and say whether its outputs still give it."""
    argparse.ArgumentParser(prog="python -m lab.evaluation", description=main.__doc__).parse_args(words)
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
