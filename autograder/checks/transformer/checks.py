"""The checks of the Transformer's functions."""

from autograder.checks import DIFFERENTIABLE, FAR, MASKED, NO_MASK, REPEAT, SHAPE, UNCHANGED, Check, Points, Written
from autograder.checks.transformer import (
    decoder_layer_mistakes,
    examples,
    layer_mistakes,
    loss_mistakes,
    multi_head_mistakes,
    position_mistakes,
)
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
from solutions.transformer.attention import (
    decoder_layer,
    encoder_layer,
    label_smoothed_loss,
    make_masks,
    multi_head_attention,
    noam_rate,
    positional_encoding,
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
    mistakes=multi_head_mistakes.HEADS,
    examples=examples.HEADS,
    parts=multi_head_mistakes.Heads,
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
    mistakes=position_mistakes.POSITIONS,
    examples=examples.POSITIONS,
    parts=position_mistakes.Encoding,
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
    mistakes=position_mistakes.MASKS,
    examples=examples.MASKS,
)

ENCODER = Check(
    encoder_layer,
    ("x",),
    encoder_cases,
    points={"without a mask": 3, "with a mask": 3, "one head": 1, "eps = 0.5": 1},
    shape="the shape",
    mistakes=layer_mistakes.ENCODER,
    examples=examples.ENCODER,
    parts=layer_mistakes.Layer,
    may_call=("multi_head_attention",),
)

DECODER = Check(
    decoder_layer,
    ("y",),
    decoder_cases,
    points={"without masks": 3, "with masks": 3, "one head": 1, "eps = 0.5": 1},
    shape="the shape",
    mistakes=decoder_layer_mistakes.DECODER,
    examples=examples.DECODER,
    parts=layer_mistakes.Layer,
    may_call=("multi_head_attention", "encoder_layer"),
)

LOSS = Check(
    label_smoothed_loss,
    ("loss",),
    loss_cases,
    points={"without padding": 1, "with padding": 2, "padding anywhere": 1, "epsilon = 0": 1, "large logits": 1},
    shape="one number",
    mistakes=loss_mistakes.LOSS,
    examples=examples.LOSS,
    parts=loss_mistakes.Smoothed,
)

RATE = Check(
    noam_rate,
    ("rate",),
    rate_cases,
    points={"while it rises": 2, "where it turns": 1, "while it falls": 2},
    also=(SHAPE, REPEAT),
    shape="one number",
    mistakes=loss_mistakes.RATE,
    examples=examples.RATE,
    parts=loss_mistakes.Rate,
)

CHECKS = [HEADS, POSITIONS, MASKS, ENCODER, DECODER, LOSS, RATE]

PICTURES = """\
(a) A is the decoder's self-attention: as many rows as columns, and nothing above the diagonal; target words ask target
words up to their own. B is the decoder's attention to the encoder: its rows are not its columns; target words ask, the
encoder's output answers. C is the encoder's self-attention: as many rows as columns, and both sides of the diagonal are
filled; source words ask source words.

(b) The source sentence is shorter than the longest of its batch: padding stands there. The mask of the source hides it
as a key in both uses. (In C it still asks, in the last row; what it gets back is not used.)

(c) The decoder's self-attention without its causal mask, or with one that is one off: each position looks at the next
one, where the very word stands that it has to predict. In training it copies that word, so the loss is small. When it
translates, that word is not there yet, and it has learned nothing else."""

WRITTEN = {"read_the_pictures": Written(points=3, text=PICTURES)}
