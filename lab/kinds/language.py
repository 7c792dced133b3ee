"""A language model, from corpus to checkpoint and back: train it, load it, measure its loss, write with it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from lab.corpora import Text
from lab.kinds.experiment import Experiment
from lab.kinds.runs import CorpusRun, Solution
from lab.text import tokenizers
from lab.text.batches import pad, within
from lab.text.tokenizers import BOS, EOS, PAD, Tokenizer
from lab.train.training import Progress, Task
from lab.train.transfer import sent

Run = CorpusRun
Row: TypeAlias = Sequence[int] | np.ndarray  # tokens of one text
CELLS = 20_000  # tokens, padding included, that are read at once when nothing is learnt


class LanguageModel(nn.Module):
    """A model for training and writing: scores of the next token at each position, from those before it."""

    def forward(self, tokens: Int[Tensor, "batch length"]) -> Float[Tensor, "batch length vocabulary"]:
        """Return the scores of the next token at each position; later tokens do not change them."""
        raise NotImplementedError

    def generate(
        self,
        tokens: Int[Tensor, "batch length"],
        mask: Bool[Tensor, "batch length"],
        count: int,
        choose: Callable[[Tensor], Tensor],
    ) -> Int[Tensor, "batch count"]:
        """Return `count` tokens more of each row, which is padded on the left, or fewer if all rows have ended.

        `choose` makes of scores (batch, vocabulary) the next tokens (batch,). PAD follows </s>.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class Sampling:
    """How the next token is drawn from the scores: `probabilities` are those of solutions.language_model."""

    probabilities: Callable[..., Tensor]
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    seed: int = 1

    def chooser(self) -> Callable[[Tensor], Tensor]:
        """Return a function from scores to tokens, with random numbers that begin anew."""
        generator = torch.Generator().manual_seed(self.seed)

        def choose(scores: Float[Tensor, "batch vocabulary"]) -> Int[Tensor, " batch"]:
            shares = self.probabilities(scores.float().cpu(), self.temperature, self.top_k, self.top_p)
            return torch.multinomial(shares, 1, generator=generator)[:, 0].to(scores.device)

        return choose


def most_probable(scores: Float[Tensor, "batch vocabulary"]) -> Int[Tensor, " batch"]:
    return scores.argmax(dim=-1)


class Lines(NamedTuple):
    """Rows of tokens side by side, padded on the right, and the token that follows each."""

    inputs: Int[Tensor, "batch length"]
    targets: Int[Tensor, "batch length"]


@dataclass
class Trained:
    """A trained language model with its vocabulary: text in, losses or more text out."""

    model: LanguageModel
    text: Tokenizer
    about: dict[str, Any]
    progress: Progress
    kept: Progress = field(default_factory=Progress)  # when these weights were kept: the best on validation

    @torch.no_grad()
    def losses(
        self, texts: Sequence[str], tick: Callable[[], object] = lambda: None
    ) -> tuple[Float[Tensor, " rows"], Int[Tensor, " rows"]]:
        """Return the loss of each row in nats, summed over its tokens, and how many these are.

        A row is a sentence, or of running text as many characters as the recipe's context has: each token is
        predicted once, the first of a row of running text from one character. `tick` is called before each batch.
        """
        rows = list(
            chain.from_iterable(cut(framed(self.text, each), self.about["recipe"]["context"]) for each in texts)
        )
        device = next(self.model.parameters()).device
        losses, counts = torch.zeros(len(rows), dtype=torch.float64), torch.tensor([len(row) - 1 for row in rows])
        order = sorted(range(len(rows)), key=lambda number: len(rows[number]))
        for group in within(order, [(len(row) - 1,) for row in rows], CELLS):
            tick()
            lines = Lines(*(each.to(device) for each in lines_of([rows[number] for number in group])))
            each = token_losses(self.model(lines.inputs), lines.targets, "none").view(lines.targets.shape)
            losses[group] = each.double().sum(dim=1).cpu()
        return losses, counts

    @torch.no_grad()
    def write(self, beginnings: Sequence[str], count: int, sampling: Sampling) -> list[str]:
        """Return the beginnings, each with up to `count` tokens more."""
        device = next(self.model.parameters()).device
        rows = [opened(self.text, beginning) for beginning in beginnings]
        width = max(map(len, rows))
        tokens = torch.tensor([[PAD] * (width - len(row)) + row for row in rows], device=device)
        more = self.model.generate(tokens, tokens != PAD, count, sampling.chooser())
        return [self.text.decode([*row, *new]) for row, new in zip(rows, more.tolist(), strict=True)]


