"""The model of Lin et al. (2017): a bidirectional LSTM, several hops over its states, and a classifier."""

import itertools
from collections.abc import Callable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from lab.corpora import Labelled
from lab.kinds.classification import Classifier
from lab.kinds.ranges import RecipeError
from lab.kinds.runs import Solution
from lab.text.batches import Mask, Source, word_dropout
from lab.text.tokenizers import PAD, Words
from lab.text.word_vectors import start_from
from lab.train.transfer import derived
from solutions.encoder_decoder.model import Encoder
from solutions.encoder_decoder.plain import with_gradient as step_with_gradient
from solutions.encoder_decoder.recipe import Recipe as EncoderRecipe
from solutions.structured.attention import pruned_output, structured_attention
from solutions.structured.recipe import DEFAULTS, RECIPES, Recipe

Attend = Callable[..., tuple[Tensor, Tensor, Tensor]]  # the arguments of solutions.structured.structured_attention
Prune = Callable[[Tensor, Tensor, Tensor], Tensor]  # the arguments of solutions.structured.pruned_output


def or_the_first(mask: Mask) -> Mask:
    """Return the mask with the first position of each row that has none: a recurrent network needs a step to take."""
    first = torch.arange(mask.shape[1], device=mask.device) == 0
    return mask | (first & ~mask.any(dim=1, keepdim=True))


class Sums(nn.Module):
    """States that bind nothing: each is the sum of its word's vector and the previous word's."""

    def __init__(self, vocabulary_size: int, width: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary_size, width, padding_idx=PAD)

    def states(self, tokens: Source, _: Tensor) -> Float[Tensor, "batch source width"]:
        words = self.embedding(tokens)
        return words + nn.functional.pad(words, (0, 0, 1, 0))[:, :-1]


class Reader(nn.Module):
    """Words to the matrix M of each sentence, with the weights A of its hops and its penalty."""

    def __init__(self, recipe: Recipe, vocabulary_size: int, attend: Attend = structured_attention) -> None:
        super().__init__()
        shape = EncoderRecipe(
            cell="lstm", embedding_dim=recipe.embedding_dim, units=recipe.units, dropout=recipe.dropout
        )
        sums = recipe.reader == "sum"
        self.attend = attend
        self.encoder = Sums(vocabulary_size, 2 * recipe.units) if sums else Encoder(vocabulary_size, shape)
        self.word_dropout = recipe.word_dropout
        with torch.no_grad():
            self.encoder.embedding.weight *= recipe.embedding_scale
        self.W_s1 = nn.Parameter(torch.empty(recipe.hidden, 2 * recipe.units))
        self.W_s2 = nn.Parameter(torch.empty(recipe.hops, recipe.hidden))
        for matrix in (self.W_s1, self.W_s2):
            nn.init.xavier_uniform_(matrix)

    def forward(
        self, tokens: Source, mask: Mask
    ) -> tuple[Float[Tensor, "batch hops states"], Float[Tensor, "batch hops source"], Float[Tensor, " batch"]]:
        """Return M, A and the penalty. A text without words has no weights, and zeros for M."""
        tokens = word_dropout(tokens, self.word_dropout if self.training else 0.0)
        H = self.encoder.states(tokens, derived(mask, or_the_first))
        # In full precision: the penalty lives on small differences between the hops.
        with torch.autocast(H.device.type, enabled=False):
            return self.attend(H.float(), self.W_s1, self.W_s2, mask)


class Pruned(nn.Module):
    """A hidden layer that keeps the rows and the columns of M apart: appendix A.

    Row i of M becomes p units by parameters of its own, column j becomes q units by its own. That takes
    (p + q)·r·2u parameters, where a full layer of as many units would take (p·r + q·2u)·r·2u.
    `prune` is any function with the arguments of `pruned_output`.
    """

    def __init__(self, hops: int, states: int, per_hop: int, per_feature: int, prune: Prune = pruned_output) -> None:
        super().__init__()
        self.prune, self.units = prune, hops * per_hop + states * per_feature
        self.rows = nn.Parameter(torch.empty(hops, per_hop, states))
        self.columns = nn.Parameter(torch.empty(states, per_feature, hops))
        for params in (self.rows, self.columns):
            nn.init.normal_(params, std=(2 / params.shape[-1]) ** 0.5)

    def forward(self, M: Float[Tensor, "batch hops states"]) -> Float[Tensor, "batch hidden_units"]:
        return self.prune(M, self.rows, self.columns)


