"""What the chapter on structured self-attention measures: hops that drift apart in training, and its tables."""

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from IPython.display import HTML
from torch import Tensor

from book.tables import MISSING, budget, results, score, summary, table
from lab.classification import Run, Trained, train
from lab.corpora import Document, Labelled
from lab.corpora.reviews import LABELS, generate
from lab.evaluation.classification_results import gold as gold_words
from solutions.structured.attention import structured_attention
from solutions.structured.model import SOLUTION, build

SHORT = {"train": 3000, "validation": 300}  # reviews of one to three sentences: two trainings fit into the chapter


def overlap(A: Tensor) -> float:
    """Return the mean of what two different hops share, a_i · a_j, over all pairs and sentences."""
    products = A @ A.transpose(1, 2)
    hops = A.shape[1]
    own = products.diagonal(dim1=1, dim2=2).sum(dim=-1)
    return ((products.sum(dim=(1, 2)) - own) / (hops * (hops - 1))).mean().item()


def short_reviews() -> Labelled:
    """Return reviews of one to three sentences."""
    parts = {name: generate(size, 2017 + number, name, 1, 3) for number, (name, size) in enumerate(SHORT.items())}
    return Labelled("reviews", LABELS, parts["train"], parts["validation"], {"test": parts["validation"]})


def watched(penalty: float, epochs: int = 6, every: int = 5) -> tuple[Trained, list[tuple[int, float]]]:
    """Train the chapter's model with this weight of the penalty; return it and its overlap, step by step."""
    curve: list[tuple[int, float]] = []
    steps = 0

    def attend(H, W_s1, W_s2, mask):
        nonlocal steps
        M, A, P = structured_attention(H, W_s1, W_s2, mask)
        if torch.is_grad_enabled():
            steps += 1
            if steps % every == 0:
                curve.append((steps, overlap(A.detach())))
        return M, A, P

    recipe = replace(SOLUTION.recipes["small"], penalty=penalty)
    recipe = replace(recipe, training=replace(recipe.training, epochs=epochs))
    watching = replace(SOLUTION, build=lambda *sizes: build(*sizes, attend=attend))
    with tempfile.TemporaryDirectory() as folder:
        run = Run(SOLUTION.name, "reviews", "small", "watched")
        trained = train(watching, run, recipe, quiet=True, folder=Path(folder), corpus=short_reviews())
    return trained, curve


def evidence_shares(models: dict[str, Trained], documents: list[Document] | None = None) -> HTML:
    """Return how much of each hop's weight lies on the gold evidence, on average over the documents, in per cent."""
    texts = documents or list(short_reviews().validation)
    gold = [gold_words(document) for document in texts]
    rows = []
    for words, trained in models.items():
        looks = trained.attention_weights([document.sentences for document in texts])
        shares = torch.stack([(look.words * evidence).sum(dim=-1) for look, evidence in zip(looks, gold, strict=True)])
        rows.append([words, *(f"{100 * share:.1f}" for share in shares.mean(dim=0).tolist())])
        rows[-1].append(f"{100 * shares.amax(dim=1).mean().item():.1f}")
    hops = [f"hop {number + 1}" for number in range(len(rows[0]) - 2)]
    even = 100 * sum(evidence.mean().item() for evidence in gold) / len(gold)
    rows.append(["equal weights", *[f"{even:.1f}"] * (len(hops) + 1)])
    return table(
        f"Weight on the words that decide, %: mean over {len(texts)} short reviews",
        ["model", *hops, "best hop of each review"],
        rows,
    )


# Variant of the run: what differs from the recipe `small`.
VARIANTS = {"": "structured, 4 hops, λ = 0.001", "free": "structured, λ = 0", "strong": "structured, λ = 0.03"}


def made_reviews(run: str = "reviews-small") -> HTML:
    """Return what the model and its variants get on the made corpus, and where their hops look, beside a baseline."""
    rows = []
    for variant, words in VARIANTS.items():
        runs = results("structured", f"{run}-{variant}" if variant else run)
        hops: list[Any] = [score(result, "test", "hops") or [] for result in runs]
        best = [max(hop["value"] for hop in seed) for seed in hops if seed]
        rows.append(
            [
                words + budget(runs),
                summary(runs, "test", "accuracy", scale=100),
                summary(runs, "test", "evidence", scale=100),
                f"{100 * sum(best) / len(best):.1f}" if best else MISSING,
                f"{len(runs)}" if runs else MISSING,
            ]
        )
    even = summary(results("structured", run), "test", "evidence_uniform", scale=100)
    rows.append(["equal weights for all words", "–", even, "–", "–"])
    linear = results("pooling", "reviews-linear")
    rows.append(["linear: words and pairs of words", summary(linear, "test", "accuracy", scale=100), "–", "–"])
    rows[-1].append(f"{len(linear)}" if linear else MISSING)
    columns = ["model", "accuracy, %", "weight on the evidence, %: all hops", "the best hop", "seeds"]
    return table("Reviews, test; one seed: 95 % bootstrap interval", columns, rows)
