"""What goes wrong in teacher forcing and in the loss of a padded batch."""

import math

import torch
from torch import Tensor
from torch.nn import functional as F

from solutions.encoder_decoder.attention import sequence_loss, shift

Shifted = tuple[Tensor, Tensor]


def not_shifted(tokens: Tensor, bos: int, eos: int, pad: int) -> Shifted:
    """The targets are the inputs: nothing is shifted, and the network would learn to copy. The target at a position is
    the word that comes after the input there."""
    inputs, _ = shift(tokens, bos, eos, pad)
    return inputs, inputs


def results_swapped(tokens: Tensor, bos: int, eos: int, pad: int) -> Shifted:
    """The results have changed places. The inputs come first, then the targets."""
    inputs, targets = shift(tokens, bos, eos, pad)
    return targets, inputs


def eos_in_the_last_column(tokens: Tensor, bos: int, eos: int, pad: int) -> Shifted:
    """eos stands in the last column of every row, behind the padding. It follows right after the last real token."""
    inputs, _ = shift(tokens, bos, eos, pad)
    return inputs, F.pad(tokens, (0, 1), value=eos)


def eos_after_the_longest(tokens: Tensor, bos: int, eos: int, pad: int) -> Shifted:
    """eos stands in the same column in every row. Each row has its own last real token: eos follows right after it."""
    inputs, _ = shift(tokens, bos, eos, pad)
    targets = F.pad(tokens, (0, 1), value=pad)
    targets[:, int((tokens != pad).sum(1).max())] = eos
    return inputs, targets


def eos_for_all_padding(tokens: Tensor, bos: int, eos: int, pad: int) -> Shifted:
    """All padding of the targets is eos. One eos follows the last real token; what comes after it is pad."""
    inputs, targets = shift(tokens, bos, eos, pad)
    return inputs, targets.masked_fill(targets == pad, eos)


def eos_for_the_last_word(tokens: Tensor, bos: int, eos: int, pad: int) -> Shifted:
    """eos stands in the place of the last real token. It comes after it: the targets have a column more than the
    sentences."""
    inputs, _ = shift(tokens, bos, eos, pad)
    last = ((tokens != pad).sum(dim=1, keepdim=True) - 1).clamp(min=0)
    return inputs, F.pad(tokens.scatter(1, last, eos), (0, 1), value=pad)


def eos_at_length_minus_one(tokens: Tensor, bos: int, eos: int, pad: int) -> Shifted:
    """eos stands one place too early, at `lengths - 1`, over the last real token. In a row of n words it stands in
    column n, counted from 0."""
    inputs, targets = shift(tokens, bos, pad, pad)
    targets[torch.arange(len(tokens)), (tokens != pad).sum(dim=1) - 1] = eos  # -1 in a row without words: at its end
    return inputs, targets


def no_eos(tokens: Tensor, bos: int, eos: int, pad: int) -> Shifted:
    """eos is missing in the targets: the network would never learn to end a sentence."""
    inputs, _ = shift(tokens, bos, eos, pad)
    return inputs, F.pad(tokens, (0, 1), value=pad)


def eos_is_read(tokens: Tensor, bos: int, eos: int, pad: int) -> Shifted:
    """The inputs of shorter rows hold eos. The decoder never reads it: after the last real token its inputs are pad."""
    inputs, targets = shift(tokens, bos, eos, pad)
    whole = torch.cat([inputs[:, :1], targets], dim=1)
    return whole[:, :-1], targets


def bos_is_said(tokens: Tensor, bos: int, eos: int, pad: int) -> Shifted:
    """The targets begin with bos. bos is given to the decoder, and it does not have to say it."""
    inputs, _ = shift(tokens, bos, eos, pad)
    lengths = (tokens != pad).sum(dim=1, keepdim=True)
    return inputs, inputs.scatter(1, lengths, eos)


