"""What the chapter on structured self-attention measures: hops that drift apart in training, and its tables."""

import statistics
from collections import Counter
from typing import Any

import torch
from IPython.display import HTML

from book.show.experiments import ACCURACY, Column, learning_curve, mean, runs_of, span, values
from book.show.reading import StoryError
from book.show.tables import budget, outputs, results, score, summary, table
from lab.corpora import Document, reviews, verdicts
from lab.corpora.aspects import WORDS
from lab.evaluation.classification_results import gold as gold_words
from lab.kinds.classification import Trained
from lab.kinds.pinned import pinned, watched
from lab.kinds.runs import joined
from lab.show.plots import STYLES, Picture, legend_below, panels, ranges
from solutions.structured.model import SOLUTION
from solutions.structured.sweeps import HOPS, PENALTIES
from solutions.structured.watched import short_reviews


def with_curve(variant: str = "") -> tuple[Trained, list[tuple[int, float]]]:
    """Return a pinned model of the chapter and what its hops shared in training, step by step."""
    return pinned(SOLUTION, variant), [(step, shared) for step, shared in watched(SOLUTION, variant)]


def evidence_shares(models: dict[str, Trained], documents: list[Document] | None = None) -> HTML:
    """Return the share of each hop's weight on the gold evidence, on average over the documents, in per cent."""
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
VARIANTS = {"free": "4 hops, λ = 0", "": "4 hops, λ = 0.001", "strong": "4 hops, λ = 0.03"}


def made_reviews(run: str = "reviews-small") -> HTML:
    """Return scores of the model and its variants on the made corpus, and of their hops, beside a baseline."""
    rows = []
    for variant, words in VARIANTS.items():
        runs = results("structured", joined(run, variant))
        hops: list[Any] = [score(result, "test", "hops") or () for result in runs]
        best: list[float] = [max(hop["value"] for hop in seed) for seed in hops]
        rows.append(
            [
                words + budget(runs),
                summary(runs, "test", "accuracy", scale=100),
                summary(runs, "test", "evidence", scale=100),
                f"{100 * statistics.fmean(best):.1f}",
                f"{len(runs)}",
            ]
        )
    uniform = summary(results("structured", run), "test", "evidence_uniform", scale=100)
    rows.append(["equal weights for all words", "–", uniform, "–", "–"])
    linear = results("pooling", "reviews-linear")
    rows.append(["linear: words and pairs of words", summary(linear, "test", "accuracy", scale=100), "–", "–", "–"])
    columns = [
        "model",
        "accuracy, %",
        "weight on the evidence, %: all hops",
        "the hop with most, mean over the seeds",
        "seeds",
    ]
    return table("Reviews, test (one seed: 95 % bootstrap interval; several: lowest–highest)", columns, rows)


def heaviest_words(run: str = "reviews-small") -> HTML:
    """Return for each hop of each variant, seed 1, the word that most often gets most of its weight, and how often."""
    documents, rows = reviews.load().tests["test"], []
    for variant, name in VARIANTS.items():
        tops = [row["top"] for row in outputs("structured", joined(run, variant))[0]["looks"]["test"]]
        cells = []
        for hop in range(len(tops[0])):
            counts = Counter(document.words[top[hop]] for document, top in zip(documents, tops, strict=True))
            word, count = counts.most_common(1)[0]
            cells.append(f"{word} ({100 * count / len(tops):.0f} %)")
        rows.append([name, *cells])
    hops = [f"hop {number + 1}" for number in range(len(rows[0]) - 1)]
    caption = "The word that most often has a hop's largest weight, and its share of the 1,000 test reviews, seed 1"
    return table(caption, ["model", *hops], rows)


COSINE = Column("how alike two hops are", ("test", "cosine"), digits=2)
ENTROPY = Column("entropy of a hop, nats", ("test", "entropy"), digits=2)
PANELS = (ACCURACY, COSINE, ENTROPY)


def variant_of(hops: int, word: str) -> str:
    """Return the word of a run's name."""
    return f"hops-{hops}-{word}"


def hops_and_penalties() -> Picture:
    """Draw accuracy, likeness and entropy by the number of hops, a line through the means of the seeds for each λ."""
    figure, every = panels((3.4 * len(PANELS), 3.4), len(PANELS))
    descriptions = []
    for axes, column in zip(every, PANELS, strict=True):
        for (word, penalty), (colour, marker, line) in zip(PENALTIES.items(), STYLES, strict=False):
            every_seed = [values("structured", "hops", variant_of(hops, word), column) for hops in HOPS]
            x = [place for place, seeds in enumerate(every_seed) if seeds]  # one hop is like no other: it has no cosine
            seeds, label = [every_seed[place] for place in x], f"λ = {penalty:g}"
            means = list(map(statistics.fmean, seeds))
            look = {"color": colour, "marker": marker, "linestyle": line, "capsize": 3, "label": label}
            ranges(axes, x, seeds, means, **look)
            of_hops = ", ".join(f"{HOPS[place]}: {m:.{column.digits}f}" for place, m in zip(x, means, strict=True))
            descriptions.append(f"{column.heading}, {label}, by hops {of_hops}")
        axes.set_xticks(range(len(HOPS)), [f"{hops}" for hops in HOPS])
        axes.set(xlabel="hops", title=column.heading)
    legend_below(figure, len(PENALTIES))
    return Picture(figure, f"Reviews with two verdicts, test. {'; '.join(descriptions)}.")


