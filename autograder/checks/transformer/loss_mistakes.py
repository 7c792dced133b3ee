"""What goes wrong in label smoothing and in the schedule of the learning rate."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from solutions.transformer.attention import label_smoothed_loss, noam_rate


def real_mean(losses: Tensor, real: Tensor) -> Tensor:
    return losses[real].mean()


@dataclass(frozen=True)
class Smoothed:
    """The label-smoothed loss in parts, each of which can be put wrong."""

    logarithms: Callable = lambda logits: logits.log_softmax(-1)
    # of the target's log-probability, of all classes' and epsilon
    each: Callable = lambda of_target, log_p, epsilon: -(1 - epsilon) * of_target - epsilon * log_p.mean(-1)
    together: Callable = real_mean

    def __call__(self, logits, target, epsilon, pad):
        log_p = self.logarithms(logits)
        of_target = log_p.gather(-1, target[..., None])[..., 0]
        return self.together(self.each(of_target, log_p, epsilon), target != pad)


def others_only(*arguments):
    """ε is shared by the other V - 1 classes. The formula gives ε/V to all V classes, the right one too."""

    def each(of_target, log_p, epsilon):
        return -(1 - epsilon) * of_target - epsilon * (log_p.sum(-1) - of_target) / (log_p.shape[-1] - 1)

    return Smoothed(each=each)(*arguments)


def share_not_given(*arguments):
    """The right class gets 1 - ε and no ε/V. It gets both: the target's probabilities have to sum to 1."""

    def each(of_target, log_p, epsilon):
        return -(1 - epsilon) * of_target - epsilon / log_p.shape[-1] * (log_p.sum(-1) - of_target)

    return Smoothed(each=each)(*arguments)


def without_pad_class(logits, target, epsilon, pad):
    """ε is shared by the classes that are neither the right one nor padding, V - 2. The formula gives ε/V to all V."""

    def each(of_target, log_p, epsilon):
        others = (log_p.sum(-1) - of_target - log_p[..., pad]) / (log_p.shape[-1] - 2)
        return -(1 - epsilon) * of_target - epsilon * others

    return Smoothed(each=each)(logits, target, epsilon, pad)


def padding_counted(*arguments):
    """Padded positions are counted in the mean. They should cost nothing and not count."""
    return Smoothed(together=lambda losses, real: losses.mean())(*arguments)


def mean_over_everything(*arguments):
    """The loss of padding is 0, but its positions count in the mean. Divide by the number of real targets."""
    return Smoothed(together=lambda losses, real: (losses * real).mean())(*arguments)


def mean_over_batch(*arguments):
    """The sum is divided by the number of sentences. Divide by the number of real targets."""
    return Smoothed(together=lambda losses, real: (losses * real).sum() / len(real))(*arguments)


def mean_of_means(*arguments):
    """Each sentence has its mean, and those are averaged: words of short sentences count more. Average over all real
    targets at once."""
    return Smoothed(together=lambda losses, real: ((losses * real).sum(1) / real.sum(1)).mean())(*arguments)


def summed(*arguments):
    """This is the sum. The loss is the mean over the real targets."""
    return Smoothed(together=lambda losses, real: losses[real].sum())(*arguments)


def not_smoothed(logits, target, epsilon, pad):
    """ε plays no part: this is the plain cross-entropy."""
    return label_smoothed_loss(logits, target, 0.0, pad)


def epsilon_for_the_right(logits, target, epsilon, pad):
    """ε and 1 - ε have changed places. The right class gets 1 - ε, all together share ε."""
    return label_smoothed_loss(logits, target, 1 - epsilon, pad)


def shared_not_divided(*arguments):
    """Every class gets ε. They share it: ε/V for each."""

    def each(of_target, log_p, epsilon):
        return -(1 - epsilon) * of_target - epsilon * log_p.sum(-1)

    return Smoothed(each=each)(*arguments)


def smoothing_added(*arguments):
    """The smoothing comes on top of the whole cross-entropy. That one has the factor 1 - ε."""
    return Smoothed(each=lambda of_target, log_p, epsilon: -of_target - epsilon * log_p.mean(-1))(*arguments)


