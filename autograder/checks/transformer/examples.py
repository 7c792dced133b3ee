"""Public examples of the Transformer's functions."""


def _head(heads: int, mask: str) -> str:
    """Return a call with one sentence of two words and two features; no matrix and no bias is left out unseen."""
    return f"""\
q, k = torch.tensor([[[1., 0.], [0., 2.]]]), torch.tensor([[[1., 1.], [0., 1.]]])
W, b = torch.tensor([[1., 1.], [0., 1.]]), torch.tensor([1., 0.])
w = {{"W_q": W, "b_q": b, "W_k": 2 * W, "b_k": b, "W_v": 3 * W, "b_v": b, "W_o": W.T, "b_o": -b}}
multi_head_attention(q, k, k + 1, w, {heads}, {mask})"""


def _identity(q: str, k: str, features: int, heads: int, mask: str) -> str:
    """Return a call in which all matrices are the identity and all biases 0."""
    return f"""\
q, k = torch.tensor({q}), torch.tensor({k})
w = {{f"{{n}}_{{p}}": torch.eye({features}) if n == "W" else torch.zeros({features}) for n in "Wb" for p in "qkvo"}}
multi_head_attention(q, k, k + 1, w, {heads}, {mask})"""


EACH = "torch.tensor([[True, False], [True, True]])"
TWO = "[[[1., 0.], [0., 1.]]]"
HEADS = (
    _head(1, "None"),
    _head(1, EACH),
    _head(2, "None"),
    _identity("[[[1., 0., 2., 0.], [0., 1., 0., 3.]]]", "[[[1., 0., 0., 2.], [0., 1., 1., 0.]]]", 4, 2, "None"),
    _identity(
        "[[[1., 0.]], [[0., 2.]]]",
        "[[[1., 0.], [0., 1.]], [[2., 0.], [1., 1.]]]",
        2,
        2,
        "torch.tensor([[[True, False]], [[True, True]]])",
    ),
    _identity("[[[200., 0.], [0., 200.]]]", TWO, 2, 1, "None"),
    _identity("[[[90., 0.], [0., 90.]]]", TWO, 2, 1, "torch.tensor([[True, False], [True, False]])"),
)

POSITIONS = (
    "positional_encoding(torch.zeros(1, 3, 4))",
    "positional_encoding(torch.ones(2, 3, 4))",
    "positional_encoding(torch.tensor([[[1., 0., 2.], [0., 1., -1.]]]))",
)

MASKS = (
    "make_masks(torch.tensor([[5, 6, 7]]), torch.tensor([[1, 5, 6]]), 3)",
    "make_masks(torch.tensor([[5, 2, 3], [4, 0, 1]]), torch.tensor([[4, 3, 3], [4, 1, 5]]), 3)",
)


def _encoder(mask: str, eps: float) -> str:
    """Return a call with one sentence of two words, one head, and three features: of two a norm leaves only signs."""
    return f"""\
x, I = torch.tensor([[[1., 0., 2.], [0., 3., 1.]]]), torch.eye(3)
w = {{f"W_{{n}}": I for n in "qkvo1"}} | {{f"b_{{n}}": torch.zeros(3) for n in "qkvo"}} | {{"W_2": -2 * I}}
w |= {{f"{{n}}_{{i}}": torch.tensor([3. - i, i, 1.]) for n in ("b", "gamma", "beta") for i in (1, 2)}}
encoder_layer(x, w, 1, {mask}, {eps})"""


def _decoder(target_mask: str, source_mask: str, eps: float) -> str:
    return f"""\
y, memory, I = torch.tensor([[[1., 0., 2.], [0., 3., 1.]]]), torch.tensor([[[2., 1., 0.], [0., 0., 4.]]]), torch.eye(3)
w = {{f"W_{{n}}": I for n in "qkvo1"}} | {{f"b_{{n}}": torch.zeros(3) for n in "qkvo"}} | {{"W_2": -2 * I}}
w |= {{f"{{name}}_cross": 2 * value for name, value in w.items() if name[-1] in "qkvo"}}
w |= {{f"{{n}}_{{i}}": torch.tensor([3. - i, i, 1.]) for n in ("b", "gamma", "beta") for i in (1, 2, 3)}}
decoder_layer(y, memory, w, 1, {target_mask}, {source_mask}, {eps})"""


ENCODER = (
    _encoder("None", 1e-5),
    _encoder("None", 0.5),
    _encoder("torch.tensor([[True, False]])", 1e-5),
    """\
x = torch.tensor([[[1., 0., 2., 0.], [0., 3., 0., 1.]]])
w = {f"W_{n}": torch.eye(4) for n in "qkvo12"} | {f"b_{n}": torch.zeros(4) for n in "qkvo12"}
w |= {f"{n}_{i}": torch.ones(4) for n in ("gamma", "beta") for i in (1, 2)}
encoder_layer(x, w, 2, None, 1e-5)""",
)

DECODER = (
    _decoder("None", "None", 1e-5),
    _decoder("None", "None", 0.5),
    _decoder("torch.tensor([[[True, False], [True, True]]])", "torch.tensor([[[True, False]]])", 1e-5),
    """\
y, memory = torch.tensor([[[1., 0., 2., 0.], [0., 3., 0., 1.]]]), torch.tensor([[[2., 1., 0., 0.], [0., 0., 4., 1.]]])
names = [n + end for end in ("", "_cross") for n in "qkvo"]
w = {f"W_{n}": torch.eye(4) for n in [*names, 1, 2]} | {f"b_{n}": torch.zeros(4) for n in [*names, 1, 2]}
w |= {f"{n}_{i}": torch.ones(4) for n in ("gamma", "beta") for i in (1, 2, 3)}
decoder_layer(y, memory, w, 2, None, None, 1e-5)""",
)

LOSS = (
    "label_smoothed_loss(torch.tensor([[[2., 0., 1.], [0., 1., 0.]]]), torch.tensor([[0, 1]]), 0.3, 2)",
    """\
logits = torch.tensor([[[2., 0., 1.], [0., 1., 0.], [1., 1., 3.]], [[0., 3., -1.], [2., 2., 0.], [0., 0., 1.]]])
label_smoothed_loss(logits, torch.tensor([[0, 1, 2], [1, 2, 2]]), 0.3, 2)""",
    "label_smoothed_loss(torch.tensor([[[900., 898., 899.]]]), torch.tensor([[0]]), 0.3, 2)",
)

RATE = (
    "noam_rate(2, 4, 16, 10)",
    "noam_rate(1, 4, 16, 10)",
    "noam_rate(64, 4, 16, 10)",
)
