"""A published model beyond the length of its training, with its angles and with stretched ones.

    python -m solutions.long_context.farther

SmolLM2 was trained on texts of 8,192 pieces. It reads 12,288 of Shakespeare; results/farther.json has
the loss in nats a piece between the PLACES, one of each excerpt. What is kept is not measured again.
"""

import argparse
from itertools import pairwise

import torch
from torch import Tensor
from torch.nn import functional

from lab import corpora
from lab.evaluation.result_files import read_json, results_folder, write_json
from lab.published.gguf_file import WHEEL
from solutions.language_model.fast import FAST
from solutions.language_model.published import load
from solutions.language_model.recipe import Recipe
from solutions.long_context.attention import stretched
from solutions.long_context.model import repositioned

TRAINED, PLACES, FACTOR = 8192, [1, 2048, 4096, 8192, 10240, 12288], 2.0


def angles(recipe: Recipe) -> dict[str, tuple[Tensor, float]]:
    """Return by name the angles of rotary positions, and the scale of queries and keys."""
    width = recipe.d_model // recipe.heads
    plain, _ = stretched(width, recipe.rope_base, 1.0, TRAINED)
    by_parts, scale = stretched(width, recipe.rope_base, FACTOR, TRAINED)
    return {
        "as trained": (plain, 1.0),
        "interpolated": (plain / FACTOR, 1.0),
        "by parts": (by_parts, scale),
        "by parts, unscaled": (by_parts, 1.0),
    }


@torch.no_grad()
def main() -> None:
    """Measure what results/farther.json lacks."""
    parser = argparse.ArgumentParser(prog="python -m solutions.long_context.farther", description=main.__doc__)
    parser.add_argument("--excerpts", type=int, default=1, help="how many, one after the other (default: 1)")
    excerpts = parser.parse_args().excerpts
    published = load()
    published.use(FAST)
    numbers = torch.tensor(published.pieces.encode("".join(corpora.load("shakespeare").validation)))
    about = {"model": WHEEL, "trained": TRAINED, "places": PLACES, "factor": FACTOR}
    path = results_folder("long_context") / "farther.json"
    kept = read_json(path) if path.exists() else {}
    result = kept if kept.get("about") == about else {"about": about, "losses": {}}
    for excerpt, text in enumerate(numbers.split(PLACES[-1])[:excerpts]):
        for name, changed in angles(published.model.recipe).items():
            rows = result["losses"].setdefault(name, [])
            if len(rows) > excerpt:
                continue
            features = repositioned(published.model, *changed).read(text[None])[0][0]
            parts = [
                functional.cross_entropy(published.model.readout(features[start - 1 : end - 1]), text[start:end])
                for start, end in pairwise(PLACES)
            ]
            rows.append([part.item() for part in parts])
            write_json(path, result)
            print(f"excerpt {excerpt}, {name}: {[round(loss, 3) for loss in rows[-1]]}", flush=True)


if __name__ == "__main__":
    main()
