"""The checks of the Transformer's functions."""

from autograder.checks import DIFFERENTIABLE, REPEAT, Check, Written
from autograder.checks.transformer import (
    decoder_layer_mistakes,
    examples,
    layer_mistakes,
    loss_mistakes,
    multi_head_mistakes,
    position_mistakes,
)
from autograder.checks.transformer.cases import (
    decoder_cases,
    encoder_cases,
    heads_cases,
    loss_cases,
    mask_cases,
    position_cases,
    rate_cases,
)
from autograder.kit.cases import Criterion
from solutions.transformer.attention import (
    decoder_layer,
    encoder_layer,
    label_smoothed_loss,
    make_masks,
    multi_head_attention,
    noam_rate,
    positional_encoding,
)

WITHOUT_GRADIENTS = DIFFERENTIABLE[1:]
FREE = ["no mask"]
MASKED = ["padded keys", "a mask for each query", "one mask for all", "equal sizes", "one sentence, one query"]

HEADS = Check(
    reference=multi_head_attention,
    outputs=("out", "weights"),
    draw_cases=heads_cases,
    criteria=[
        Criterion("the shapes of out and weights", 1, "shape"),
        Criterion("the weights without a mask", 2, "values", FREE, part="weights"),
        Criterion("out without a mask", 2, "values", FREE, part="out"),
        Criterion("the weights with a mask", 2, "values", MASKED, part="weights"),
        Criterion("out with a mask", 2, "values", MASKED, part="out"),
        Criterion("one head", 1, "values", ["one head"]),
        Criterion("scores far from 0", 1, "values", ["scores far from 0"]),
        *DIFFERENTIABLE,
    ],
    mistakes=multi_head_mistakes.HEADS,
    parts=multi_head_mistakes.Heads,
    codes=examples.HEADS,
)

POSITIONS = Check(
    reference=positional_encoding,
    outputs=("x + PE",),
    draw_cases=position_cases,
    criteria=[
        Criterion("the shape", 1, "shape", ["all sizes different", "equal sizes", "one sentence"]),
        Criterion("even widths", 3, "values", ["all sizes different", "equal sizes", "one sentence"]),
        Criterion("a long sentence", 1, "values", ["a long sentence"]),
        Criterion("odd widths", 1, "values", ["an odd width", "one position", "one feature"]),
        *DIFFERENTIABLE,
    ],
    mistakes=position_mistakes.POSITIONS,
    parts=position_mistakes.Encoding,
    codes=examples.POSITIONS,
)

USUAL = ["padded sentences", "equal sizes", "one sentence"]
SPECIAL = ["pad is 0", "padding anywhere", "no padding", "one target position"]

MASKS = Check(
    reference=make_masks,
    outputs=("source", "causal", "target"),
    draw_cases=mask_cases,
    criteria=[
        Criterion("the shapes of the three masks", 1, "shape"),
        Criterion("the source's mask", 1, "values", USUAL, part="source"),
        Criterion("the causal mask", 2, "values", USUAL, part="causal"),
        Criterion("the target's mask", 2, "values", USUAL, part="target"),
        Criterion("pad is 0, padding anywhere, no padding, one position", 1, "values", SPECIAL),
        *WITHOUT_GRADIENTS,
    ],
    mistakes=position_mistakes.MASKS,
    codes=examples.MASKS,
)

ENCODER = Check(
    reference=encoder_layer,
    outputs=("x",),
    draw_cases=encoder_cases,
    criteria=[
        Criterion("the shape", 1, "shape"),
        Criterion("without a mask", 3, "values", ["no mask", "one sentence, one position"]),
        Criterion("with a mask", 3, "values", ["padded sentences", "equal sizes"]),
        Criterion("one head", 1, "values", ["one head"]),
        Criterion("eps = 0.5", 1, "values", ["eps = 0.5"]),
        *DIFFERENTIABLE,
    ],
    mistakes=layer_mistakes.ENCODER,
    parts=layer_mistakes.Layer,
    codes=examples.ENCODER,
    may_call=("multi_head_attention",),
)

DECODER = Check(
    reference=decoder_layer,
    outputs=("y",),
    draw_cases=decoder_cases,
    criteria=[
        Criterion("the shape", 1, "shape"),
        Criterion("without masks", 3, "values", ["no masks", "one sentence, one position"]),
        Criterion("with masks", 3, "values", ["padded sentences", "equal sizes"]),
        Criterion("one head", 1, "values", ["one head"]),
        Criterion("eps = 0.5", 1, "values", ["eps = 0.5"]),
        *DIFFERENTIABLE,
    ],
    mistakes=decoder_layer_mistakes.DECODER,
    parts=layer_mistakes.Layer,
    codes=examples.DECODER,
    may_call=("multi_head_attention", "encoder_layer"),
)

TURN = ["one step before the last of the warm-up", "the last step of the warm-up", "the step after the warm-up"]

LOSS = Check(
    reference=label_smoothed_loss,
    outputs=("loss",),
    draw_cases=loss_cases,
    criteria=[
        Criterion("one number", 1, "shape"),
        Criterion("without padding", 1, "values", ["no padding", "one target"]),
        Criterion("with padding", 2, "values", ["padded targets", "a larger epsilon"]),
        Criterion("padding anywhere", 1, "values", ["padding anywhere"]),
        Criterion("epsilon = 0", 1, "values", ["epsilon = 0"]),
        Criterion("large logits", 1, "values", ["logits of 650 and 800"]),
        *DIFFERENTIABLE,
    ],
    mistakes=loss_mistakes.LOSS,
    parts=loss_mistakes.Smoothed,
    codes=examples.LOSS,
)

RATE = Check(
    reference=noam_rate,
    outputs=("rate",),
    draw_cases=rate_cases,
    criteria=[
        Criterion("one number", 1, "shape"),
        Criterion("while it rises", 2, "values", ["a step of the warm-up", "the first step", "the paper's numbers"]),
        Criterion("where it turns", 1, "values", TURN),
        Criterion("while it falls", 2, "values", ["a step after the warm-up", "a late step"]),
        REPEAT,
    ],
    mistakes=loss_mistakes.RATE,
    parts=loss_mistakes.Rate,
    codes=examples.RATE,
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
