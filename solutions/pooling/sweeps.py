"""The experiments of the chapter: python -m solutions.pooling sweep EXPERIMENT."""

from lab.evaluation.sweeps import Sweep

POOLINGS = {"": {}, **{pooling: {"pooling": pooling} for pooling in ("last", "mean", "max", "uniform")}}
AWAY = {
    f"away-{word}": {"adversary": strength, "base": "relations-small"}
    for word, strength in {"weak": 0.1, "middle": 1.0, "strong": 10.0}.items()
}

POOLS = Sweep(
    "What does the attention add to the last state, to the mean, to the maximum, to equal weights?",
    corpus="relations",
    recipe="small",
    variants=POOLINGS,
)
ROLES = Sweep(
    "The same where the question is who does something to whom",
    corpus="roles",
    recipe="small",
    variants=POOLINGS,
)
VOTES = Sweep(
    "The same where several words decide, and have to be counted",
    corpus="votes",
    recipe="small",
    variants=POOLINGS,
)
# Each run departs from relations-small with its seed. `sweep poolings` trains that, but not again where its result is
# there already and its checkpoint is not; then the run says which command trains it.
ADVERSARY = Sweep(
    "Can a model predict the same and attend elsewhere?", corpus="relations", recipe="small", variants=AWAY
)
SWEEPS = {
    "poolings": POOLS,
    "poolings-long": POOLS.longer(30),
    "roles": ROLES,
    "roles-long": ROLES.longer(30),
    "votes": VOTES,
    "votes-long": VOTES.longer(12),
    "poolings-real": Sweep(
        "The same on real sentences",
        corpus="semeval2010",
        recipe="zhou_texts",
        variants=POOLINGS,
    ),
    "adversary": ADVERSARY,
    "adversary-long": ADVERSARY.longer(30, "Can it, with more epochs?"),
}
