"""Scoring a classifier on test sets: its labels, and how much of its attention falls on the gold evidence."""

import hashlib
import time
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lab import corpora
from lab.corpora import Document, Labelled
from lab.evaluation.hops import hop_measures, hop_scores, mean
from lab.evaluation.result_files import Outputs, commit, head, keep, versions
from lab.kinds.classification import CLASSIFICATION, Run, TextWeights, Trained, scores
from lab.kinds.runs import Solution


def outputs_of(trained: Trained, corpus: Labelled) -> tuple[Outputs, dict[str, Any]]:
    """Return the labels of the test sets, and what its hops look at where the corpus has gold evidence."""
    texts = {split: [document.sentences for document in documents] for split, documents in corpus.tests.items()}
    outputs: Outputs = {"labels": {split: trained.classify(sentences) for split, sentences in texts.items()}}
    if corpus.validation[0].evidence is not None:
        weights = {split: trained.attention_weights(sentences) for split, sentences in texts.items()}
        outputs["looks"] = {split: evidence_shares(weights[split], corpus.tests[split]) for split in weights}
        outputs["hops"] = {split: hop_measures(rows) for split, rows in weights.items()}
    return outputs, {}


def evidence_weights(trained: Trained, documents: Sequence[Document]) -> list[dict[str, Any]]:
    """Return `evidence_shares` of a model's weights in the documents."""
    return evidence_shares(trained.attention_weights([document.sentences for document in documents]), documents)


def evidence_shares(weights: Sequence[TextWeights], documents: Sequence[Document]) -> list[dict[str, Any]]:
    """Return for each document and hop the weight on the evidence, and the number of the word that gets most.

    Where the label answers several questions, also the weight on the evidence of each aspect.
    """
    rows = []
    for document, text in zip(documents, weights, strict=True):
        top = text.words.argmax(dim=-1).tolist() if text.words.shape[-1] else []
        row: dict[str, Any] = {"share": shares(text, gold(document)), "top": top}
        if document.aspects:
            row["aspects"] = {name: shares(text, marked(document, places)) for name, places in document.aspects}
        rows.append(row)
    return rows


def shares(text: TextWeights, evidence: Tensor) -> list[float]:
    """Return the weight of each hop on the words of the evidence."""
    return [round(share, 4) for share in (text.words * evidence).sum(dim=-1).tolist()]


def gold(document: Document) -> Tensor:
    """Return 1 for each word of the evidence and 0 for each other, in the order of the words."""
    return marked(document, document.evidence or frozenset())


def marked(document: Document, places: frozenset[tuple[int, int]]) -> Tensor:
    """Return 1 for each word at one of the places (sentence, word) and 0 for each other, in the order of the words."""
    return torch.tensor(
        [
            float((number, word) in places)
            for number, sentence in enumerate(document.sentences)
            for word in range(len(sentence.split()))
        ]
    )


def score(outputs: Outputs, corpus: Labelled) -> dict[str, Any]:
    """Return every score of the outputs, by test set; from the outputs and the corpus alone."""
    of_splits: dict[str, Any] = {}
    for split, documents in corpus.tests.items():
        of_labels = scores(outputs["labels"][split], corpus, documents)
        of_splits[split] = {name: asdict(value) for name, value in of_labels.items()}
        if "looks" in outputs:
            of_splits[split] |= evidence_scores(outputs["looks"][split], documents)
        if "hops" in outputs:  # results of an earlier version have none
            of_splits[split] |= hop_scores(outputs["hops"][split])
    return of_splits


def evidence_scores(weighed: Sequence[dict[str, list]], documents: Sequence[Document]) -> dict[str, Any]:
    """Return the share of the weight that falls on the gold evidence, beside what equal weights would give it.

    Each share is a mean over the documents that have evidence; `top` says how often the word with most weight is of
    it. With several hops, the mean over them, and each by itself in `hops`.
    """
    pairs = [(row, gold(document)) for row, document in zip(weighed, documents, strict=True) if document.evidence]
    shares = np.array([row["share"] for row, _ in pairs])
    tops = np.array([[float(evidence[top]) for top in row["top"]] for row, evidence in pairs])
    of_evidence: dict[str, Any] = {
        "evidence": asdict(mean("evidence share", shares.mean(axis=1))),
        "evidence_top": asdict(mean("top word is evidence", tops.mean(axis=1))),
        "evidence_uniform": asdict(mean("share of equal weights", [float(e.mean()) for _, e in pairs])),
    }
    if shares.shape[1] > 1:
        hops = range(shares.shape[1])
        of_evidence["hops"] = [asdict(mean(f"evidence share, hop {hop + 1}", shares[:, hop])) for hop in hops]
    if all("aspects" in row for row in weighed):
        of_evidence["aspects"] = aspect_scores(weighed)
    return of_evidence


def aspect_scores(weighed: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return for each aspect the share of the weight on its evidence: the mean over the hops, and each hop's."""
    scores = []
    for name in weighed[0]["aspects"]:
        shares = np.array([row["aspects"][name] for row in weighed])
        scores.append(
            {
                "aspect": name,
                "evidence": asdict(mean(f"evidence share, {name}", shares.mean(axis=1))),
                "hops": [
                    asdict(mean(f"evidence share, {name}, hop {hop + 1}", shares[:, hop]))
                    for hop in range(shares.shape[1])
                ],
            }
        )
    return scores


def evaluate_linear(solution: Solution, run: Run, *, command: str) -> Path:
    """Fit the linear baseline on a corpus, score it on the test sets, and write both files."""
    from lab.evaluation import linear_baseline  # late: a bare machine with a GPU may lack scikit-learn

    corpus: Labelled = corpora.load(run.corpus)
    started = time.process_time()
    model = linear_baseline.fit(corpus)
    seconds = time.process_time() - started
    outputs: Outputs = {"labels": {split: model.classify(documents) for split, documents in corpus.tests.items()}}
    about = {
        "recipe": model.settings,
        "parameters": model.parameters,
        "training": {
            "device": "one CPU thread",
            "best_epoch": 1,
            "epochs": 1,
            "of_epochs": 1,
            "seconds": round(seconds, 1),
            "ended_by_budget": False,
            f"validation_{corpus.metric}": 100 * model.validation,
        },
        "versions": versions() | {"scikit-learn": version("scikit-learn")},
        "commit": commit(),
        "command": f"python -m solutions.{run.solution} evaluate {command}".strip(),
        "data": CLASSIFICATION.fingerprint(corpus),
        "checkpoint_sha256": hashlib.sha256(np.ascontiguousarray(model.weights).tobytes()).hexdigest(),
    }
    return keep(head(solution, run, name=run.corpus) | {"scores": score(outputs, corpus)} | about, outputs)
