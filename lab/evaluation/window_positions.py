"""How far a predicted position is from the words that belong together: local attention against gold links."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from lab.corpora import Pair
from lab.evaluation.links import Links
from lab.metrics import Score, ratio
from lab.text.batches import collate

if TYPE_CHECKING:
    from lab.kinds.translation import Trained

Positions = list[list[float]]  # for each sentence, one number for each target word

WITHIN = (1, 2)


@torch.no_grad()
def positions(trained: "Trained", pairs: Sequence[Pair], size: int = 64) -> Positions:
    """Return the centre of a local model's window for each target word, the targets being forced."""
    model: Any = trained.model
    device = next(model.parameters()).device
    predicted: Positions = []
    for start in range(0, len(pairs), size):
        part = pairs[start : start + size]
        examples = [(trained.source_text.encode(pair.source), trained.target_text.encode(pair.target)) for pair in part]
        batch = collate(examples).to(device)
        rows = model.centres(batch.source, batch.mask, batch.inputs).float().cpu()
        predicted += [
            [round(p, 3) for p in row[: len(target)].tolist()] for row, (_, target) in zip(rows, examples, strict=True)
        ]
    return predicted


def counted(pairs: Sequence[Pair], *, in_proportion: bool) -> Positions:
    """Return the positions that need no model: p_t = t, or p_t = t · S/T."""
    rows = []
    for pair in pairs:
        source, target = len(pair.source.split()), len(pair.target.split())
        rows.append([t * source / target if in_proportion else float(t) for t in range(target)])
    return rows


def crossing(links: Links) -> frozenset[tuple[int, int]]:
    """Return the links that cross another one: what comes earlier in one language comes later in the other."""
    return frozenset((i, j) for i, j in links if any((i - k) * (j - m) < 0 for k, m in links))


def position_scores(predicted: Positions, gold: Sequence[Links]) -> dict[str, Score]:
    """Return the mean of |p - gold| over all links, and the share of links with |p - gold| ≤ 1 and ≤ 2."""
    distances = [[abs(row[j] - i) for i, j in sorted(links)] for row, links in zip(predicted, gold, strict=True)]
    counts = [float(len(row)) for row in distances]
    scores = {"mean": ratio("mean |p - gold|", [float(sum(row)) for row in distances], counts, "links")}
    for limit in WITHIN:
        near = [float(sum(d <= limit for d in row)) for row in distances]
        scores[f"within{limit}"] = ratio(f"share within {limit}", near, counts, "links")
    return scores