def zero_is_padding(tokens: Tensor, bos: int, eos: int, pad: int) -> Shifted:
    """Padding is taken to be the number 0. The number of the padding token is given: `pad`, and 0 may be a word."""
    inputs, _ = shift(tokens, bos, eos, pad)
    lengths = (tokens != 0).sum(dim=1, keepdim=True)
    return inputs, F.pad(tokens, (0, 1), value=pad).scatter(1, lengths, eos)


def one_too_late(tokens: Tensor, bos: int, eos: int, pad: int) -> Shifted:
    """A pad stands between the last real token and eos, where there is room. eos follows right after it."""
    inputs, _ = shift(tokens, bos, eos, pad)
    after = ((tokens != pad).sum(dim=1, keepdim=True) + 1).clamp(max=tokens.shape[1])
    return inputs, F.pad(tokens, (0, 1), value=pad).scatter(1, after, eos)


def a_column_fewer(tokens: Tensor, bos: int, eos: int, pad: int) -> Shifted:
    """The last column is cut off. The sentences have T columns; inputs and targets have T + 1: bos or eos comes on
    top."""
    inputs, targets = shift(tokens, bos, eos, pad)
    return inputs[:, :-1], targets[:, :-1]


def neither_bos_nor_eos(tokens: Tensor, bos: int, eos: int, pad: int) -> Shifted:
    """The sentence is only cut, at its end and at its beginning. `tokens` has neither bos nor eos: put them there."""
    return tokens[:, :-1], tokens[:, 1:]


SHIFT = (
    not_shifted,
    results_swapped,
    eos_in_the_last_column,
    eos_after_the_longest,
    eos_for_all_padding,
    eos_for_the_last_word,
    eos_at_length_minus_one,
    no_eos,
    eos_is_read,
    bos_is_said,
    zero_is_padding,
    one_too_late,
    a_column_fewer,
    neither_bos_nor_eos,
)


def _surprise(logits: Tensor, targets: Tensor, axis: int = -1) -> Tensor:
    """Return -log p of every target, padding too: (B, T)."""
    return -logits.log_softmax(dim=axis).gather(-1, targets[..., None])[..., 0]


def padding_counted(logits: Tensor, targets: Tensor, pad: int) -> Tensor:
    """Padding counts: this is the mean over all positions. Leave out those whose target is pad."""
    return _surprise(logits, targets).mean()


def padding_divides(logits: Tensor, targets: Tensor, pad: int) -> Tensor:
    """The padding is left out of the sum, and not of the number by which it is divided. Divide by the number of real
    targets."""
    return (_surprise(logits, targets) * (targets != pad)).mean()


def mean_of_sentences(logits: Tensor, targets: Tensor, pad: int) -> Tensor:
    """This is the mean of the sentences' means. Every real target of the batch counts the same: one sum, one number."""
    real = targets != pad
    return ((_surprise(logits, targets) * real).sum(1) / real.sum(1)).mean()


def summed(logits: Tensor, targets: Tensor, pad: int) -> Tensor:
    """This is the sum. Divide by the number of real targets."""
    return _surprise(logits, targets)[targets != pad].sum()


def sum_of_each_sentence(logits: Tensor, targets: Tensor, pad: int) -> Tensor:
    """The sum is divided by the number of sentences. Divide by the number of real targets."""
    return _surprise(logits, targets)[targets != pad].sum() / len(targets)


def no_softmax(logits: Tensor, targets: Tensor, pad: int) -> Tensor:
    """The logits are taken as log-probabilities. They need a log_softmax over the vocabulary."""
    return -logits.gather(-1, targets[..., None])[..., 0][targets != pad].mean()


def no_sign(logits: Tensor, targets: Tensor, pad: int) -> Tensor:
    """The sign is missing: the loss is minus the mean log-probability, never below 0."""
    return -sequence_loss(logits, targets, pad)


