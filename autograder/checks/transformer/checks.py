"""The checks of the Transformer's functions."""

from autograder.checks import (
    DIFFERENTIABLE,
    FAR,
    MASKED,
    NO_MASK,
    REPEAT,
    SHAPE,
    UNCHANGED,
    Check,
    Hunt,
    Points,
    Written,
)
from autograder.checks.by_hand import by_hand
from autograder.checks.edits import known
from autograder.checks.transformer import adapters, examples, hunt
from autograder.checks.transformer.cases import (
    SPECIAL,
    USUAL,
    decoder_cases,
    encoder_cases,
    heads_cases,
    loss_cases,
    mask_cases,
    position_cases,
    rate_cases,
)
from autograder.checks.transformer.decoding_cases import ENDS, FIRST, LIMIT, PAST, decoding_cases, step_cases
from autograder.checks.transformer.variant_cases import ALONE, SEVERAL, plain_cases, stack_cases
from autograder.kit.table_models import CachedSteps
from solutions.transformer.attention import (
    cached_heads,
    decoder_layer,
    encoder_layer,
    greedy_cached,
    label_smoothed_loss,
    make_masks,
    multi_head_attention,
    noam_rate,
    positional_encoding,
    pre_norm_stack,
)

BY_HAND = by_hand(
    hunt.heads_by_hand,
    {"out": "out of the two heads", "norm": "the normalised vector"},
    known(hunt.heads_by_hand),
)

HEADS = Check(
    multi_head_attention,
    ("out", "weights"),
    heads_cases,
    points={
        "the weights without a mask": Points(2, NO_MASK, part="weights"),
        "out without a mask": Points(2, NO_MASK, part="out"),
        "the weights with a mask": Points(2, MASKED, part="weights"),
        "out with a mask": Points(2, MASKED, part="out"),
        "one head": 1,
        FAR: 1,
    },
    exact=("weights",),
    mistakes=known(multi_head_attention),
    examples=examples.HEADS,
)

POSITIONS = Check(
    positional_encoding,
    ("x + PE",),
    position_cases,
    points={
        "the shape": Points(1, "even widths", SHAPE),
        "even widths": 3,
        "a long sentence": 1,
        "odd widths": 1,
    },
    also=DIFFERENTIABLE,
    mistakes=known(positional_encoding),
    examples=examples.POSITIONS,
)

MASKS = Check(
    make_masks,
    ("source", "causal", "target"),
    mask_cases,
    points={
        "the source's mask": Points(1, USUAL, part="source"),
        "the causal mask": Points(2, USUAL, part="causal"),
        "the target's mask": Points(2, USUAL, part="target"),
        "pad is 0, padding anywhere, no padding, one position": Points(1, ("pad is 0", SPECIAL)),
    },
    also=(SHAPE, UNCHANGED, REPEAT),
    shape="the shapes of the three masks",
    mistakes=known(make_masks),
    examples=examples.MASKS,
)

ENCODER = Check(
    encoder_layer,
    ("output",),
    encoder_cases,
    points={"without a mask": 3, "with a mask": 3, "one head": 1, "eps = 0.5": 1},
    shape="the shape",
    mistakes=known(encoder_layer),
    examples=examples.ENCODER,
    may_call=("multi_head_attention",),
)

DECODER = Check(
    decoder_layer,
    ("output",),
    decoder_cases,
    points={"without masks": 3, "with masks": 3, "one head": 1, "eps = 0.5": 1},
    shape="the shape",
    mistakes=known(decoder_layer),
    examples=examples.DECODER,
    may_call=("multi_head_attention", "encoder_layer"),
)

LOSS = Check(
    label_smoothed_loss,
    ("loss",),
    loss_cases,
    points={"without padding": 1, "with padding": 2, "padding anywhere": 1, "epsilon = 0": 1, "large logits": 1},
    shape="one number",
    mistakes=known(label_smoothed_loss),
    examples=examples.LOSS,
)

RATE = Check(
    noam_rate,
    ("rate",),
    rate_cases,
    points={"while it rises": 2, "where it turns": 1, "while it falls": 2},
    also=(SHAPE, REPEAT),
    shape="one number",
    mistakes=known(noam_rate),
    examples=examples.RATE,
)

STACK = Check(
    pre_norm_stack,
    ("output",),
    stack_cases,
    points={"one layer": 1, NO_MASK: 2, MASKED: 2, "eps = 0.5": 1},
    shape="the shape",
    mistakes=known(pre_norm_stack),
    examples=examples.STACK,
    may_call=("multi_head_attention",),
    stars=1,
)

