"""Public examples of the functions for long texts."""

Code = tuple[str, str]


def _merged(first: tuple[str, str, str], second: tuple[str, str, str]) -> Code:
    """Return a call with two parts, each m, l and o without their outer brackets, and its arguments."""
    parts = [", ".join(f"torch.tensor([{each}])" for each in part) for part in (first, second)]
    call = f"m, l, o = merge_softmax(({parts[0]}), ({parts[1]}))\nm.clamp(min=-10_000.0), l, o"
    return call, ", ".join(parts)  # -∞, the maximum of no keys, is shown as the check compares it


_NOTHING = ("-torch.inf", "0.", "[0., 0.]")

merge_softmax = (
    _merged(("1.", "1.5", "[4., 2.]"), ("3.", "2.", "[3., -1.]")),
    _merged(("2., 0.", "1.5, 3.", "[4., 2.], [1., 5.]"), ("1., 1.", "2., 1.", "[3., -1.], [0., 2.]")),
    _merged(_NOTHING, ("3.", "2.", "[3., -1.]")),
    _merged(_NOTHING, ("-2.", "2.", "[3., -1.]")),
    _merged(_NOTHING, _NOTHING),
    _merged(("300.", "1.5", "[4., 2.]"), ("301.", "2.", "[3., -1.]")),
)


def _forward(target: int, source: int, tile: int, causal: bool = False, mask: str = "") -> str:
    """Return a call with two features of a query or key, and two of a value."""
    given = f", torch.tensor([[{mask}]])" if mask else ", None"
    return f"""\
q, k = torch.arange({2 * target}.).view(1, {target}, 2) % 5 - 1, torch.arange({2 * source}.).view(1, {source}, 2) % 3
flash_forward(q, k, torch.arange({2 * source}.).view(1, {source}, 2) % 7, {tile}, {causal}{given})"""


flash_forward = (
    _forward(2, 3, 3),
    _forward(2, 4, 2),
    _forward(3, 5, 2),
    _forward(3, 3, 2, causal=True),
    _forward(1, 3, 2, causal=True),
    _forward(2, 4, 2, mask="True, True, True, False"),
    _forward(2, 4, 2, mask="False, False, True, True"),
    _forward(3, 3, 2, mask="True, True, False"),
    "q, k = torch.tensor([[[40.]]]), torch.tensor([[[10.], [9.95], [-10.]]])\nflash_forward(q, k, k, 2, False, None)",
    """\
q, k = torch.tensor([[[30.]]]), torch.tensor([[[9.], [9.], [-5.], [-4.]]])
flash_forward(q, k, k, 2, False, torch.tensor([[False, False, True, True]]))""",
)


def _backward(target: int, source: int, tile: int) -> str:
    """Return a call with what attention makes of its arguments, softmax and all."""
    return f"""\
q, k = torch.arange({2 * target}.).view(1, {target}, 2) % 5 - 1, torch.arange({2 * source}.).view(1, {source}, 2) % 3
v, g = torch.arange({3 * source}.).view(1, {source}, 3) % 7, torch.arange({3 * target}.).view(1, {target}, 3) % 4 - 1
s = q @ k.mT / 2**0.5
flash_backward(q, k, v, s.softmax(-1) @ v, s.logsumexp(-1), g, {tile})"""


flash_backward = (_backward(2, 2, 2), _backward(2, 3, 3), _backward(3, 5, 2))


def _chunks(length: int, window: int, chunk: int) -> str:
    return f"""\
q, k = torch.arange({2 * length}.).view(1, {length}, 2) % 3, torch.arange({2 * length}.).view(1, {length}, 2) % 5 - 1
repaired_chunks(q, k, k + 2, {window}, {chunk})"""


repaired_chunks = (_chunks(4, 2, 1), _chunks(5, 2, 3))


def _alibi(heads: int, length: int) -> tuple[str, str]:
    """Return a call, the future apart as the check compares it, and its arguments."""
    last = "bias.masked_fill(bias == -torch.inf, 0), (bias == -torch.inf).all(dim=0)"
    return f"bias = alibi_bias({heads}, {length})\n{last}", f"{heads}, {length}"


alibi_bias = (_alibi(3, 2), _alibi(2, 3), _alibi(6, 2), _alibi(4, 2))


def _windowed(window: int, sinks: int, q: str = "q") -> str:
    return f"""\
q, k = torch.arange(10.).view(1, 5, 2) % 4 - 1, torch.arange(10.).view(1, 5, 2) % 3 - 1
sliding_window({q}, k, torch.tensor([[[1.], [6.], [2.], [9.], [4.]]]), {window}, {sinks})"""


sliding_window = (
    _windowed(2, 0),
    _windowed(2, 1),
    _windowed(3, 2),
    _windowed(1, 2),
    _windowed(9, 0),
    _windowed(2, 0, "300 * q"),
)

kv_bytes = (
    "kv_bytes(10, 3, 2, 5)",
    "kv_bytes(10, 3, 2, 5, 2, 4)",
    "kv_bytes(10, 3, 2, 5, 2, 30)",
    "kv_bytes(10, 3, 2, 5, 0, 4)",
    "kv_bytes(10, 3, 2, 5, 0, 0, 4)",
)

linear_attention = (
    """\
q, k = torch.tensor([[[1., -1.], [0., 2.], [-2., 1.]]]), torch.tensor([[[2., 0.], [-1., 1.], [0.5, -3.]]])
linear_attention(q, k, torch.tensor([[[1., 0., 2.], [-3., 5., 1.], [4., 2., -6.]]]))""",
)

_STEP = """\
state, total = torch.tensor([[[1., 2., 0.], [-3., 1., 4.]]]), torch.tensor([[2., 3.]])
q, k, v = torch.tensor([[1., -1.]]), torch.tensor([[-0.5, 2.]]), torch.tensor([[6., -2., 1.]])
linear_step({}, q, k, v)"""

linear_step = (_STEP.format("state, total"), _STEP.format("0 * state, 0 * total"))

delta_step = (
    """\
state = torch.tensor([[[1., 2., 0.], [-3., 1., 4.]], [[2., 0., 1.], [1., -1., 3.]]])
key, value = torch.tensor([[1., 2.], [-1., 0.5]]), torch.tensor([[6., -2., 1.], [0., 3., 5.]])
delta_step(state, key, value, torch.tensor([0.5, 0.8]))""",
)
