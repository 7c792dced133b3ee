"""Wrong answers by hand, in the bug hunt, and of a way back that is not worked out by hand."""

from solutions.bahdanau.attention import masked_softmax
from solutions.structured.attention import penalization
from tests.answers.not_by_hand import not_by_hand

WRONG = {
    "structured.penalty_backward": not_by_hand(
        lambda e, m: penalization(masked_softmax(e, m if m is None else m[:, None].expand_as(e))), (0,)
    )
}