def hops_of_aspects(variant: str, experiment: str = "hops") -> list[dict[str, list[float]]]:
    """Return for each seed the weight of every hop on the evidence of each aspect, in per cent."""
    rows = [score(result, "test", "aspects") or () for result in runs_of("structured", experiment, variant)]
    return [{row["aspect"]: [100 * hop["value"] for hop in row["hops"]] for row in seed} for seed in rows]  # type: ignore[index]


def shares(hops: int, word: str) -> dict[str, tuple[float, float]]:
    """Return the weight on the evidence of each aspect, in %, of all hops and of the best one: means over the seeds."""
    seeds, mean = hops_of_aspects(variant_of(hops, word)), statistics.fmean
    return {name: (mean(mean(s[name]) for s in seeds), mean(max(s[name]) for s in seeds)) for name in seeds[0]}


def aspect_table() -> HTML:
    """Return a row for each variant: the weight on the evidence of each aspect."""
    rows, names = [], []
    for word, penalty in PENALTIES.items():
        for hops in HOPS:
            names = list(of_aspects := shares(hops, word))
            cells = [f"{all_hops:.1f} (best hop {best:.1f})" for all_hops, best in of_aspects.values()]
            rows.append([f"{hops} {'hop' if hops == 1 else 'hops'}, λ = {penalty:g}", *cells])
    return table(
        "Weight on the evidence of each verdict, %, reviews with two verdicts, test: mean over the hops",
        ["variant", *names],
        rows,
    )


def of_the_lesson() -> dict[str, str]:
    """Return the numbers that the lesson's text quotes."""
    facts = {
        variant: values("structured", "facts", variant, ACCURACY)
        for variant in ("hops-1", "hops-1-reader", "hops-2", "hops-4", "hops-4-heavy")
    }
    one, reader, two, four, heavy = map(statistics.fmean, facts.values())
    if not (one < two < four < one + 4 and abs(heavy - four) < 1.5):
        raise StoryError(f"the text says that hops pay a little, and that the penalty changes little: {facts}")
    early_one, early_reader, early_four = (
        learning_curve(runs_of("structured", "facts", variant), 2)[-1][1]
        for variant in ("hops-1", "hops-1-reader", "hops-4")
    )
    if not (reader > (one + four) / 2 and early_reader > (early_one + early_four) / 2):
        raise StoryError(f"the text says that most of the gain is the classifier's: {facts}")
    ruined = max(values("structured", "hops", variant_of(8, "strong"), ACCURACY))
    if ruined > 40:
        raise StoryError(f"the text says that a heavy price ruins the model of two verdicts: {ruined}")
    return {
        "facts_one": f"{one:.0f}",
        "facts_reader": f"{reader:.0f}",
        "facts_two": f"{two:.0f}",
        "facts_four": f"{four:.0f}",
        "alike": mean("structured", "facts", "hops-4", COSINE),
        "alike_heavy": mean("structured", "facts", "hops-4-heavy", COSINE),
        "early_one": f"{early_one:.0f}",
        "early_reader": f"{early_reader:.0f}",
        "early_four": f"{early_four:.0f}",
        "ruined": mean("structured", "hops", variant_of(8, "strong")),
        "verdicts_two": mean("structured", "hops", variant_of(8, "free")),
        "many_one": mean("structured", "many", "hops-1"),
        "many_one_reader": mean("structured", "many", "hops-1-reader"),
        "many_eight": mean("structured", "many", "hops-8"),
        "wide_one": mean("structured", "many", "hops-1-wide"),
    }


def right_with_price() -> str:
    """Return the chapter's answer to its guess."""
    without, with_it = (span("structured", "facts", variant) for variant in ("hops-4", "hops-4-heavy"))
    return (
        f"On two facts, four hops read {without} % right without the price, and {with_it} % with it, over three seeds."
    )


def hops_that_differ() -> str:
    """Return for each seed how many hops are the best of a verdict, with eight hops and eight verdicts: "6, 7, 7"."""
    seeds = hops_of_aspects("hops-8", "many")
    return ", ".join(f"{len({weights.index(max(weights)) for weights in seed.values()})}" for seed in seeds)


def divided_verdicts() -> str:
    """Return the number of trainings without a penalty with different best hops for music and acting: "5 of 9"."""
    seeds = [seed for hops in HOPS[1:] for seed in hops_of_aspects(variant_of(hops, "free"))]
    divided = [seed for seed in seeds if len({weights.index(max(weights)) for weights in seed.values()}) > 1]
    return f"{len(divided)} of {len(seeds)}"


def praise_and_blame(variant: str) -> list[tuple[float, float]]:
    """Return for each seed the weight of one hop on a praised thing and on a blamed one, % of eight verdicts, means."""
    documents, (run, *_) = verdicts.load().tests["test"], runs_of("structured", "many", variant)
    seeds = []
    for seed in outputs("structured", run["run"]):
        weights: dict[str, list[float]] = {word: [] for word in WORDS}
        for document, look in zip(documents, seed["looks"]["test"], strict=True):
            for answer in document.label.split(", "):
                thing, word = answer.split()
                weights[word] += look["aspects"][thing]
        seeds.append((100 * statistics.fmean(weights["good"]), 100 * statistics.fmean(weights["bad"])))
    return seeds
