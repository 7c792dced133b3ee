"""Public examples of self-attention: all sizes are 2 or 3, so that what a wrong size would betray elsewhere runs."""

TWO = "[[[1., 2.], [0.5, -1.]], [[0., 1.], [1., 1.5]]]"
MASK = "torch.tensor([[True, False], [True, True]])"
LATE = "torch.tensor([[False, True], [True, False]])"


def _simple(X: str, mask: str) -> str:
    return f"X = torch.tensor({X})\nsimple_self_attention(X, {mask})"


simple_self_attention = (
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
scaled_dot_product = (
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

layer_cost = (
    'layer_cost("self_attention", 20, 30, 3, 5)',
    'layer_cost("recurrent", 20, 30, 3, 5)',
    'layer_cost("convolution", 20, 30, 3, 5)',
    'layer_cost("restricted", 22, 30, 3, 5)',
)

exact_layer_cost = tuple(
    f'exact_layer_cost("{kind}", 20, 30, 3, 5)' for kind in ("self_attention", "recurrent", "convolution", "restricted")
)

crossing_length = (
    "crossing_length(10, 3)",
    "crossing_length(7, 3)",
    "crossing_length(10, 1)",
    "crossing_length(10, 4)",
)


def _module(X: str, scale: int, mask: str) -> tuple[str, str]:
    times = "" if scale == 1 else f"{scale} * "
    code = f"""\
W_q, W_k = {times}torch.tensor([[1., 2.], [0.5, -1.]]), torch.tensor([[0., 1.], [1., -0.5]])
W_v = torch.tensor([[2., 1.], [0., -1.], [1., 1.]])
module = SelfAttention(2, 2, 3)
module.load_state_dict({{"W_q": W_q, "W_k": W_k, "W_v": W_v}})
module(torch.tensor({X}), {mask})"""
    return code, f"torch.tensor({X}), {mask}, {LOADED}"


LOADED = "W_q, W_k, W_v, 'float32'"


SelfAttention = (
    _module("[[[1., 2.], [0.5, -1.]]]", 1, "None"),
    _module("[[[1., 2.], [0.5, -1.]]]", 1, "torch.tensor([[True, False]])"),
    _module("[[[1., 0.], [0., 1.], [1., 1.]]]", 1, "None"),
    _module(TWO, 1, "None"),
    _module(TWO, 1, LATE),
    _module(TWO, 1, "torch.tensor([[True, False], [False, True]])"),
    (
        """\
W_q, W_k, W_v = torch.tensor([[1., 2.]]), torch.tensor([[2., 0.]]), torch.tensor([[1., 0.], [0., 2.]])
module = SelfAttention(2, 1, 2)
module.load_state_dict({"W_q": W_q, "W_k": W_k, "W_v": W_v})
module(torch.tensor([[[1., 0.], [0., 1.], [1., 1.]]]), None)""",
        f"torch.tensor([[[1., 0.], [0., 1.], [1., 1.]]]), None, {LOADED}",
    ),
)


def _rotated(x: str, positions: str, base: float) -> str:
    return f"rotated(torch.tensor({x}), torch.tensor({positions}), {base})"


rotated = (
    _rotated("[[1., 0.], [1., 0.], [1., 2.]]", "[0, 1, 2]", 10000.0),
    _rotated("[[1., 0., 0., 2.], [1., 2., 3., 4.]]", "[0, 1]", 10000.0),
    _rotated("[[1., 0., 1., 0.], [1., 2., 3., 4.]]", "[0, 3]", 16.0),
    _rotated("[[1., 2., 3., 4.], [0., 1., 1., 0.], [1., 0., 0., 1.]]", "[5, 2, 7]", 100.0),
)

KEYS = "[[1., 0.], [0., 1.], [1., 1.], [2., -1.], [0.5, 2.]]"
SUMMED = "[[1.], [0.], [2.], [4.], [-1.]]"


def _chunked(scale: int, chunk: int, mask: str) -> str:
    times = "" if scale == 1 else f"{scale} * "
    return f"""\
Q, K = {times}torch.tensor([[1., 2.], [0., -1.]]), torch.tensor({KEYS})
V = torch.tensor({SUMMED})
chunked_attention(Q, K, V, {chunk}, {mask})"""


chunked_attention = (
    _chunked(1, 5, "None"),
    _chunked(1, 2, "None"),
    _chunked(3, 2, "None"),
    _chunked(1, 3, "None"),
    _chunked(90, 2, "None"),
    _chunked(1, 2, "torch.tensor([[True, False, True, True, False], [False, False, True, False, True]])"),
    _chunked(1, 2, "torch.tensor([[False, False, True, True, True], [True, True, False, False, False]])"),
)

self_attention = projected("self_attention")
repaired_attention = projected("repaired_attention")