def pad_is_zero(logits, target, epsilon, pad):
    """Padding is taken to be the number 0. It is the number `pad`."""
    return label_smoothed_loss(logits, target, epsilon, 0)


def divergence(logits, target, epsilon, pad):
    """This is the Kullback–Leibler divergence: the entropy of the smoothed target is subtracted. The loss is the
    cross-entropy. (Their gradients are the same.)"""
    V = logits.shape[-1]
    right, other = torch.tensor(1 - epsilon + epsilon / V), torch.tensor(epsilon / V)
    entropy = -torch.special.xlogy(right, right) - (V - 1) * torch.special.xlogy(other, other)
    return label_smoothed_loss(logits, target, epsilon, pad) - entropy


def sign_forgotten(logits, target, epsilon, pad):
    """The sign is wrong: a logarithm of a probability is negative, the loss is positive."""
    return -label_smoothed_loss(logits, target, epsilon, pad)


def logits_for_logarithms(*arguments):
    """The logits stand where log-probabilities belong: `log_softmax` is missing."""
    return Smoothed(logarithms=lambda logits: logits)(*arguments)


def probabilities(*arguments):
    """Probabilities stand where their logarithms belong."""
    return Smoothed(logarithms=lambda logits: logits.softmax(-1))(*arguments)


def softmax_twice(logits, target, epsilon, pad):
    """The softmax is taken twice: `log_softmax` and `cross_entropy` take logits, not probabilities."""
    return label_smoothed_loss(logits.softmax(-1), target, epsilon, pad)


def over_targets(*arguments):
    """The softmax runs over the target positions. It has to run over the last axis, the classes."""
    return Smoothed(logarithms=lambda logits: logits.log_softmax(1))(*arguments)


def classes_in_second_place(logits, target, epsilon, pad):
    """`cross_entropy` takes the classes from axis 1, and there stand the target positions. Move the classes there, or
    make one axis of sentences and positions."""
    return torch.nn.functional.cross_entropy(logits, target, ignore_index=pad, label_smoothing=epsilon)


def no_maximum(*arguments):
    """exp of large logits overflows. `log_softmax` subtracts the largest first, and nothing else changes."""
    return Smoothed(logarithms=lambda x: (x.exp() / x.exp().sum(-1, keepdim=True)).log())(*arguments)


def logarithm_of_softmax(*arguments):
    """This is the logarithm of a softmax. A softmax that float32 rounds to 0 has none: `log_softmax` of the logits
    gives the number that belongs there."""
    return Smoothed(logarithms=lambda logits: logits.softmax(-1).log())(*arguments)


def padding_alone(*arguments):
    """Padding is all that counts, and the words are left out. Keep the targets that are not `pad`."""
    return Smoothed(together=lambda losses, real: losses[~real].mean())(*arguments)


def not_averaged(*arguments):
    """There is a loss for each target. Return their mean, one number."""
    return Smoothed(together=lambda losses, real: losses * real)(*arguments)


LOSS = (
    others_only,
    share_not_given,
    without_pad_class,
    padding_counted,
    mean_over_everything,
    mean_over_batch,
    mean_of_means,
    summed,
    not_smoothed,
    epsilon_for_the_right,
    shared_not_divided,
    smoothing_added,
    pad_is_zero,
    divergence,
    sign_forgotten,
    logits_for_logarithms,
    probabilities,
    softmax_twice,
    over_targets,
    classes_in_second_place,
    no_maximum,
    logarithm_of_softmax,
    padding_alone,
    not_averaged,
)


@dataclass(frozen=True)
class Rate:
    """The rate in parts, each of which can be put wrong."""

    width: Callable = lambda d_model: d_model**-0.5
    falls: Callable = lambda step, warmup: step**-0.5
    rises: Callable = lambda step, warmup: step * warmup**-1.5
    chosen: Callable = min

    def __call__(self, step, d_model, warmup, factor):
        return factor * self.width(d_model) * self.chosen(self.falls(step, warmup), self.rises(step, warmup))