GREEDY = Check(
    greedy_cached,
    ("tokens", "steps"),
    decoding_cases,
    points={
        ENDS: Points(2, ENDS, part="tokens"),
        LIMIT: Points(1, LIMIT, part="tokens"),
        "one step for each token": Points(2, (ENDS, LIMIT), part="steps"),
    },
    also=(REPEAT,),
    mistakes=known(greedy_cached),
    examples=examples.GREEDY,
    adapter=adapters.counted_decoding,
    steps=lambda arguments: CachedSteps(*arguments[:2]),
)

STEP = Check(
    cached_heads,
    ("out", "cache"),
    step_cases,
    points={
        "out": Points(2, PAST, part="out"),
        "the cache": Points(2, (PAST, FIRST), part="cache"),
        FIRST: Points(1, FIRST, part="out"),
        "one head": 1,
        FAR: 1,
    },
    mistakes=known(cached_heads),
    examples=examples.STEP,
    adapter=adapters.one_cache,
    may_call=("multi_head_attention",),
    stars=2,
)

# What students repair takes no dictionary and no mask: its right answer is that of their multi_head_attention.
PLAIN = Check(hunt.plain_heads, ("out", "weights"), plain_cases, points={SEVERAL: 1, ALONE: 1, FAR: 1})

HUNT = Hunt(
    PLAIN,
    hunt.broken_heads,
    hunt.repaired_heads,
    hunt.failing_input,
    hunt.diagnosis,
    points={"out and the weights": Points(4, (SEVERAL, ALONE)), FAR: 1},
    ranges={"heads": (1, "d_model")},
    mistakes=known(hunt.plain_heads, "repaired_heads"),
    examples=examples.PLAIN,
    own="multi_head_attention",
    through=hunt.through,
)

CHECKS = [BY_HAND, HEADS, POSITIONS, MASKS, ENCODER, DECODER, STACK, LOSS, RATE, GREEDY, *HUNT.checks(), STEP]

PICTURES = """\
(a) A is the decoder's self-attention: as many rows as columns, and nothing above the diagonal; target words ask target
words up to their own. B is the decoder's attention to the encoder: its rows are not its columns; target words ask, the
encoder's output answers. C is the encoder's self-attention: as many rows as columns, and both sides of the diagonal are
filled; source words ask source words.

(b) The source sentence is shorter than the longest of its batch: padding stands there. The mask of the source hides it
as a key in both uses. (In C it still asks, in the last row; what it gets back is not used.)

(c) The decoder's self-attention without its causal mask (one that is one off would hide the third column from the
first row): each position looks at the next one, where the very word stands that it has to predict. In training it
copies that word, so the loss is small. When it translates, that word is not there yet, and nothing else has been
learned."""

PARAMETERS = """\
(a) *2 points: one for the matrices, one for the biases and the norms.* Attention: W_q, W_k, W_v and W_o have d² numbers
each, and each has a bias of d: 4d² + 4d. The number of heads is not in it: they cut the same matrices. The feed-forward
network: 2·d·f for the matrices, f + d for the biases. Two norms: γ and β, 2d each, together 4d. In all 4d² + 2df + 9d +
f. The paper's formula for the heads has no biases, so a count without those four, if it says so, gets the point too:
then it is 4d² + 2df + 5d + f.

(b) *1 point.* With d = 1024, f = 4096: 12,596,224 for an encoder layer. A decoder layer has one attention and one norm
more, 4,198,400 + 2,048: 16,796,672. Six of each: 176,357,376. The embedding is shared by source, target and output, and
counts once: 37,000 · 1024 = 37,888,000; the readout has no bias, and sines have no parameters. Together 214,245,376,
some 214 million. (Without the biases of attention 214,171,648.) The point is for all four parts, with the embedding
counted once; slips in the arithmetic cost nothing.

(c) *1 point.* For 213 million the vocabulary would need some 1,200 words less: (213,000,000 − 176,357,376) / 1024 =
35,784. The bias of the keys is the useless one: it adds the same number, q · b_k, to all scores of a query, and the
softmax takes the same number off every score. (Half a point for each.)"""

WRITTEN = {
    "read_the_pictures": Written(
        points=3,
        text=PICTURES,
        rubric={
            "(a) A decoder's self-attention, B attention to the encoder, C encoder's self-attention, with reasons": 1,
            "(a) half: one of the three is wrong, or without reasons": 0.5,
            "(b) padding of the source, hidden as a key in both uses": 1,
            "(c) no causal mask: each position copies the next word, which is not there when it translates": 1,
            "(c) half: the mask, without what follows": 0.5,
        },
    ),
    "count_the_parameters": Written(
        points=4,
        text=PARAMETERS,
        rubric={
            "(a) the matrices: 4d² + 2df": 1,
            "(a) the biases and norms: 9d + f (or 5d + f, saying that attention has no biases)": 1,
            "(b) all four parts, the embedding once: some 214 million": 1,
            "(c) some 1,200 words less": 0.5,
            "(c) the bias of the keys is the useless one": 0.5,
        },
    ),
}
