"""Ada writes what the chapters show."""

START = "solved"
ANSWERS = {
    "reading_a_matrix": """(a) The row of *me* has its weight in the column *m'*, before *entarté*: the pronoun comes
first in French and after the verb in English. (b) *hit*, *with*, *a* and *pie* all look at *entarté*. (c) No: the
state at `</s>` has read the whole sentence, and so has the decoder.""",
}
EXPECTED = {
    "bahdanau.masked_softmax": ("all", []),
    "bahdanau.additive_attention": ("all", []),
    "bahdanau.rnnsearch_step": ("all", []),
    "bahdanau.links_of": ("all", []),
    "bahdanau.alignment_error_rate": ("all", []),
    "bahdanau.failing_input": ("all", []),
    "bahdanau.diagnosis": ("all", []),
    "bahdanau.repaired_attention": ("all", []),
    "bahdanau.additive_attention_backward": ("all", []),
    "encoder_decoder.last_states": ("all", []),
    "encoder_decoder.greedy_decode": ("all", []),
    "encoder_decoder.beam_search": ("all", []),
}
