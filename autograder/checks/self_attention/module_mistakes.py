"""What goes wrong in self-attention as a module: the mistakes of the function, in a class that calls it."""

from collections.abc import Callable

from torch import nn

from autograder.checks.self_attention import projection_mistakes
from solutions.self_attention.attention import SelfAttention, self_attention

NAMED = (
    "padding_attended",
    "over_queries",
    "mask_upside_down",
    "not_scaled",
    "scaled_twice",
    "root_of_positions",
    "root_of_value_width",
    "scaled_after_softmax",
    "key_asks",
    "keys_summed",
    "queries_summed",
    "scores_returned",
    "results_swapped",
    "root_of_model_width",
    "one_projection",
    "values_unprojected",
    "words_added",
)


def module_of(mistake: Callable) -> type[nn.Module]:
    """Return a class whose forward makes this mistake: the same name, the same hint."""

    class Wrong(SelfAttention):
        def forward(self, X, mask=None):
            return mistake(X, self.W_q, self.W_k, self.W_v, mask)

    Wrong.__name__, Wrong.__doc__ = mistake.__name__, mistake.__doc__
    return Wrong


class first_weights_for_all(SelfAttention):
    """The weights of the first sentence are returned for all. Each sentence has its own."""

    def forward(self, X, mask=None):
        output, weights = self_attention(X, self.W_q, self.W_k, self.W_v, mask)
        return output, weights[:1].expand_as(weights)


MODULE = (*(module_of(each) for each in projection_mistakes.PROJECTED if each.__name__ in NAMED), first_weights_for_all)
