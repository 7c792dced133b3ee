"""Public examples of structured self-attention."""

PENALTY = (
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
