"""What a draft saves, and that it changes nothing: the grammar's model with small models that write ahead of it.

    python -m solutions.language_model.drafts

trains drafts of one layer and writes results/drafts.json. The large model is the chapter's pinned one. It writes
sentences alone and behind each draft, and what it loses on both has to be the same but for chance; that the
distribution of a token is unchanged is computed exactly, too, beside that of a wrong rest.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from functools import partial
from itertools import count as numbers
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from lab import corpora
from lab.kinds.fit import fit
from lab.kinds.language import Lines, Predicting, Trained, framed, lines_of, token_losses
from lab.kinds.pinned import pinned
from lab.text.tokenizers import BOS, PAD
from solutions import trials
from solutions.language_model import drafts  # this module, by its name where it is the program
from solutions.language_model.attention import accept
from solutions.language_model.fast import FAST, SOLUTION
from solutions.language_model.model import Decoder
from solutions.language_model.recipe import RECIPES
from solutions.language_model.speculative import write_ahead

SMALL = RECIPES["small"]
STEPS, RATE = 1107, SMALL.training.rate  # three epochs, as the large model has had
AHEAD, SENTENCES, LONGEST, TEXTS = (1, 2, 3, 4, 6), 1000, 100, 1000  # sentences to write, tokens of each; to read
VARIES, VARIANTS = "width", (64, 16)  # features of the draft; the large model has two layers of 64
ABOUT = {
    "rate": RATE,
    "ahead": list(AHEAD),
    "sentences": SENTENCES,
    "texts": TEXTS,
    "recipe": asdict(replace(SMALL, layers=1)),
}

Shares = Float[Tensor, "contexts vocabulary"]


def begun(width: int, seed: int, large: Trained) -> tuple[Decoder, Callable[[], Tensor]]:
    """Return a fresh draft, and a function that returns its loss on the next batch."""
    torch.manual_seed(seed)
    texts = [framed(large.text, line) for line in corpora.load("grammar").train]
    task = Predicting(texts, SMALL.training.tokens, SMALL.context)
    batches = (task.collate(group) for epoch in numbers() for group in task.groups(1000 * seed + epoch))
    model = Decoder(replace(SMALL, layers=1, d_model=width, d_ff=3 * width), len(large.text), parts=FAST)

    def loss() -> Tensor:
        lines = next(batches)
        return token_losses(model(lines.inputs), lines.targets)

    return model, loss


@torch.no_grad()
def at_contexts(model: Decoder, texts: list[list[int]]) -> Iterator[Shares]:
    """Yield a model's probabilities of the next token, behind each beginning of each text."""
    for text in texts:
        lines: Lines = lines_of([text])
        yield model(lines.inputs)[0].double().softmax(dim=-1)


def mixed(draft: Shares, target: Shares, rest: Shares) -> Shares:
    """Return the distribution of a token that the draft draws, if one that is refused is replaced by one of `rest`."""
    given = torch.zeros_like(draft)
    for x in range(draft.shape[1]):
        keep, _ = accept(draft, target, torch.full(draft.shape[:1], x))
        given[:, x] = draft[:, x] * keep
    return given + (1 - given.sum(dim=1, keepdim=True)) * rest


def apart(one: Shares, other: Shares) -> Float[Tensor, " contexts"]:
    """Return the total variation distance in each context: by how much some event's probability differs at most."""
    return (one - other).abs().sum(dim=1) / 2


def exactly(large: Decoder, draft: Decoder, texts: list[list[int]]) -> dict[str, Any]:
    """Return the share of the draft's tokens that is kept, and how far some ways of writing are from the target."""
    q, p = (torch.cat(list(at_contexts(model, texts))) for model in (draft, large))
    _, rest = accept(q, p, torch.zeros(len(q), dtype=torch.long))
    return {
        "contexts": len(q),
        "kept": torch.minimum(q, p).sum(dim=1).mean().item(),
        "draft alone": apart(q, p).mean().item(),
        "kept or replaced, at most": apart(mixed(q, p, rest), p).max().item(),
        "replaced by the target's own": apart(mixed(q, p, p), p).mean().item(),
    }


def lost(large: Trained, rows: list[list[int]]) -> dict[str, Any]:
    """Return the large model's loss on sentences in nats a sentence: the mean, and its standard error."""
    lines = [large.text.decode(row) for row in rows]
    losses, counts = large.losses(lines)
    return {
        "nats": losses.mean().item(),
        "error": (losses.std() / len(losses) ** 0.5).item(),
        "tokens": counts.sum().item() / len(rows),
    }


def alone(model: Decoder, seed: int) -> list[list[int]]:
    """Return sentences that a model writes without a draft."""
    generator = torch.Generator().manual_seed(seed)

    def choose(scores: Tensor) -> Tensor:
        return torch.multinomial(scores.softmax(dim=-1), 1, generator=generator)[:, 0]

    start = torch.full((SENTENCES, 1), BOS)
    rows = model.generate(start, start != PAD, LONGEST, choose).tolist()
    return [[token for token in row if token != PAD] for row in rows]


def behind(large: Decoder, draft: Decoder, ahead: int, seed: int) -> tuple[list[list[int]], dict[str, Any]]:
    """Return sentences that the large model writes behind a draft, and what that took."""
    generator = torch.Generator().manual_seed(seed)
    texts = [write_ahead(large, draft, accept, [BOS], LONGEST, ahead, generator) for _ in range(SENTENCES)]
    tokens, calls = sum(len(text.tokens) for text in texts), sum(text.calls for text in texts)
    kept, judged = sum(text.kept for text in texts), sum(text.judged for text in texts)
    return [text.tokens for text in texts], {"tokens a call": tokens / calls, "kept": kept / judged}


def measured(width: int, seed: int, steps: int) -> dict[str, Any]:
    """Train a draft; return how often it is right, what it saves, and what is written with it and without."""
    large = pinned(SOLUTION)
    model: Any = large.model
    draft, loss = begun(width, seed, large)
    for _ in fit(draft, loss, steps, RATE):
        pass
    texts = [framed(large.text, line) for line in corpora.load("grammar").validation[:TEXTS]]
    ways = {}
    for ahead in AHEAD:
        rows, saved = behind(model, draft, ahead, seed)
        ways[str(ahead)] = saved | lost(large, rows)
    return {
        "parameters": [sum(weight.numel() for weight in each.parameters()) for each in (draft, model)],
        "exactly": exactly(model, draft, texts),
        "ahead": ways,
        "large alone": lost(large, alone(model, seed)),
        "draft alone": lost(large, alone(draft, seed)),
    }


main = partial(trials.main, "solutions.language_model.drafts", [drafts])

if __name__ == "__main__":
    main()
