"""A classifier of any chapter, from corpus to checkpoint and back: train it, load it, label texts with it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from lab import metrics
from lab.corpora import Document, Labelled
from lab.kinds.experiment import Experiment
from lab.kinds.runs import CorpusRun, Solution
from lab.text import tokenizers
from lab.text.batches import text_batch, within
from lab.train.training import Progress, Training
from lab.train.transfer import sent

Encoded = list[list[int]]  # the word numbers of each sentence of a text
Example = tuple[Encoded, int]  # and its label
Row = TypeVar("Row", list[int], list[str])
Run = CorpusRun
CELLS = 20_000  # words, padding included, that are read at once when nothing is learnt


class Classifier(nn.Module):
    """From the words of a batch to scores of the labels. True in the mask is a word, False is padding.

    A flat model reads all words of a text in one row, (batch, words); a nested one reads (batch, sentences, words).
    A text may have no words, and a document of a batch sentences that are only padding.
    """

    nested: ClassVar[bool] = False

    def forward(
        self, tokens: Int[Tensor, "batch ..."], mask: Bool[Tensor, "batch ..."]
    ) -> Float[Tensor, "batch labels"] | tuple[Float[Tensor, "batch labels"], Float[Tensor, "*batch"]]:
        """Return the scores of the labels; if the model has an own term of the loss, also that (its mean is added)."""
        raise NotImplementedError

    def attention_weights(self, tokens: Int[Tensor, "batch ..."], mask: Bool[Tensor, "batch ..."]) -> Any:
        """Return the weights: (batch, words) or (batch, hops, words); nested: those of words and of sentences.

        Nested: word weights (batch, sentences, words), which add up to 1 in each sentence, and (batch, sentences).
        """
        raise NotImplementedError


@dataclass(frozen=True)
class TextWeights:
    """A classifier's attention in one text: a row of weights over all its words for each hop, most models have one.

    A nested model's weight of a word is that of the word in its sentence times that of the sentence.
    """

    words: Float[Tensor, "hops words"]
    sentences: Float[Tensor, " sentences"] | None = None


@dataclass
class Trained:
    """A trained classifier with its vocabulary and labels: texts in, labels out."""

    model: Classifier
    text: tokenizers.Words
    labels: tuple[str, ...]
    about: dict[str, Any]
    progress: Progress
    kept: Progress = field(default_factory=Progress)  # when these weights were kept: the best on validation

    def normal(self, sentences: Sequence[str]) -> tuple[str, ...]:
        """Return the sentences as the model reads them: lower-cased if its recipe says so."""
        return normal(sentences, self.about["recipe"].get("lowercase", False))

    def parts(self, sentences: Sequence[str]) -> list[list[str]]:
        """Return the words of each sentence; a sentence longer than the recipe's `longest` is cut into parts."""
        return parts([sentence.split() for sentence in sentences], self.about["recipe"].get("longest", 0))

    @torch.no_grad()
    def probabilities(
        self, texts: Sequence[Sequence[str]], tick: Callable[[], object] = lambda: None
    ) -> Float[Tensor, "texts labels"]:
        """Return the probability of each label for each text (its sentences), in the order given.

        `tick` is called before each batch; it ends this by raising an exception.
        """
        probabilities = torch.empty(len(texts), len(self.labels))
        for rows, tokens, mask in self.batches(texts):
            tick()
            output = self.model(tokens, mask)
            scores = output[0] if isinstance(output, tuple) else output
            probabilities[rows] = scores.float().softmax(dim=-1).cpu()
        return probabilities

    def classify(self, texts: Sequence[Sequence[str]], tick: Callable[[], object] = lambda: None) -> list[str]:
        """Return the most probable label of each text."""
        return [self.labels[best] for best in self.probabilities(texts, tick).argmax(dim=-1)]

    @torch.no_grad()
    def attention_weights(self, texts: Sequence[Sequence[str]]) -> list[TextWeights]:
        """Return the attention weights of each text."""
        weighed: dict[int, TextWeights] = {}
        for rows, tokens, mask in self.batches(texts):
            weights = self.model.attention_weights(tokens, mask)
            for place, row in enumerate(rows):
                weighed[row] = weights_of(weights, place, mask[place])
        return [weighed[row] for row in range(len(texts))]

    def batches(self, texts: Sequence[Sequence[str]]):
        """Yield texts of similar length together: their numbers, words and mask."""
        numbers = [encoded(sentences, self.text, self.about["recipe"]) for sentences in texts]
        sizes = [size(document, self.model.nested) for document in numbers]
        device = next(self.model.parameters()).device
        for rows in within(sorted(range(len(texts)), key=sizes.__getitem__), sizes, CELLS):
            tokens, mask = text_batch([numbers[row] for row in rows], self.model.nested)
            yield rows, tokens.to(device), mask.to(device)


def weights_of(weights: Any, place: int, mask: Bool[Tensor, "*words"]) -> TextWeights:
    """Return the weights of one text of a batch, without its padding."""
    if isinstance(weights, tuple):
        of_words, of_sentences = (part[place].float().cpu() for part in weights)
        mask = mask.cpu()
        return TextWeights((of_words * of_sentences[:, None])[mask][None], of_sentences[mask.any(dim=-1)])
    row = weights[place].float().cpu()
    return TextWeights(row.reshape(-1, row.shape[-1])[:, mask.cpu()])


class Texts(NamedTuple):
    """Texts side by side, with their labels."""

    tokens: Int[Tensor, "batch ..."]
    mask: Bool[Tensor, "batch ..."]
    labels: Int[Tensor, " batch"]


