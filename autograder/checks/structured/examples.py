"""Public examples of structured self-attention."""

penalization = (
    "penalization(torch.tensor([[[0.5, 0.5], [0., 1.]]]))",
    "penalization(torch.tensor([[[0.5, 0.5], [0.2, 0.8]], [[1., 0.], [0., 1.]]]))",
    "penalization(torch.tensor([[[0.2, 0.3, 0.5], [0.6, 0.4, 0.]], [[0.1, 0., 0.9], [0.3, 0.3, 0.4]]]))",
)


def _attention(function: str, W_s2: str, mask: str) -> str:
    """Return a call in which all sizes are 2: what a wrong size would betray elsewhere runs here, and gives numbers."""
    return f"""\
H = torch.tensor([[[1., 0.], [-1., 2.]], [[0.5, 1.], [2., -1.]]])
W_s1, W_s2 = torch.tensor([[1., -0.5], [0.3, 1.]]), torch.tensor({W_s2})
{function}(H, W_s1, W_s2, {mask})"""


def _one_sentence(function: str, mask: str) -> str:
    """Return a call with one sentence of two words, and two hops."""
    return f"""\
H, W_s1 = torch.tensor([[[1., 0.], [-1., 2.]]]), torch.tensor([[1., -0.5], [0.3, 1.]])
{function}(H, W_s1, torch.tensor([[2., -1.], [0.5, 1.]]), {mask})"""


MASK = "torch.tensor([[True, False], [True, True]])"
OTHER = "torch.tensor([[False, True], [True, False]])"


def attention(function: str) -> tuple[str, ...]:
    """Return the examples of a function that is called as structured_attention is."""
    hops, high, low = "[[2., -1.], [0.5, 1.]]", "[[90., -90.], [-90., 90.]]", "[[-90., -90.], [-90., -60.]]"
    return (
        _one_sentence(function, "None"),
        _one_sentence(function, "torch.tensor([[True, False]])"),
        _attention(function, hops, "None"),
        _attention(function, "[[2., -1.], [0.5, 1.], [0., 3.]]", "None"),
        _attention(function, hops, MASK),
        _attention(function, hops, OTHER),
        _attention(function, high, MASK),
        _attention(function, high, OTHER),
        _attention(function, low, OTHER),
    )


hop_overlap = (
    "hop_overlap(torch.tensor([[[0.5, 0.5], [0., 1.]]]), None)",
    "hop_overlap(torch.tensor([[[0.5, 0.5], [0.2, 0.8]], [[1., 0.], [0.6, 0.4]]]), None)",
    "hop_overlap(torch.tensor([[[0.2, 0.3, 0.5], [0.6, 0.4, 0.]]]), None)",
    "hop_overlap(torch.tensor([[[0.2, 0.4, 0.4], [0.6, 0.1, 0.3]]]), torch.tensor([[True, True, False]]))",
    "hop_overlap(torch.tensor([[[1., 3.], [2., 1.]]]), None)",
)

pruned_output = (
    """\
M, W_v = torch.tensor([[[1., 2.], [3., 4.]]]), torch.tensor([[[1., 0.], [0., 1.]], [[1., -1.], [2., 1.]]])
W_h = torch.tensor([[[1., 0.], [1., 1.]], [[0., 2.], [-1., 1.]]])
pruned_output(M, W_v, W_h)""",
    """\
M, W_v = torch.tensor([[[1., -2.], [-3., 1.]]]), torch.tensor([[[1., 2.], [0., -1.]], [[-1., -1.], [2., 1.]]])
W_h = torch.tensor([[[-1., 0.], [1., 1.]], [[3., 2.], [-1., 1.]]])
pruned_output(M, W_v, W_h)""",
    """\
M = torch.tensor([[[1., 0., 2.], [-1., 3., 1.]]])
W_v, W_h = torch.tensor([[[1., 2., 0.]], [[0., 1., -1.]]]), torch.tensor([[[1., 0.]], [[2., 1.]], [[1., -1.]]])
pruned_output(M, W_v, W_h)""",
)


def _backward(outer: str, mask: str) -> str:
    """Return a way back through the penalties of two sentences, two hops each."""
    return f"""\
scores = torch.tensor([[[0., 1.], [2., 0.]], [[1., -1.], [0., 0.5]]])
penalty_backward(torch.tensor({outer}), scores, {mask})"""


penalty_backward = (
    "penalty_backward(torch.tensor([1.]), torch.tensor([[[0., 1.1], [0., 0.]]]), None)",
    _backward("[1., 1.]", "None"),
    _backward("[2., -1.]", "None"),
    """\
scores = torch.tensor([[[0., 1., 3.], [2., 0., 1.]]])
penalty_backward(torch.tensor([2.]), scores, torch.tensor([[True, True, False]]))""",
)

structured_attention = attention("structured_attention")
repaired_attention = attention("repaired_attention")