class Full(nn.Module):
    """A hidden layer on all of M, its rows behind each other: section 3."""

    def __init__(self, hops: int, states: int, units: int) -> None:
        super().__init__()
        self.layer, self.units = nn.Linear(hops * states, units), units

    def forward(self, M: Float[Tensor, "batch hops states"]) -> Float[Tensor, "batch hidden_units"]:
        return torch.relu(self.layer(M.flatten(1)))


class Lists(nn.Module):
    """From a score for each option of each question to one for each list of options, ordered as by itertools.product.

    The softmax over all lists is then the product of the questions' own, and the cross-entropy the sum of theirs.
    """

    def __init__(self, questions: int, options: int) -> None:
        super().__init__()
        self.shape = questions, options

    def forward(self, scores: Float[Tensor, "batch options"]) -> Float[Tensor, "batch lists"]:
        joint, *others = scores.unflatten(1, self.shape).unbind(dim=1)
        for each in others:
            joint = (joint[:, :, None] + each[:, None]).flatten(1)
        return joint


class Answers(nn.Module):
    """From a score for each yes-or-no question to one for each list of answers, in the order of itertools.product.

    The softmax over all lists is then the product of the single sigmoids, and the cross-entropy the sum of theirs.
    """

    signs: Tensor

    def __init__(self, questions: int) -> None:
        super().__init__()
        signs = torch.tensor(list(itertools.product((-0.5, 0.5), repeat=questions)))
        self.register_buffer("signs", signs, persistent=False)

    def forward(self, scores: Float[Tensor, "batch questions"]) -> Float[Tensor, "batch lists"]:
        return scores @ self.signs.T


def classifier(recipe: Recipe, labels: int, prune: Prune = pruned_output) -> nn.Sequential:
    """Return the layers from M to scores of the labels: a hidden one with ReLU, full or pruned, and one matrix."""
    states = 2 * recipe.units
    if recipe.hops < 1:
        raise ValueError(f"expected hops of 1 or more, got {recipe.hops}")
    if recipe.pruned and recipe.per_hop + recipe.per_feature < 1:
        raise ValueError(
            "the pruned classifier needs hidden units: expected per_hop or per_feature of 1 or more, got "
            f"{recipe.per_hop} and {recipe.per_feature}"
        )
    if recipe.pruned:
        hidden = Pruned(recipe.hops, states, recipe.per_hop, recipe.per_feature, prune)
    else:
        hidden = Full(recipe.hops, states, recipe.mlp)
    dropout = nn.Dropout(recipe.dropout)
    if not recipe.answers:
        return nn.Sequential(dropout, hidden, dropout, nn.Linear(hidden.units, labels))
    options = recipe.options or 2
    if labels != options**recipe.answers:
        expected = f"expected {options**recipe.answers} labels for {recipe.answers} answers of {options} options each"
        raise ValueError(f"{expected}, got {labels}")
    lists = Lists(recipe.answers, options) if recipe.options else Answers(recipe.answers)
    scores = nn.Linear(hidden.units, recipe.answers * (recipe.options or 1))
    return nn.Sequential(dropout, hidden, dropout, scores, lists)


class Hops(Classifier):
    """What both models share: what reads a text, and what decides. The loss gets a weight times the mean penalty.

    `attend` is any function with the arguments of `structured_attention`, `prune` one with those of `pruned_output`.
    """

    def __init__(
        self,
        recipe: Recipe,
        vocabulary_size: int,
        labels: int,
        attend: Attend = structured_attention,
        prune: Prune = pruned_output,
    ) -> None:
        super().__init__()
        self.recipe = recipe
        self.reader = Reader(recipe, vocabulary_size, attend)
        self.classifier = classifier(recipe, labels, prune)

    def prepare(self, words: Words, texts: Labelled) -> None:
        """Start from the vectors that the recipe names; once, before a training."""
        start_from(self.recipe.vectors, self.reader.encoder.embedding, words, texts.sentences)


