"""Public examples of the language model's functions."""

causal_mean = ("causal_mean(torch.tensor([[[2., 0.], [4., 6.], [9., 3.]], [[1., 5.], [3., 1.], [2., 6.]]]))",)

_NORM = "rms_norm(torch.tensor([[3., 4., 0.], [1., 2., -2.]]), torch.tensor([1., 2., -0.5]), {})"
rms_norm = (_NORM.format("1e-6"), _NORM.format("0.5"))

swiglu = (
    """\
x, W_2 = torch.tensor([[1., -2.], [0.5, 1.]]), torch.tensor([[1., 0., 2.], [0., 1., -1.]])
W_1, W_gate = torch.tensor([[1., 0.], [2., 1.], [1., -1.]]), torch.tensor([[0., 1.], [1., 1.], [2., 0.]])
swiglu(x, W_1, W_gate, W_2)""",
)

rope = ("rope(torch.tensor([[1., 2., 3., 4.], [2., 0., 1., 5.]]), torch.tensor([1, 5]), 100.)",)


def _grouped(new: int, source: int, mask: str) -> str:
    """Return a call with four heads that share two keys and values; the queries are of the newest positions."""
    kv = f"view(1, 2, {source}, 2)"
    return f"""\
q = torch.arange({8 * new}.).view(1, 4, {new}, 2) % 5 - 1
k, v = torch.arange({4 * source}.).{kv} % 4 - 1, torch.arange({4 * source}.).{kv} % 7
grouped_query_attention(q, k, v, {mask})"""


grouped_query_attention = (
    _grouped(1, 3, "None"),
    _grouped(2, 2, "None"),
    _grouped(1, 3, "torch.tensor([[False, True, True]])"),
    _grouped(2, 2, "torch.tensor([[True, False]])"),
    _grouped(2, 2, "torch.tensor([[True, True]])"),
)


def _step(past: int, width: int, mask: str) -> str:
    """Return a call with four heads of so many features that share two keys and values."""
    sizes = f'[("W_q", {4 * width}), ("W_k", {2 * width}), ("W_v", {2 * width})]'
    return f"""\
x, cache = torch.tensor([[1., 2.]]), torch.arange({4 * past * width}.).view(2, 1, 2, {past}, {width}) % 7 % 3
w = {{name: torch.arange(2. * rows).view(rows, 2) % 5 % 3 - 1 for name, rows in {sizes}}}
w["W_o"] = torch.arange({8 * width}.).view(2, {4 * width}) % 3 - 1
cached_step(x, cache, w, {mask})"""


cached_step = (
    _step(1, 2, "None"),
    _step(1, 4, "None"),
    _step(2, 2, "torch.tensor([[False, True, True]])"),
)


def _choice(temperature: float, k: int, p: float) -> str:
    return f"""\
logits = torch.tensor([[0.2, 0.4, 0.1, 0.3], [0.6, 0.1, 0.05, 0.25]]).log()
next_probabilities(logits, {temperature}, {k}, {p})"""


next_probabilities = (
    _choice(0.5, 0, 1.0),
    _choice(1.0, 2, 1.0),
    _choice(1.0, 0, 0.65),
    _choice(1.0, 3, 0.75),
    _choice(0.5, 0, 0.5),
    "next_probabilities(torch.tensor([[900., 899., 700.]]), 1.0, 0, 1.0)",
)

induction_score = (
    """\
w = torch.stack([torch.ones(7, 7), torch.arange(49.).view(7, 7) % 5 + 1]).tril()
induction_score(w / w.sum(dim=-1, keepdim=True), 3)""",
)

latent_attention = (
    """\
x = torch.tensor([[[1., 0.], [2., -1.], [0., 1.]]])
w = {"W_q": torch.arange(8.).view(4, 2) % 3 - 1, "W_down": torch.tensor([[1., 2.]]), "W_o": torch.eye(4)[1:3] * 2 - 0.5}
w |= {"W_uk": torch.tensor([[1.], [0.], [2.], [-1.]]), "W_uv": torch.tensor([[0.], [1.], [3.], [2.]])}
latent_attention(x, w, 2)""",
)


def _inside(tokens: str, start: int) -> str:
    return f"""\
binary = torch.tensor([[[0.1, 0.4], [0.2, 0.1]], [[0.3, 0.2], [0.0, 0.1]]])
emission = torch.tensor([[0.5, 0.2], [0.3, 0.7]])
inside(torch.tensor({tokens}), 4 * binary, emission, {start})"""


inside = (_inside("[0, 1]", 0), _inside("[0, 1, 1, 0]", 0), _inside("[0, 1, 1]", 1))


def _continued(new: int, past: int) -> str:
    return f"""\
q, k = torch.arange({2 * new}.).view(1, 1, {new}, 2) % 3, torch.arange({2 * new}.).view(1, 1, {new}, 2) % 5 - 1
old = torch.arange({2 * past}.).view(1, 1, {past}, 2) % 3 - 1
repaired_continuation(q, k, k + 2, old, old - 1)"""


repaired_continuation = (_continued(2, 2), _continued(1, 3))
