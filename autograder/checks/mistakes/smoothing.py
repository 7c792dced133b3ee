"""What goes wrong in label smoothing and in the schedule of the learning rate."""

import torch
from torch import Tensor

from solutions.transformer.attention import label_smoothed_loss, noam_rate


def terms(logits: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Return the log-probabilities of all classes and those of the targets."""
    log_p = logits.log_softmax(-1)
    return log_p, log_p.gather(-1, target[..., None])[..., 0]


def losses(logits: Tensor, target: Tensor, epsilon: float) -> Tensor:
    """Return the right loss of every position, padding too."""
    log_p, of_target = terms(logits, target)
    return -(1 - epsilon) * of_target - epsilon * log_p.mean(-1)


def others_only(logits, target, epsilon, pad):
    """ε is shared by the other V - 1 classes. Here all V classes get ε/V, the right one too."""
    log_p, of_target = terms(logits, target)
    others = (log_p.sum(-1) - of_target) / (logits.shape[-1] - 1)
    return (-(1 - epsilon) * of_target - epsilon * others)[target != pad].mean()


def share_not_given(logits, target, epsilon, pad):
    """The right class gets 1 - ε and no ε/V. It gets both: the target's probabilities have to sum to 1."""
    log_p, of_target = terms(logits, target)
    V = logits.shape[-1]
    return (-(1 - epsilon) * of_target - epsilon / V * (log_p.sum(-1) - of_target))[target != pad].mean()


def without_pad_class(logits, target, epsilon, pad):
    """ε is shared by the classes that are neither the right one nor padding, V - 2. Here all V get ε/V."""
    log_p, of_target = terms(logits, target)
    others = (log_p.sum(-1) - of_target - log_p[..., pad]) / (logits.shape[-1] - 2)
    return (-(1 - epsilon) * of_target - epsilon * others)[target != pad].mean()


def padding_counted(logits, target, epsilon, pad):
    """Padded positions are predicted too. They cost nothing and do not count."""
    return losses(logits, target, epsilon).mean()


def mean_over_everything(logits, target, epsilon, pad):
    """The loss of padding is 0, but its positions count in the mean. Divide by the number of real targets."""
    return (losses(logits, target, epsilon) * (target != pad)).mean()


def mean_over_batch(logits, target, epsilon, pad):
    """The sum is divided by the number of sentences. Divide by the number of real targets."""
    return (losses(logits, target, epsilon) * (target != pad)).sum() / len(target)


def mean_of_means(logits, target, epsilon, pad):
    """Each sentence has its mean, and those are averaged: words of short sentences count more. Average over all real
    targets at once."""
    real = target != pad
    return ((losses(logits, target, epsilon) * real).sum(1) / real.sum(1)).mean()


def summed(logits, target, epsilon, pad):
    """This is the sum. The loss is the mean over the real targets."""
    return losses(logits, target, epsilon)[target != pad].sum()


def not_smoothed(logits, target, epsilon, pad):
    """ε plays no part: this is the plain cross-entropy."""
    return label_smoothed_loss(logits, target, 0.0, pad)


def epsilon_for_the_right(logits, target, epsilon, pad):
    """ε and 1 - ε have changed places. The right class gets 1 - ε, all together share ε."""
    return label_smoothed_loss(logits, target, 1 - epsilon, pad)


def shared_not_divided(logits, target, epsilon, pad):
    """Every class gets ε. They share it: ε/V for each."""
    log_p, of_target = terms(logits, target)
    return (-(1 - epsilon) * of_target - epsilon * log_p.sum(-1))[target != pad].mean()


def smoothing_added(logits, target, epsilon, pad):
    """The smoothing comes on top of the whole cross-entropy. That one has the factor 1 - ε."""
    log_p, of_target = terms(logits, target)
    return (-of_target - epsilon * log_p.mean(-1))[target != pad].mean()


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


def logits_for_logarithms(logits, target, epsilon, pad):
    """The logits stand where log-probabilities belong: `log_softmax` is missing."""
    of_target = logits.gather(-1, target[..., None])[..., 0]
    return (-(1 - epsilon) * of_target - epsilon * logits.mean(-1))[target != pad].mean()


def probabilities(logits, target, epsilon, pad):
    """Probabilities stand where their logarithms belong."""
    p = logits.softmax(-1)
    of_target = p.gather(-1, target[..., None])[..., 0]
    return (-(1 - epsilon) * of_target - epsilon * p.mean(-1))[target != pad].mean()


def softmax_twice(logits, target, epsilon, pad):
    """The softmax is taken twice: `log_softmax` and `cross_entropy` take logits, not probabilities."""
    return label_smoothed_loss(logits.softmax(-1), target, epsilon, pad)


def over_targets(logits, target, epsilon, pad):
    """The softmax runs over the target positions. It has to run over the last axis, the classes."""
    log_p = logits.log_softmax(1)
    of_target = log_p.gather(-1, target[..., None])[..., 0]
    return (-(1 - epsilon) * of_target - epsilon * log_p.mean(-1))[target != pad].mean()


def no_maximum(logits, target, epsilon, pad):
    """exp of large logits overflows. `log_softmax` subtracts the largest first, and nothing else changes."""
    log_p = (logits.exp() / logits.exp().sum(-1, keepdim=True)).log()
    of_target = log_p.gather(-1, target[..., None])[..., 0]
    return (-(1 - epsilon) * of_target - epsilon * log_p.mean(-1))[target != pad].mean()


def not_averaged(logits, target, epsilon, pad):
    """There is a loss for each target. Return their mean, one number."""
    return losses(logits, target, epsilon) * (target != pad)


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
    no_maximum,
    not_averaged,
)


