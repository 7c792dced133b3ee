"""Public examples of additive attention."""

SOFTMAX = (
    "masked_softmax(torch.tensor([[2., 0., -1.]]), torch.tensor([[True, True, False]]))",
    "masked_softmax(torch.tensor([[2., 0., -1.], [1., 1., 3.]]), None)",
    "masked_softmax(torch.tensor([[1., 2.], [0., 1.]]), torch.tensor([[True, False], [True, True]]))",
    "masked_softmax(torch.tensor([[[0., 1.], [5., 2.]]]), None)",
    "masked_softmax(torch.tensor([[[[0., 1.], [3., 5.]], [[2., 2.], [4., 1.]]]]), None)",
    "masked_softmax(torch.tensor([[2., 0., -1.]]), torch.tensor([[False, False, False]]))",
    "masked_softmax(torch.tensor([[800., 801.]]), None)",
    "masked_softmax(torch.tensor([[0., 1., 50.]]), torch.tensor([[True, True, False]]))",
    "masked_softmax(torch.tensor([[-150., -151., 0.]]), torch.tensor([[True, True, False]]))",
)


def _attention(function: str, v: str, mask: str) -> str:
    """Return a call in which all sizes are 2: what a wrong size would betray elsewhere runs here, and gives numbers."""
    return f"""\
query, keys = torch.tensor([[1., 0.], [0., 2.]]), torch.tensor([[[1., 0.], [-1., 1.]], [[0., 1.], [2., -1.]]])
values = torch.tensor([[[1., 0.], [0., 1.]], [[2., 0.], [0., 3.]]])
W_q, W_k, v = torch.tensor([[1., 2.], [0., -1.]]), torch.tensor([[1., -1.], [0., 1.]]), torch.tensor({v})
{function}(query, keys, values, W_q, W_k, v, {mask})"""


def _one_sentence(function: str, mask: str) -> str:
    """Return a call with one sentence of two words."""
    return f"""\
query, keys = torch.tensor([[1., 0.]]), torch.tensor([[[1., 0.], [-1., 1.]]])
values = torch.tensor([[[1., 0.], [0., 2.]]])
W_q, W_k, v = torch.tensor([[1., 2.], [0., -1.]]), torch.tensor([[1., -1.], [0., 1.]]), torch.tensor([1., -2.])
{function}(query, keys, values, W_q, W_k, v, {mask})"""


def attention(function: str) -> tuple[str, ...]:
    """Return the examples of a function that is called as additive_attention is."""
    return (
        _one_sentence(function, "None"),
        _one_sentence(function, "torch.tensor([[True, False]])"),
        _attention(function, "[1., -2.]", "None"),
        _attention(function, "[1., -2.]", "torch.tensor([[True, False], [True, True]])"),
        _attention(function, "[-90., -90.]", "torch.tensor([[True, False], [True, True]])"),
        _attention(function, "[90., -90.]", "torch.tensor([[False, True], [True, False]])"),
        _attention(function, "[-90., 90.]", "torch.tensor([[False, True], [True, False]])"),
    )
