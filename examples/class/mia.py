"""Mia's editor lost the cells' metadata and her check cells; what she writes about herself holds a script."""

START = "solved"
ASSIGNMENTS = ["bahdanau"]
STRIPPED = True
TEXT = "My notes <script>document.title = 'owned'</script> <img src=x onerror=\"document.title = 'owned'\"> on a<b."
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
}