def softmax_over_steps(logits: Tensor, targets: Tensor, pad: int) -> Tensor:
    """The softmax runs over the steps. It runs over the vocabulary, the last axis."""
    return _surprise(logits, targets, axis=1)[targets != pad].mean()


def softmax_over_sentences(logits: Tensor, targets: Tensor, pad: int) -> Tensor:
    """The softmax runs over the sentences of the batch. It runs over the vocabulary, the last axis."""
    return _surprise(logits, targets, axis=0)[targets != pad].mean()


def softmax_twice(logits: Tensor, targets: Tensor, pad: int) -> Tensor:
    """A softmax is taken before the log_softmax. One of them is enough: cross_entropy and log_softmax want logits."""
    return sequence_loss(logits.softmax(dim=-1), targets, pad)


def logarithm_of_softmax(logits: Tensor, targets: Tensor, pad: int) -> Tensor:
    """The logarithm is taken of a finished softmax. Where a probability is too small for a float it has become 0, and
    log 0 is -inf: `log_softmax` stays with the logits and subtracts."""
    return -logits.softmax(dim=-1).log().gather(-1, targets[..., None])[..., 0][targets != pad].mean()


def logarithm_with_epsilon(logits: Tensor, targets: Tensor, pad: int) -> Tensor:
    """A small number keeps the probabilities from 0 before the logarithm. Then no word can lose more than the
    logarithm of that number, however improbable it is: `log_softmax` needs no such number."""
    surprise = -(logits.softmax(dim=-1) + 1e-9).log().gather(-1, targets[..., None])[..., 0]
    return surprise[targets != pad].mean()


def zero_is_left_out(logits: Tensor, targets: Tensor, pad: int) -> Tensor:
    """Padding is taken to be the number 0. The number of the padding token is given: `pad`, and 0 may be a word."""
    return _surprise(logits, targets)[targets != 0].mean()


def shifted_again(logits: Tensor, targets: Tensor, pad: int) -> Tensor:
    """The targets are shifted once more. They are shifted already: logits[:, t] belongs to targets[:, t]."""
    return sequence_loss(logits[:, :-1], targets[:, 1:], pad)


def in_bits(logits: Tensor, targets: Tensor, pad: int) -> Tensor:
    """The logarithm is to base 2. In a loss, log is the natural logarithm."""
    return sequence_loss(logits, targets, pad) / math.log(2)


def perplexity(logits: Tensor, targets: Tensor, pad: int) -> Tensor:
    """This is the perplexity, the exp of the loss. Return the loss itself."""
    return sequence_loss(logits, targets, pad).exp()


def no_logarithm(logits: Tensor, targets: Tensor, pad: int) -> Tensor:
    """The probabilities themselves are averaged. The loss of a word is the negative logarithm of its probability."""
    return -(-_surprise(logits, targets)).exp()[targets != pad].mean()


def last_word_left_out(logits: Tensor, targets: Tensor, pad: int) -> Tensor:
    """The last real target of each sentence, eos, is left out. It counts: the network has to learn where to end."""
    real = targets != pad
    return _surprise(logits, targets)[real & F.pad(real[:, 1:], (0, 1))].mean()


def first_padding_counted(logits: Tensor, targets: Tensor, pad: int) -> Tensor:
    """One padded position behind each sentence counts. Leave out all whose target is pad."""
    real = targets != pad
    return _surprise(logits, targets)[real | F.pad(real[:, :-1], (1, 0))].mean()


LOSS = (
    padding_counted,
    padding_divides,
    mean_of_sentences,
    summed,
    sum_of_each_sentence,
    no_softmax,
    no_sign,
    softmax_over_steps,
    softmax_over_sentences,
    softmax_twice,
    logarithm_of_softmax,
    logarithm_with_epsilon,
    zero_is_left_out,
    shifted_again,
    in_bits,
    perplexity,
    no_logarithm,
    last_word_left_out,
    first_padding_counted,
)
