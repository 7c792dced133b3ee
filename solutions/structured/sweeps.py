"""The experiments of the chapter: python -m solutions.structured sweep EXPERIMENT."""

from dataclasses import replace

from lab.evaluation.sweeps import Changes, Sweep

HOPS = (1, 2, 4, 8)
PENALTIES = {"free": 0.0, "light": 0.001, "strong": 0.03, "full": 1.0}  # the word in a run's name: λ

PRICES = {"priced": 0.01, "heavy": 0.1}  # the same on two facts


def penalised(hops: int) -> dict[str, Changes]:
    """Return a variant with every weight of the penalty."""
    return {f"hops-{hops}-{word}": {"hops": hops, "penalty": penalty} for word, penalty in PENALTIES.items()}


ON_HOPS = Sweep(
    "How many hops do two questions need, and does the penalty help them?",
    corpus="aspects",
    recipe="small",
    variants={name: changes for hops in HOPS for name, changes in penalised(hops).items()},
)
SWEEPS = {
    "penalty": Sweep(
        "Does the penalty make the hops differ, and does it help?",
        corpus="reviews",
        recipe="small",
        variants={"free": {"penalty": 0.0}, "": {}, "strong": {"penalty": 0.03}},
    ),
    "hops": ON_HOPS,
    "hops-long": replace(ON_HOPS, variants=penalised(4)).longer(
        20, "Is the penalty only slower? Four hops, with more epochs."
    ),
    "facts": Sweep(
        "Two facts, one vector or several, with and without the penalty: which reads them?",
        corpus="two_facts",
        recipe="facts",
        variants={
            **{f"hops-{hops}": {"hops": hops} for hops in HOPS[:3]},
            **{f"hops-4-{word}": {"hops": 4, "penalty": penalty} for word, penalty in PRICES.items()},
            "hops-1-reader": {"hops": 1, "mlp": 256},  # more parameters in the classifier than with four hops
        },
    ),
    # Dropout would take one of eight numbers away.
    "narrow": Sweep(
        "Does one hop fail where a state has eight numbers?",
        corpus="aspects",
        recipe="small",
        variants={
            f"narrow-{hops}": {"hops": hops, "penalty": 0.0, "units": 4, "dropout": 0.0, "epochs": 20} for hops in HOPS
        },
    ),
    "many": Sweep(
        "Do eight hops read eight verdicts that one cannot, over states that do not bind?",
        corpus="verdicts",
        recipe="eight",
        variants={
            **{f"hops-{hops}": {"hops": hops} for hops in HOPS},
            "hops-1-reader": {"hops": 1, "mlp": 512},
            "hops-1-wide": {"hops": 1, "units": 16},  # M has 32 numbers, as that of eight hops over states of 4
        },
    ),
}