class Classifying:
    """The task of a classifier: texts of similar length, the mean loss over them, and the model's own term."""

    unit = "words"

    def __init__(self, examples: Sequence[Example], training: Training, nested: bool) -> None:
        self.examples, self.training, self.nested = examples, training, nested
        self.sizes = [size(document, nested) for document, _ in examples]

    def groups(self, seed: int) -> list[list[Example]]:
        """Return groups of texts of about equal length; their members change with each epoch."""
        rng = np.random.default_rng(seed)
        blur = rng.uniform(0.9, 1.1, len(self.sizes))
        keys = [tuple(count * factor for count in sizes) for sizes, factor in zip(self.sizes, blur, strict=True)]
        groups = within(sorted(range(len(keys)), key=keys.__getitem__), self.sizes, self.training.tokens)
        rng.shuffle(groups)
        return [[self.examples[row] for row in group] for group in groups]

    def weight(self, group: list[Example]) -> int:
        return len(group)

    def units(self, group: list[Example]) -> int:
        return sum(len(sentence) for document, _ in group for sentence in document)

    def collate(self, group: Sequence[Example]) -> Texts:
        tokens, mask = text_batch([document for document, _ in group], self.nested)
        return Texts(tokens, mask, torch.tensor([label for _, label in group]))

    def loss(self, model: nn.Module, batch: Texts, device: torch.device) -> Tensor:
        tokens, mask, labels = (sent(each, device) for each in batch)
        output = model(tokens, mask)
        scores, extra = output if isinstance(output, tuple) else (output, None)
        loss = nn.functional.cross_entropy(scores.float(), labels, label_smoothing=self.training.smoothing)
        return loss if extra is None else loss + extra.mean()


def try_out(model: Classifier, task: Classifying) -> None:
    """Read the first text once, so that a model not made for such texts fails before anything is written."""
    first = task.collate(task.examples[:1])
    model.eval()
    with torch.no_grad():
        task.loss(model, first, next(model.parameters()).device)
    model.train()


def size(document: Encoded, nested: bool) -> tuple[int, ...]:
    """Return the size of the table that the text needs: its words, or its sentences and the words of the longest."""
    if nested:
        return len(document), max(map(len, document), default=0)
    return (sum(map(len, document)),)


def normal(sentences: Sequence[str], lowercase: bool) -> tuple[str, ...]:
    return tuple(sentence.lower() for sentence in sentences) if lowercase else tuple(sentences)


def parts(rows: Sequence[Row], longest: int) -> list[Row]:
    """Return the rows, one with more than `longest` items cut into parts of so many (0: none is cut)."""
    if not longest:
        return list(rows)
    return [row[start : start + longest] for row in rows for start in range(0, max(len(row), 1), longest)]


def encoded(sentences: Sequence[str], words: tokenizers.Words, recipe: dict[str, Any]) -> Encoded:
    """Return the word numbers of each sentence, as the recipe wants to read them (`lowercase`, `longest`)."""
    rows = [words.encode(sentence) for sentence in normal(sentences, recipe.get("lowercase", False))]
    return parts(rows, recipe.get("longest", 0))


def scores(predicted: Sequence[str], texts: Labelled, documents: Sequence[Document]) -> dict[str, metrics.Score]:
    """Return accuracy and macro-F1 of the predicted labels of some documents of a corpus."""
    gold = [document.label for document in documents]
    classes = texts.classes or {label: label for label in texts.labels}
    return {"accuracy": metrics.accuracy(predicted, gold), "macro_f1": metrics.macro_f1(predicted, gold, classes)}


class Classification(Experiment[Trained]):
    """Labelled texts, one vocabulary, and the corpus's own metric on the validation texts."""

    metric = "score"
    trained = Trained

    def texts(self, corpus: Labelled) -> Iterator[str]:
        return ("\n".join([document.label, *document.sentences, "", ""]) for document in corpus.train)

    def learn(self, solution: Solution, corpus: Labelled, recipe: Any) -> tuple[tokenizers.Words, tuple[str, ...]]:
        """Learn the vocabulary from the training part, or from what the chapter reads: all words, or the frequent."""
        lines = solution.reading(corpus, recipe) if solution.reading else corpus.sentences()
        if getattr(recipe, "lowercase", False):
            lines = (line.lower() for line in lines)
        return tokenizers.Words.learn(lines, recipe.vocabulary or None), corpus.labels

    def state(self, source: tokenizers.Words, target: tuple[str, ...]) -> dict[str, Any]:
        return {"text": source.state(), "labels": list(target)}

    def restored(self, about: dict[str, Any]) -> tuple[tokenizers.Words, tuple[str, ...]]:
        return tokenizers.Words(about["text"]["words"]), tuple(about["labels"])

    def task(self, trained: Trained, corpus: Labelled, recipe: Any) -> Classifying:
        """Return the task: the training texts that have words, as numbers. The first is read once."""
        label = {name: number for number, name in enumerate(trained.labels)}
        settings = trained.about["recipe"]
        numbers = [(encoded(each.sentences, trained.text, settings), label[each.label]) for each in corpus.train]
        task = Classifying([each for each in numbers if any(each[0])], recipe.training, trained.model.nested)
        try_out(trained.model, task)
        return task

    def score(self, trained: Trained, corpus: Labelled, tick: Callable[[], object]) -> float:
        labels = trained.classify([document.sentences for document in corpus.validation], tick)
        return 100 * scores(labels, corpus, corpus.validation)[corpus.metric].value


CLASSIFICATION = Classification()
train, restore = CLASSIFICATION.train, CLASSIFICATION.restore