def framed(text: Tokenizer, line: str) -> list[int]:
    """Return a sentence between <s> and </s>, a text in subwords between two </s>, running text as it is."""
    if isinstance(text, tokenizers.Characters):
        return text.encode(line)
    return [BOS if isinstance(text, tokenizers.Words) else EOS, *text.encode(line), EOS]


def opened(text: Tokenizer, beginning: str) -> list[int]:
    """Return the tokens that a text to be continued begins with; running text has at least the end of a line."""
    if isinstance(text, tokenizers.Characters):
        return text.encode(beginning or "\n")
    return [*framed(text, beginning)[:-1]]


def cut(tokens: Row, context: int, start: int = 0) -> list[Row]:
    """Return a text as rows of up to context + 1 tokens; the last of a row is the first of the next.

    A sentence, which begins with <s>, is one row.
    """
    if list(tokens[:1]) == [BOS]:
        return [tokens[:]]
    return [tokens[at : at + context + 1] for at in range(start, len(tokens) - 1, context)]


def lines_of(rows: Sequence[Row]) -> Lines:
    """Return the rows without their last token, and without their first."""
    table = pad(rows)
    return Lines(table[:, :-1].contiguous(), table[:, 1:].contiguous())


def token_losses(
    scores: Float[Tensor, "batch length vocabulary"], targets: Int[Tensor, "batch length"], reduction: str = "mean"
) -> Float[Tensor, "*rows"]:
    """Return the cross-entropy in nats at the real targets: their mean, or all of them with 0 at padding."""
    return functional.cross_entropy(
        scores.flatten(0, 1).float(), targets.flatten(), ignore_index=PAD, reduction=reduction
    )


class Predicting(Task):
    """The task of a language model: rows of similar length, the mean loss over their tokens.

    Running text is cut at other places in each epoch, and with `share` only so much of its batches is an epoch.
    """

    unit = "tokens"

    def __init__(self, texts: Sequence[Row], tokens: int, context: int, share: float = 1.0) -> None:
        self.texts, self.tokens, self.context, self.share = texts, tokens, context, share

    def groups(self, seed: int) -> list[list[Row]]:
        rng = np.random.default_rng(seed)
        start = int(rng.integers(self.context))
        rows = list(chain.from_iterable(cut(text, self.context, start) for text in self.texts))
        lengths = np.array([len(row) - 1 for row in rows])
        order = np.argsort(lengths * rng.uniform(0.9, 1.1, len(rows)))
        groups = within(order.tolist(), [(int(length),) for length in lengths], self.tokens)
        rng.shuffle(groups)
        return [[rows[number] for number in group] for group in groups[: max(1, round(self.share * len(groups)))]]

    def weight(self, group: list[Row]) -> int:
        return sum(len(row) - 1 for row in group)

    def collate(self, group: list[Row]) -> Lines:
        return lines_of(group)

    def loss(self, model: nn.Module, batch: Lines, device: torch.device) -> Tensor:
        inputs, targets = (sent(each, device) for each in batch)
        return token_losses(model(inputs), targets)


class Language(Experiment[Trained]):
    """Texts, one vocabulary for what is read and what is written, and the mean log-probability of a validation token.

    It is in nats: higher is better.
    """

    metric = "log-likelihood"

    def texts(self, corpus: Text) -> list[str]:
        return ["\n".join(corpus.train)]

    def learn(self, solution: Solution, corpus: Text, recipe: Any) -> tuple[Tokenizer, Tokenizer]:
        if corpus.unit == "subword":
            text = tokenizers.Subwords.learn(corpus.train, recipe.vocabulary)
        else:
            text = (tokenizers.Characters if corpus.unit == "character" else tokenizers.Words).learn(corpus.train)
        return text, text

    def state(self, source: Tokenizer, target: Tokenizer) -> dict[str, Any]:
        return {"text": source.state()}

    def restored(self, about: dict[str, Any]) -> tuple[Tokenizer, Tokenizer]:
        text = tokenizers.restore(about["text"])
        return text, text

    @staticmethod
    def trained(model: LanguageModel, text: Tokenizer, _: Tokenizer, *about: Any, **kept: Progress) -> Trained:
        return Trained(model, text, *about, **kept)

    def task(self, trained: Trained, corpus: Text, recipe: Any) -> Predicting:
        texts = [framed(trained.text, line) for line in corpus.train]
        return Predicting(texts, recipe.training.tokens, recipe.context, recipe.share)

    def score(self, trained: Trained, corpus: Text, tick: Callable[[], object]) -> float:
        losses, counts = trained.losses(corpus.validation, tick)
        return -float(losses.sum() / counts.sum())


LANGUAGE = Language()
train, restore = LANGUAGE.train, LANGUAGE.restore
