"""Nils's upload broke off half-way."""

START = "solved"
ASSIGNMENTS = ["bahdanau"]
BROKEN = True
EXPECTED = {
    "bahdanau.masked_softmax": ("none", []),
    "bahdanau.additive_attention": ("none", []),
    "bahdanau.repaired_attention": ("none", []),
}
