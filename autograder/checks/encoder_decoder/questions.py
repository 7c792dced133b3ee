"""The question of the encoder–decoder that is answered in words, and how many points there are for what."""

from autograder.checks import Written

FORCING = """\
(a) *1 point.* In training all inputs $y_0 \\dots y_{T-1}$ are known before the first step, so nothing has to wait for
an output of the network: the decoder goes through the sentence in one call, and the readout of all steps is one matrix
product. (The states of a GRU still follow one on the other, $s_t$ needs $s_{t-1}$; what falls away is the wait for the
word. Full points without this remark.)

(b) *1 point.* When it translates, step $t$ reads the word that step $t-1$ has output. That word is known only when step
$t-1$ is done, readout and argmax included: $T$ steps, one after the other.

(c) *2 points, one for each half.* In training the decoder has only read true beginnings. After a mistake of its own it
reads a beginning such as it has never met (exposure bias), and the next words may be wrong because of it. The loss does
not show this: it is measured with true beginnings, so it can be low while translations go wrong."""

WRITTEN = {
    "teacher_forcing": Written(
        points=4,
        text=FORCING,
        rubric={
            "(a) all inputs are known before the first step: one call, one product for the readout": 1,
            "(b) each step reads the last step's output, so the steps wait for each other": 1,
            "(c) after its own mistake the decoder reads a beginning that it has never met": 1,
            "(c) the loss is measured with true beginnings and does not show it": 1,
        },
    )
}
