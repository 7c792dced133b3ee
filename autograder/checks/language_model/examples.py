"""Public examples of the language model's functions."""

MEAN = ("causal_mean(torch.tensor([[[2., 0.], [4., 6.], [9., 3.]], [[1., 5.], [3., 1.], [2., 6.]]]))",)

_NORM = "rms_norm(torch.tensor([[3., 4., 0.], [1., 2., -2.]]), torch.tensor([1., 2., -0.5]), {})"
NORM = (_NORM.format("1e-6"), _NORM.format("0.5"))

SWIGLU = (
    """\
x, W_2 = torch.tensor([[1., -2.], [0.5, 1.]]), torch.tensor([[1., 0., 2.], [0., 1., -1.]])
W_1, W_gate = torch.tensor([[1., 0.], [2., 1.], [1., -1.]]), torch.tensor([[0., 1.], [1., 1.], [2., 0.]])
swiglu(x, W_1, W_gate, W_2)""",
)

ROPE = ("rope(torch.tensor([[1., 2., 3., 4.], [2., 0., 1., 5.]]), torch.tensor([1, 5]), 100.)",)


def _grouped(new: int, mask: str) -> str:
    """Return a call with four heads that share two keys and values, three positions, and the newest as queries."""
    return f"""\
q = torch.arange({8 * new}.).view(1, 4, {new}, 2) % 5 - 1
k, v = torch.arange(12.).view(1, 2, 3, 2) % 4 - 1, torch.arange(12.).view(1, 2, 3, 2) % 7
grouped_query_attention(q, k, v, {mask})"""


GROUPED = (
    _grouped(1, "None"),
    _grouped(2, "None"),
    _grouped(3, "None"),
    _grouped(2, "torch.tensor([[False, True, True]])"),
    _grouped(3, "torch.tensor([[True, True, False]])"),
)


def _step(past: int, mask: str) -> str:
    """Return a call with four heads of four features that share two keys and values."""
    return f"""\
x, cache = torch.tensor([[1., 2.]]), torch.arange({16 * past}.).view(2, 1, 2, {past}, 4) % 7 % 3
w = {{name: torch.arange(2. * rows).view(rows, 2) % 5 % 3 - 1 for name, rows in [("W_q", 16), ("W_k", 8), ("W_v", 8)]}}
w["W_o"] = torch.arange(32.).view(2, 16) % 3 - 1
cached_step(x, cache, w, {mask})"""


STEP = (
    _step(1, "None"),
    _step(2, "None"),
    _step(2, "torch.tensor([[False, True, True]])"),
)


def _choice(temperature: float, k: int, p: float) -> str:
    return f"""\
logits = torch.tensor([[0.2, 0.4, 0.1, 0.3], [0.6, 0.1, 0.05, 0.25]]).log()
next_probabilities(logits, {temperature}, {k}, {p})"""


CHOICE = (
    _choice(0.5, 0, 1.0),
    _choice(1.0, 2, 1.0),
    _choice(1.0, 0, 0.65),
    _choice(1.0, 3, 0.75),
    _choice(0.5, 0, 0.5),
    "next_probabilities(torch.tensor([[900., 899., 700.]]), 1.0, 0, 1.0)",
)

INDUCTION = (
    """\
w = torch.stack([torch.ones(7, 7), torch.arange(49.).view(7, 7) % 5 + 1]).tril()
induction_score(w / w.sum(dim=-1, keepdim=True), 3)""",
)

LATENT = (
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


INSIDE = (_inside("[0, 1]", 0), _inside("[0, 1, 1, 0]", 0), _inside("[0, 1, 1]", 1))


def _continued(new: int, past: int) -> str:
    return f"""\
q, k = torch.arange({2 * new}.).view(1, 1, {new}, 2) % 3, torch.arange({2 * new}.).view(1, 1, {new}, 2) % 5 - 1
old = torch.arange({2 * past}.).view(1, 1, {past}, 2) % 3 - 1
repaired_continuation(q, k, k + 2, old, old - 1)"""


CONTINUED = (_continued(2, 2), _continued(1, 3))
