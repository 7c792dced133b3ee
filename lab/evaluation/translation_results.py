"""Scoring a translation model on test sets: BLEU, alignment error rates, positions of windows."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from lab import corpora, metrics
from lab.corpora import Parallel
from lab.decode.decoding import Search
from lab.evaluation.alignment import aligned, alignment_scores, alignments
from lab.evaluation.result_files import Outputs
from lab.evaluation.window_positions import Positions, counted, crossing, position_scores, positions
from lab.kinds.translation import Trained

BEAM = Search()
LENGTHS = ((3, 8), (9, 14), (15, 20), (21, 26), (27, 30))  # buckets of source words


def outputs_of(trained: Trained, corpus: Parallel, search: Search = BEAM) -> tuple[Outputs, dict[str, Any]]:
    """Return translations of the test sets, links and positions where the model has any, and how it was decoded."""
    outputs: Outputs = {"translations": translations(trained, corpus, search)}
    if trained.model.attends and aligned(corpus):
        outputs |= alignments(trained, corpus)
    if getattr(trained.model, "predicts", False) and corpus.validation[0].links is not None:
        outputs["positions"] = {split: positions(trained, pairs) for split, pairs in corpus.tests.items()}
    return outputs, {"decoding": {"greedy": "", f"beam{search.beam}": str(search)}}


def translations(trained: Trained, corpus: Parallel, search: Search) -> Outputs:
    outputs: Outputs = {}
    for split, pairs in corpus.tests.items():
        sources = [pair.source for pair in pairs]
        outputs[split] = {
            "greedy": trained.translate(sources),
            f"beam{search.beam}": trained.translate(sources, search.beam, search.alpha, search.shift),
        }
    return outputs


def score(outputs: Outputs, corpus: Parallel) -> dict[str, Any]:
    """Return every score of the outputs, by test set; from the outputs and the corpus alone."""
    of_splits: dict[str, Any] = {}
    for split, pairs in corpus.tests.items():
        of_splits[split] = {
            decoding: bleu_scores(lines, corpus, split) for decoding, lines in outputs["translations"][split].items()
        }
        if split in outputs.get("links", ()):
            of_splits[split]["alignment"] = alignment_scores(outputs["links"][split], pairs)
        if "positions" in outputs:
            of_splits[split]["positions"] = all_position_scores(outputs["positions"][split], pairs)
    return of_splits


def bleu_scores(lines: Sequence[str], corpus: Parallel, split: str) -> dict[str, Any]:
    pairs = corpus.tests[split]
    reference = [pair.target for pair in pairs]
    scores: dict[str, Any] = {"bleu": asdict(metrics.bleu(lines, reference, "none" if corpus.tokenised else "13a"))}
    tokenised = None if corpus.tokenised else corpora.references(corpus.name, split, corpus.target)
    if tokenised is not None:
        scores["bleu_lc_tok"] = asdict(metrics.tokenised_bleu(lines, tokenised, corpus.target))
    if corpus.name == "phrasebook":  # the buckets are made for its lengths
        lengths = [len(pair.source.split()) for pair in pairs]
        buckets = metrics.bleu_by_length(lines, reference, lengths, LENGTHS, "none")
        scores["by_length"] = [asdict(bucket) for bucket in buckets]
    return scores


def all_position_scores(predicted: Positions, pairs: Sequence[corpora.Pair]) -> dict[str, Any]:
    """Return the distances of predicted and counted positions from the gold links, from all and from crossing ones."""
    readings = {
        "predicted": predicted,
        "t": counted(pairs, in_proportion=False),
        "t·S/T": counted(pairs, in_proportion=True),
    }
    gold = [pair.links or frozenset() for pair in pairs]
    kinds = {"all": gold, "crossing": [crossing(links) for links in gold]}
    return {
        reading: {
            kind: {name: asdict(value) for name, value in position_scores(rows, links).items()}
            for kind, links in kinds.items()
        }
        for reading, rows in readings.items()
    }
