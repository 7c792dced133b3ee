"""Public examples of additive attention."""

masked_softmax = (
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
values = torch.tensor([[[1., 0.], [3., 2.]]])
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


def _step(v: str, mask: str) -> tuple[str, str]:
    """Return a step in which all sizes are 2."""
    code = f"""\
word, state, annotations = torch.eye(2), torch.tensor([[1., 0.], [0., 2.]]), torch.tensor([[[1., 0.], [0., 1.]]] * 2)
projected = torch.tensor([[[1., 0.], [-1., 1.]], [[0., 1.], [2., -1.]]])
W_q, v, mask = torch.tensor([[1., 2.], [0., -1.]]), torch.tensor({v}), {mask}
W_x, W_h = torch.tensor([[1., 0., 2., 0.], [0., 1., 0., -1.]]), torch.tensor([[1., 0.], [1., 1.]])
rnnsearch_step(word, state, annotations, projected, W_q, v, lambda x, s: torch.tanh(x @ W_x.T + s @ W_h.T), mask)"""
    return code, "word, state, annotations, projected, W_q, v, W_x, W_h, mask"


rnnsearch_step = (
    _step("[1., -2.]", "None"),
    _step("[1., -2.]", "torch.tensor([[True, False], [True, True]])"),
    _step("[-90., -90.]", "torch.tensor([[True, False], [True, True]])"),
    _step("[-90., 90.]", "torch.tensor([[False, True], [True, False]])"),
)
links_of = (
    "links_of(torch.tensor([[.1, .7, .2], [.6, .3, .1]]), None)",
    "links_of(torch.tensor([[.1, .7, .2], [.6, .3, .1]]), 0.3)",
    "links_of(torch.tensor([[.4, .4, .2], [.5, .5, 0.]]), None)",
    "links_of(torch.tensor([[.25, .75, 0.], [.5, .25, .25]]), 0.25)",
    "links_of(torch.tensor([[.4, .3, .3], [.1, .9, 0.]]), 0.5)",
    "links_of(torch.tensor([[.4, .6], [.1, .9]]), 0.0)",
)
alignment_error_rate = (
    "alignment_error_rate({(0, 0), (1, 1), (1, 2)}, {(0, 0), (2, 1)}, {(0, 0), (2, 1), (1, 1)})",
    "alignment_error_rate({(0, 0), (1, 1)}, {(0, 0), (1, 2)}, {(1, 1), (3, 3)})",
    "alignment_error_rate(set(), {(0, 0)}, {(0, 0)})",
    "alignment_error_rate({(0, 0), (0, 1)}, set(), {(0, 1)})",
    "alignment_error_rate(set(), set(), {(0, 1)})",
)
coverage_penalty = (
    "coverage_penalty(torch.tensor([[[.5, .5], [.75, .25]]]), None, 0.5)",
    "coverage_penalty(torch.tensor([[[.2, .8, 0.], [.3, .7, 0.]]]), torch.tensor([[True, True, False]]), 0.5)",
    "coverage_penalty(torch.tensor([[[.2, .8]], [[.4, .6]]]), None, 2.)",
    "coverage_penalty(torch.tensor([[[.2, .7, .1]]]), torch.tensor([[True, True, False]]), 0.5)",
    "coverage_penalty(torch.tensor([[[.0001, .9999]]]), None, 2.)",
)


def _backward(mask: str) -> str:
    """Return a way back in which all sizes are 2."""
    return f"""\
d_context, query, v = torch.tensor([[1., 2.], [0., -1.]]), torch.tensor([[1., 0.], [0., .5]]), torch.tensor([1., -2.])
keys = torch.tensor([[[1., 0.], [-1., 1.]], [[0., 1.], [1., -1.]]])
values = torch.tensor([[[1., 0.], [0., 1.]], [[2., 0.], [0., 3.]]])
W_q, W_k = torch.tensor([[1., 2.], [0., -1.]]), torch.tensor([[1., -1.], [0., 1.]])
additive_attention_backward(d_context, query, keys, values, W_q, W_k, v, {mask})"""


additive_attention_backward = (_backward("None"), _backward("torch.tensor([[True, False], [True, True]])"))

additive_attention = attention("additive_attention")
repaired_attention = attention("repaired_attention")
