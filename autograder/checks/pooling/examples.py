"""Public examples of attention that pools: small calls in which all sizes are 2, so that wrong sizes run as well."""

MASK = "torch.tensor([[True, False], [True, True]])"
OTHER = "torch.tensor([[False, True], [True, False]])"
SAME = "torch.tensor([[False, True], [False, True]])"


def _pool(w: str, mask: str) -> str:
    return f"""\
H = torch.tensor([[[1., 0.5], [-0.5, 2.]], [[0.3, -1.], [1.5, 1.]]])
attention_pool(H, torch.tensor({w}), {mask})"""


attention_pool = (
    "attention_pool(torch.tensor([[[0.5493], [-0.5493]]]), torch.tensor([1.0986]), None)",
    _pool("[1., -2.]", "None"),
    _pool("[1., -2.]", MASK),
    _pool("[1., -2.]", SAME),
    _pool("[90., 90.]", MASK),
    _pool("[-90., -90.]", OTHER),
    _pool("[90., -90.]", OTHER),
)


def _context(u: str, mask: str) -> str:
    return f"""\
H = torch.tensor([[[1., 0.5], [-0.5, 2.]], [[0.3, -1.], [1.5, 1.]]])
W, b = torch.tensor([[1., -1.], [0., 0.5]]), torch.tensor([0.5, -1.])
context_attention(H, W, b, torch.tensor({u}), {mask})"""


def _one_context(mask: str) -> str:
    """Return a call with one sentence of two words."""
    return f"""\
H, W, b = torch.tensor([[[1., 0.5], [-0.5, 2.]]]), torch.tensor([[1., -1.], [0., 0.5]]), torch.tensor([0.5, -1.])
context_attention(H, W, b, torch.tensor([1., 2.]), {mask})"""


context_attention = (
    _one_context("None"),
    _one_context("torch.tensor([[True, False]])"),
    _context("[1., 2.]", "None"),
    _context("[1., 2.]", MASK),
    _context("[1., 2.]", SAME),
    _context("[90., 90.]", MASK),
    _context("[-90., 90.]", OTHER),
    _context("[-90., -90.]", OTHER),
)


def hierarchy(function: str, encoder: str = ", None") -> tuple[str, ...]:
    """Return the examples of a function that is called as hierarchical_attention is, or without its encoder."""

    def code(u_w: str, u_s: str, mask: str) -> str:
        return f"""\
H = torch.tensor([[[[1., 0.5], [-0.5, 2.]], [[0.3, -1.], [1.5, 1.]]], [[[2., 0.], [1., 1.]], [[-1., 1.], [0.5, 0.]]]])
words = torch.tensor([[1., -1.], [0., 0.5]]), torch.tensor([0.5, -1.]), torch.tensor({u_w})
sentences = torch.tensor([[0.5, 1.], [-1., 0.]]), torch.tensor([0.3, 1.]), torch.tensor({u_s})
{function}(H, *words, *sentences, {mask}{encoder})"""

    def one(mask: str) -> str:
        """Return a call with one document of two sentences of two words."""
        return f"""\
H = torch.tensor([[[[1., 0.5], [-0.5, 2.]], [[0.3, -1.], [1.5, 1.]]]])
words = torch.tensor([[1., -1.], [0., 0.5]]), torch.tensor([0.5, -1.]), torch.tensor([1., 2.])
sentences = torch.tensor([[0.5, 1.], [-1., 0.]]), torch.tensor([0.3, 1.]), torch.tensor([2., -1.])
{function}(H, *words, *sentences, {mask}{encoder})"""

    one_empty = "torch.tensor([[[True, False], [True, True]], [[True, True], [False, False]]])"
    holes = "torch.tensor([[[False, True], [True, True]], [[True, True], [False, True]]])"
    return (
        one("None"),
        one("torch.tensor([[[True, False], [True, True]]])"),
        one("torch.tensor([[[True, True], [False, False]]])"),
        code("[1., 2.]", "[2., -1.]", "None"),
        code("[1., 2.]", "[2., -1.]", one_empty),
        code("[1., 2.]", "[2., -1.]", holes),
        code("[90., 90.]", "[90., 90.]", one_empty),
        code("[-90., -90.]", "[-90., -90.]", holes),
    )


def _leave(values: str, weights: str, mask: str) -> str:
    return f"leave_one_out(torch.tensor({values}), torch.tensor({weights}), {mask})"


_VALUES = "[[[1., 0.], [3., 2.], [5., -4.]]]"
leave_one_out = (
    _leave(_VALUES, "[[.5, .25, .25]]", "None"),
    _leave("[[[1., 0.], [3., 2.], [7., 7.]]]", "[[.25, .75, 0.]]", "torch.tensor([[True, True, False]])"),
    _leave(_VALUES, "[[0., 1., 0.]]", "None"),
    _leave(
        "[[[1., 0.], [3., 2.], [5., 4.], [7., 7.]]]", "[[.5, .25, .25, 0.]]", "torch.tensor([[True] * 3 + [False]])"
    ),
    _leave("[[[2.]]]", "[[1.]]", "None"),
)


def _along(weights: str, values: str, direction: str) -> str:
    return f"""\
weights, values = torch.tensor({weights}), torch.tensor({values})
adversarial_weights(weights, values, torch.tensor({direction}))"""


adversarial_weights = (
    _along("[.25, .5, .25]", "[[0.], [1.], [2.]]", "[1., 0., 0.]"),
    _along("[.5, .125, .25, .125]", "[[0.], [1.], [2.], [3.]]", "[0., 0., 1., 0.]"),
    _along("[.25, .25, .5]", "[[0.], [1.], [2.]]", "[0., -6., 0.]"),
    _along("[.125, .5, .375]", "[[0.], [1.], [2.]]", "[1., 0., 0.]"),
    _along("[.125, .625, .125, .125]", "[[0., 0.], [1., 1.], [2., 4.], [3., 9.]]", "[1., 0., 0., 0.]"),
    _along("[.25, .75]", "[[1., 0.], [0., 1.]]", "[1., 0.]"),
)

hierarchical_attention = hierarchy("hierarchical_attention")
repaired_hierarchy = hierarchy("repaired_hierarchy", encoder="")
