"""Public examples of self-attention: all sizes are 2 or 3, so that what a wrong size would betray elsewhere runs."""

TWO = "[[[1., 2.], [0.5, -1.]], [[0., 1.], [1., 1.5]]]"
MASK = "torch.tensor([[True, False], [True, True]])"
LATE = "torch.tensor([[False, True], [True, False]])"


def _simple(X: str, mask: str) -> str:
    return f"X = torch.tensor({X})\nsimple_self_attention(X, {mask})"


SIMPLE = (
    _simple("[[[1., 2.], [0.5, -1.]]]", "None"),
    _simple("[[[1., 2.], [0.5, -1.]]]", "torch.tensor([[True, False]])"),
    _simple("[[[1., 0.], [0., 1.], [1., 1.]]]", "None"),
    _simple(TWO, "None"),
    _simple(TWO, MASK),
    _simple(TWO, "torch.tensor([[True, False], [False, True]])"),
    _simple("[[[12., 9.], [11., 10.]]]", "None"),
    _simple("[[[0.5, 0.1], [80., 0.]], [[80., 1.], [0.5, 0.2]]]", "torch.tensor([[True, False], [False, True]])"),
)


def projected(function: str) -> tuple[str, ...]:
    """Return the examples of a function that is called as self_attention is."""

    def code(X: str, scale: float, mask: str) -> str:
        times = "" if scale == 1 else f"{scale:g} * "
        return f"""\
X = torch.tensor({X})
W_q, W_k = {times}torch.tensor([[1., 2.], [0.5, -1.]]), torch.tensor([[0., 1.], [1., -0.5]])
W_v = torch.tensor([[2., 1.], [0., -1.]])
{function}(X, W_q, W_k, W_v, {mask})"""

    one = "[[[1., 2.], [0.5, -1.]]]"
    return (
        code(one, 1.0, "None"),
        code(one, 1.0, "torch.tensor([[True, False]])"),
        f"X = torch.tensor([[[1., 0.], [0., 1.], [1., 1.]]])\nW_q, W_k, W_v = torch.tensor([[1., 2.]]), "
        f"torch.tensor([[2., 0.]]), torch.tensor([[1., 0.], [0., 2.], [1., 1.]])\n{function}(X, W_q, W_k, W_v, None)",
        code(TWO, 1.0, "None"),
        code(TWO, 1.0, MASK),
        code(TWO, 1.0, LATE),
        code(TWO, 40.0, LATE),
        code(TWO, -40.0, MASK),
    )


def _product(query: str, key: str, value: str, mask: str, scale: int = 1) -> str:
    times = "" if scale == 1 else f"{scale} * "
    return f"""\
query, key = {times}torch.tensor({query}), torch.tensor({key})
value = torch.tensor({value})
scaled_dot_product(query, key, value, {mask})"""


VALUES = "[[[2., 0.], [1., -1.]], [[0., 3.], [1., 1.]]]"
OTHER = "[[[0., 1.], [2., 0.5]], [[1., -1.], [0.5, 1.]]]"
PRODUCT = (
    _product("[[1., 2.], [0., 1.]]", "[[1., 1.], [2., 0.]]", "[[1., 0.], [2., 3.]]", "None"),
    _product(
        "[[1., 2.], [0., 1.]]",
        "[[1., 1.], [2., 0.]]",
        "[[1., 0.], [2., 3.]]",
        "torch.tensor([[True, False], [True, True]])",
    ),
    _product("[[1., 0., 2.], [0., 1., 1.]]", "[[1., 1., 0.], [0., 2., 1.]]", "[[1.], [2.]]", "None"),
    _product(TWO, OTHER, VALUES, "None"),
    _product(TWO, OTHER, VALUES, "torch.tensor([[True, False], [True, True]])"),
    _product(TWO, OTHER, VALUES, "torch.tensor([[[True, False], [True, True]], [[False, True], [True, True]]])"),
    _product(TWO, OTHER, VALUES, "None", 90),
    _product(TWO, OTHER, VALUES, "torch.tensor([[[True, False], [False, True]]])", 40),
    _product(TWO, OTHER, VALUES, "torch.tensor([[[False, True], [True, False]]])", 40),
)

COSTS = (
    'layer_cost("self_attention", 20, 30, 3, 5)',
    'layer_cost("recurrent", 20, 30, 3, 5)',
    'layer_cost("convolution", 20, 30, 3, 5)',
    'layer_cost("restricted", 22, 30, 3, 5)',
)