class Structured(Hops):
    """Lin's classifier of one text."""

    def forward(self, tokens: Source, mask: Mask) -> tuple[Float[Tensor, "batch labels"], Float[Tensor, " batch"]]:
        """Return the scores of the labels, and what the penalty of each text adds to the loss."""
        M, _, penalty = self.reader(tokens, mask)
        return self.classifier(M), self.recipe.penalty * penalty

    def attention_weights(self, tokens: Source, mask: Mask) -> Float[Tensor, "batch hops source"]:
        """Return the weights of the hops."""
        return self.reader(tokens, mask)[1]


class StructuredPair(Hops):
    """Lin's model of two sentences, such as a premise and what may follow from it: section 4.3.

    Both become matrices, by the same reader. Row i of the one and row i of the other are multiplied by matrices of
    their own and then with each other, feature by feature: F_i = (M_i W_f)∘(M'_i W_f'). The classifier reads F.
    """

    nested = True  # a text is two sentences

    def __init__(self, recipe: Recipe, vocabulary_size: int, labels: int, **handed_in: Callable) -> None:
        super().__init__(recipe, vocabulary_size, labels, **handed_in)
        states = 2 * recipe.units
        self.factors = nn.Parameter(torch.empty(2, recipe.hops, states, states))
        nn.init.normal_(self.factors, std=states**-0.5)
        self.dropout = nn.Dropout(recipe.dropout)

    def forward(
        self, tokens: Int[Tensor, "batch two source"], mask: Bool[Tensor, "batch two source"]
    ) -> tuple[Float[Tensor, "batch labels"], Float[Tensor, " batch"]]:
        """Return the scores of the labels, and what the penalties of both sentences add to the loss."""
        if tokens.shape[1] != 2:
            raise RecipeError(
                f"This model compares two sentences; it was given texts of {tokens.shape[1]}. "
                "Take a corpus of sentence pairs, or a recipe with pair=False."
            )
        M, _, penalty = self.reader(tokens.flatten(0, 1), mask.flatten(0, 1))
        both = self.dropout(M).unflatten(0, (-1, 2))  # (batch, two, hops, states)
        first, second = torch.einsum("btrd,trdf->tbrf", both, self.factors)
        return self.classifier(first * second), self.recipe.penalty * penalty.view(-1, 2).sum(dim=1)

    def attention_weights(
        self, tokens: Int[Tensor, "batch two source"], mask: Bool[Tensor, "batch two source"]
    ) -> tuple[Float[Tensor, "batch two source"], Float[Tensor, "batch two"]]:
        """Return the weights of the words in each sentence, the mean of its hops, and equal weights of both."""
        A = self.reader(tokens.flatten(0, 1), mask.flatten(0, 1))[1]
        return A.mean(dim=1).unflatten(0, (-1, 2)), A.new_full((len(tokens), 2), 0.5)


def build(recipe: Recipe, vocabulary_size: int, labels: int, **handed_in: Callable) -> Classifier:
    """Return the model of one text, or of two that are compared; `attend` and `prune` may be handed in."""
    return (StructuredPair if recipe.pair else Structured)(recipe, vocabulary_size, labels, **handed_in)


def with_gradient(attend: Attend, backward: Callable[..., Tensor]) -> Attend:
    """Return attention whose penalty has the gradient that `backward` (penalty_backward) works out: no autograd there.

    `backward` is asked at the scores ln A, whose softmax is A; what it gives, divided by A, is sent back to A.
    """

    def attended(H: Tensor, W_s1: Tensor, W_s2: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
        def to_weights(outer: Tensor, A: Tensor) -> tuple[Tensor]:
            A = A.clamp(min=torch.finfo(A.dtype).tiny)  # padding has the logarithm of 0
            return (backward(outer, A.log(), mask) / A,)

        M, A, penalty = attend(H, W_s1, W_s2, mask)
        return M, A, step_with_gradient(lambda _: penalty.detach().clone(), to_weights)(A)

    return attended


SOLUTION = Solution("structured", build, RECIPES, DEFAULTS)
