"""Dora hands in what she was given."""

ASSIGNMENTS = ["bahdanau", "encoder_decoder"]
EXPECTED = {
    "bahdanau.masked_softmax": ("none", []),
    "bahdanau.additive_attention": ("none", []),
    "bahdanau.repaired_attention": ("none", []),
    "encoder_decoder.last_states": ("none", []),
    "encoder_decoder.greedy_decode": ("none", []),
    "encoder_decoder.beam_search": ("none", []),
}
