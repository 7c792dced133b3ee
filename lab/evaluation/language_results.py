"""Measuring a language model on test texts: its loss, as bits and perplexity, and how far it is above the floor."""

import math
from dataclasses import asdict, replace
from typing import Any

from lab import metrics
from lab.corpora import Text
from lab.evaluation.result_files import Outputs
from lab.kinds.language import Trained


def outputs_of(trained: Trained, corpus: Text) -> tuple[Outputs, dict[str, Any]]:
    """Return the loss of each row of the test texts, and how many tokens it has."""
    outputs: Outputs = {"losses": {}, "tokens": {}}
    for split, texts in corpus.tests.items():
        losses, counts = trained.losses(texts)
        outputs["losses"][split] = [round(loss, 4) for loss in losses.tolist()]
        outputs["tokens"][split] = counts.tolist()
    return outputs, {}


def score(outputs: Outputs, corpus: Text) -> dict[str, Any]:
    """Return every score of the outputs, by test set; from the outputs and the corpus alone."""
    return {split: scores_of(outputs, corpus, split) for split in corpus.tests}


def scores_of(outputs: Outputs, corpus: Text, split: str) -> dict[str, Any]:
    """Return loss (nats a token), bits a token and perplexity; where rules made the text, entropy and excess too.

    The excess is the mean over the test tokens of the model's loss less that of the rules: an estimate of the
    Kullback–Leibler divergence, in which the chance that made these sentences hard or easy cancels.
    """
    losses, counts = outputs["losses"][split], [float(count) for count in outputs["tokens"][split]]
    loss = metrics.ratio("loss", losses, counts, f"nats a {corpus.unit}")
    bits = scaled(loss, "bits", f"bits a {corpus.unit}", lambda nats: nats / math.log(2))
    scores: dict[str, Any] = {
        "loss": asdict(loss),
        "bits": asdict(bits),
        "perplexity": asdict(scaled(loss, "perplexity", f"exp of nats a {corpus.unit}", math.exp)),
    }
    if corpus.entropy is not None and corpus.known is not None:
        over = [loss + known for loss, known in zip(losses, corpus.known[split], strict=True)]
        scores["excess"] = asdict(metrics.ratio("excess", over, counts, f"nats a {corpus.unit} above the rules' own"))
        scores["floor"] = corpus.entropy
    return scores


def scaled(score: metrics.Score, name: str, signature: str, function: Any) -> metrics.Score:
    """Return a score in another unit; the function rises, so that ends of intervals stay ends."""
    ends = {end: function(getattr(score, end)) for end in ("value", "low", "high")}
    return replace(score, name=name, signature=signature, **ends)


def in_words(scores: dict[str, Any], unit: str) -> str:
    """Return the scores in one line."""
    loss, bits, perplexity = (scores[name]["value"] for name in ("loss", "bits", "perplexity"))
    line = f"loss {loss:.4f} nats a {unit} ({bits:.4f} bits), perplexity {perplexity:.3f}"
    if "floor" not in scores:
        return line
    return f"{line}; no model is below {scores['floor']:.4f}, and this one is {scores['excess']['value']:.4f} above"