def maximum(*arguments):
    """There is a max where the formula has a min: the rate begins high and grows without end."""
    return Rate(chosen=max)(*arguments)


def one_step_late(step, d_model, warmup, factor):
    """The steps are counted from 0. In this task the first step is step 1 already: use `step` as it comes."""
    return noam_rate(step - 1, d_model, warmup, factor)


def one_step_early(step, d_model, warmup, factor):
    """1 is added to the step. In this task the first step is step 1 already: use `step` as it comes."""
    return noam_rate(step + 1, d_model, warmup, factor)


def root_of_width(*arguments):
    """The rate grows with √d_model. A wider model learns more slowly: d_model^-½."""
    return Rate(width=lambda d_model: d_model**0.5)(*arguments)


def width_without_root(*arguments):
    """The rate is divided by d_model. Divide it by its square root."""
    return Rate(width=lambda d_model: 1 / d_model)(*arguments)


def width_forgotten(*arguments):
    """d_model plays no part: the factor d_model^-½ is missing."""
    return Rate(width=lambda d_model: 1)(*arguments)


def factor_forgotten(step, d_model, warmup, factor):
    """`factor` plays no part. It multiplies the whole rate."""
    return noam_rate(step, d_model, warmup, 1)


def warmup_root(*arguments):
    """The exponent of `warmup` is -½. It is -1½: only then both lines meet at step = warmup."""
    return Rate(rises=lambda step, warmup: step * warmup**-0.5)(*arguments)


def warmup_linear(*arguments):
    """The exponent of `warmup` is -1. It is -1½: only then both lines meet at step = warmup."""
    return Rate(rises=lambda step, warmup: step / warmup)(*arguments)


def warmup_three_halves(*arguments):
    """The rate only falls: the line step · warmup^-1½ is missing, or its exponent has lost its sign."""
    return Rate(rises=lambda step, warmup: step * warmup**1.5)(*arguments)


def powers_cut_short(step, d_model, warmup, factor):
    """`x**-1/2` is (x**-1)/2: the power comes first. Write `x**-0.5` and `x**-1.5`."""
    return factor * d_model**-1 / 2 * min(step**-1 / 2, step * warmup**-3 / 2)


def warmup_cut_short(*arguments):
    """`warmup**-3/2` is (warmup**-3)/2: the power comes first. Write `warmup**-1.5`."""
    return Rate(rises=lambda step, warmup: step * warmup**-3 / 2)(*arguments)


def root_cut_short(*arguments):
    """`step**-1/2` is (step**-1)/2: the power comes first. Write `step**-0.5`."""
    return Rate(falls=lambda step, warmup: step**-1 / 2)(*arguments)


def never_falls(step, d_model, warmup, factor):
    """After the warm-up the rate stays what it is. It falls as 1/√step."""
    return noam_rate(min(step, warmup), d_model, warmup, factor)


def always_rises(*arguments):
    """The rate rises without end: only step · warmup^-1½ counts. From step = warmup on it is step^-½: is that term
    there, with the minus in its exponent?"""
    return Rate(chosen=lambda falls, rises: rises)(*arguments)


def falls_too_fast(*arguments):
    """After the warm-up the rate falls as 1/step. It falls as 1/√step."""
    return Rate(falls=lambda step, warmup: 1 / step)(*arguments)


def peak_is_the_factor(step, d_model, warmup, factor):
    """The rate is `factor` at its peak. The formula's peak is factor / √(d_model · warmup)."""
    return factor * min((warmup / step) ** 0.5, step / warmup)


RATE = (
    maximum,
    one_step_late,
    one_step_early,
    root_of_width,
    width_without_root,
    width_forgotten,
    factor_forgotten,
    warmup_root,
    warmup_linear,
    warmup_three_halves,
    powers_cut_short,
    warmup_cut_short,
    root_cut_short,
    never_falls,
    always_rises,
    falls_too_fast,
    peak_is_the_factor,
)