def maximum(step, d_model, warmup, factor):
    """There is a max where the formula has a min: the rate begins high and grows without end."""
    return factor * d_model**-0.5 * max(step**-0.5, step * warmup**-1.5)


def one_step_late(step, d_model, warmup, factor):
    """The steps are counted from 0. Here the first step is step 1 already: use `step` as it comes."""
    return noam_rate(step - 1, d_model, warmup, factor)


def one_step_early(step, d_model, warmup, factor):
    """1 is added to the step. Here the first step is step 1 already: use `step` as it comes."""
    return noam_rate(step + 1, d_model, warmup, factor)


def root_of_width(step, d_model, warmup, factor):
    """The rate grows with √d_model. A wider model learns more slowly: d_model^-½."""
    return factor * d_model**0.5 * min(step**-0.5, step * warmup**-1.5)


def width_without_root(step, d_model, warmup, factor):
    """The rate is divided by d_model. Divide it by its square root."""
    return factor / d_model * min(step**-0.5, step * warmup**-1.5)


def width_forgotten(step, d_model, warmup, factor):
    """d_model plays no part: the factor d_model^-½ is missing."""
    return factor * min(step**-0.5, step * warmup**-1.5)


def factor_forgotten(step, d_model, warmup, factor):
    """`factor` plays no part. It multiplies the whole rate."""
    return noam_rate(step, d_model, warmup, 1)


def warmup_root(step, d_model, warmup, factor):
    """The exponent of `warmup` is -½. It is -1½: only then both lines meet at step = warmup."""
    return factor * d_model**-0.5 * min(step**-0.5, step * warmup**-0.5)


def warmup_linear(step, d_model, warmup, factor):
    """The exponent of `warmup` is -1. It is -1½: only then both lines meet at step = warmup."""
    return factor * d_model**-0.5 * min(step**-0.5, step / warmup)


def warmup_three_halves(step, d_model, warmup, factor):
    """The exponent of `warmup` has lost its sign: step · warmup^-1½."""
    return factor * d_model**-0.5 * min(step**-0.5, step * warmup**1.5)


def powers_cut_short(step, d_model, warmup, factor):
    """`x**-1/2` is (x**-1)/2: the power comes first. Write `x**-0.5` and `x**-1.5`."""
    return factor * d_model**-1 / 2 * min(step**-1 / 2, step * warmup**-3 / 2)


def never_falls(step, d_model, warmup, factor):
    """After the warm-up the rate stays what it is. It falls as 1/√step."""
    return noam_rate(min(step, warmup), d_model, warmup, factor)


def always_rises(step, d_model, warmup, factor):
    """The rate rises without end: only step · warmup^-1½ is there. From step = warmup on it is step^-½."""
    return factor * d_model**-0.5 * step * warmup**-1.5


def falls_too_fast(step, d_model, warmup, factor):
    """After the warm-up the rate falls as 1/step. It falls as 1/√step."""
    return factor * d_model**-0.5 * min(1 / step, step * warmup**-1.5)


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
    never_falls,
    always_rises,
    falls_too_fast,
    peak_is_the_factor,
)
