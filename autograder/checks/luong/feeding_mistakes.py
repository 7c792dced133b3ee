"""What goes wrong in input feeding: what is fed, what is carried on, who asks."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from autograder.checks.bahdanau.softmax_mistakes import MASKED
from autograder.checks.renamed import renamed
from autograder.checks.together import instead_of
from solutions.bahdanau.attention import masked_softmax
from solutions.luong.attention import dot_score, input_feeding


@dataclass
class Step:
    """What one step knows and makes; a known mistake takes another of its parts than it should."""

    word: Tensor
    before: Tensor  # h_{t-1}
    h: Tensor
    context: Tensor
    attended: Tensor  # h̃_t


@dataclass(frozen=True)
class Decoder:
    """A decoder in parts, each of which can be put wrong."""

    feed: Callable = lambda step: step.attended
    carry: Callable = lambda step: step.h
    network_input: Callable = lambda word, fed: torch.cat([word, fed], -1)
    update: Callable = torch.tanh
    ask: Callable = lambda h, before: h
    join: Callable = lambda context, h: torch.cat([context, h], -1)
    squash: Callable = torch.tanh
    say: Callable = lambda step: step.attended
    softmax: Callable = masked_softmax
    scale: float = 1.0
    first_fed: Callable = torch.zeros_like

    def __call__(self, emb, h0, enc, W_x, W_h, W_c, mask):
        h, fed, outputs, all_weights = h0, self.first_fed(h0), [], []
        for word in emb.unbind(1):
            before = h
            h = self.update(self.network_input(word, fed) @ W_x.T + before @ W_h.T)
            scores = dot_score(self.ask(h, before)[:, None], enc)[:, 0] * self.scale
            weights = self.softmax(scores, mask)
            context = torch.einsum("bs,bsh->bh", weights, enc)
            attended = self.squash(self.join(context, h) @ W_c.T)
            step = Step(word, before, h, context, attended)
            fed, h = self.feed(step), self.carry(step)
            outputs.append(self.say(step))
            all_weights.append(weights)
        return torch.stack(outputs, 1), torch.stack(all_weights, 1)


def feeding_with(softmax: Callable) -> Callable:
    """Return input feeding with a wrong masked softmax: the same mistake, the same hint."""

    @renamed(softmax)
    def feeding(emb, h0, enc, W_x, W_h, W_c, mask):
        return Decoder(softmax=softmax)(emb, h0, enc, W_x, W_h, W_c, mask)

    return instead_of(masked_softmax, softmax, feeding)


def context_fed(*arguments):
    """The context is fed to the next step. Input feeding feeds h̃, the attentional state."""
    return Decoder(feed=lambda step: step.context)(*arguments)


def state_fed(*arguments):
    """The state h_t is fed to the next step; that hears it anyway, through W_h. Input feeding feeds h̃."""
    return Decoder(feed=lambda step: step.h)(*arguments)


def nothing_fed(*arguments):
    """Nothing is fed: every step hears zeros. Keep h̃ of a step for the next one."""
    return Decoder(feed=lambda step: torch.zeros_like(step.attended))(*arguments)


def attended_carried(*arguments):
    """h̃ takes the place of the recurrent state: the next step computes W_h h̃. The state that is carried on is h_t; h̃
    goes in beside the word."""
    return Decoder(carry=lambda step: step.attended)(*arguments)


def state_forgotten(emb, h0, *rest):
    """Every step starts from h0. The state of a step is the one before for the next."""
    return Decoder(carry=lambda step: h0)(emb, h0, *rest)


def start_ignored(emb, h0, *rest):
    """The first state is zero. It is given: h0."""
    return input_feeding(emb, torch.zeros_like(h0), *rest)


def start_fed(*arguments):
    """The first step is fed h0. Nothing has been attended to yet: h̃ before the first word is zero."""
    return Decoder(first_fed=lambda h0: h0)(*arguments)


def fed_before_word(*arguments):
    """The input is [h̃ ; word]. The word comes first: W_x [y_{t-1} ; h̃_{t-1}]."""
    return Decoder(network_input=lambda word, fed: torch.cat([fed, word], -1))(*arguments)


def state_without_tanh(*arguments):
    """The tanh of the recurrent state is missing: h_t = tanh(W_x [y_{t-1} ; h̃_{t-1}] + W_h h_{t-1})."""
    return Decoder(update=lambda x: x)(*arguments)


def W_h_not_transposed(emb, h0, enc, W_x, W_h, *rest):
    """W_h is applied without a transpose. It is stored as (out, in): h @ W_h.T."""
    return input_feeding(emb, h0, enc, W_x, W_h.T, *rest)


def attended_without_tanh(*arguments):
    """The tanh of the attentional state is missing: h̃_t = tanh(W_c [c_t ; h_t])."""
    return Decoder(squash=lambda x: x)(*arguments)


def old_state_asks(*arguments):
    """The state before the step asks, h_{t-1}: that is Bahdanau's order. Here the step comes first, then h_t asks."""
    return Decoder(ask=lambda h, before: before)(*arguments)


def joined_the_other_way(*arguments):
    """The concatenation is [h_t ; c_t]. The context comes first: W_c [c_t ; h_t]."""
    return Decoder(join=lambda context, h: torch.cat([h, context], -1))(*arguments)


def context_left_out(*arguments):
    """The context plays no part in h̃. It is made from both: W_c [c_t ; h_t]."""
    return Decoder(join=lambda context, h: torch.cat([0 * context, h], -1))(*arguments)


def scores_scaled(*arguments):
    """The scores are divided by √H. Luong's scores are not scaled."""
    return Decoder(scale=arguments[1].shape[-1] ** -0.5)(*arguments)


def states_returned(*arguments):
    """The first result holds the states h_t. Return the attentional states h̃_t."""
    return Decoder(say=lambda step: step.h)(*arguments)


def contexts_returned(*arguments):
    """The first result holds the contexts. Return the attentional states h̃_t."""
    return Decoder(say=lambda step: step.context)(*arguments)


def time_first(*arguments):
    """The results are (T, B, …): stack them along axis 1, so that the batch comes first."""
    return tuple(result.transpose(0, 1) for result in input_feeding(*arguments))


def last_step_alone(*arguments):
    """Only the last step comes back. Return all of them, (B, T, …)."""
    return tuple(result[:, -1] for result in input_feeding(*arguments))


def results_swapped(*arguments):
    """The results have changed places. The attentional states come first, then the weights."""
    return input_feeding(*arguments)[::-1]


FEEDING = (
    *(feeding_with(softmax) for softmax in MASKED),
    context_fed,
    state_fed,
    nothing_fed,
    attended_carried,
    state_forgotten,
    start_ignored,
    start_fed,
    fed_before_word,
    state_without_tanh,
    W_h_not_transposed,
    attended_without_tanh,
    old_state_asks,
    joined_the_other_way,
    context_left_out,
    scores_scaled,
    states_returned,
    contexts_returned,
    time_first,
    last_step_alone,
    results_swapped,
)
