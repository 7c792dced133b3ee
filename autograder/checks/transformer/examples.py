"""Public examples of the Transformer's functions."""


def _head(heads: int, mask: str) -> str:
    """Return a call with one sentence of two words and two features; no matrix and no bias is left out unseen."""
    return f"""\
q, k = torch.tensor([[[1., 0.], [0., 2.]]]), torch.tensor([[[1., 1.], [0., 1.]]])
W, b = torch.tensor([[1., 1.], [0., 1.]]), torch.tensor([1., 0.])
w = {{"W_q": W, "b_q": b, "W_k": 2 * W, "b_k": b, "W_v": 3 * W, "b_v": 2 * b, "W_o": W.T, "b_o": -b}}
multi_head_attention(q, k, k + 1, w, {heads}, {mask})"""


def _identity(q: str, k: str, features: int, heads: int, mask: str) -> str:
    """Return a call in which all matrices are the identity and all biases 0."""
    return f"""\
q, k = torch.tensor({q}), torch.tensor({k})
w = {{f"{{n}}_{{p}}": torch.eye({features}) if n == "W" else torch.zeros({features}) for n in "Wb" for p in "qkvo"}}
multi_head_attention(q, k, k + 1, w, {heads}, {mask})"""


EACH = "torch.tensor([[True, False], [True, True]])"
TWO = "[[[1., 0.], [0., 1.]]]"
multi_head_attention = (
    _head(1, "None"),
    _head(1, EACH),
    _head(2, "None"),
    _head(2, EACH),
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

positional_encoding = (
    "positional_encoding(torch.zeros(1, 3, 4))",
    "positional_encoding(torch.ones(2, 3, 4))",
    "positional_encoding(torch.tensor([[[1., 0., 2.], [0., 1., -1.]]]))",
)

make_masks = (
    "make_masks(torch.tensor([[5, 6, 7]]), torch.tensor([[1, 5, 6]]), 3)",
    "make_masks(torch.tensor([[5, 2, 3], [4, 0, 1]]), torch.tensor([[4, 3, 3], [4, 1, 5]]), 3)",
)


def _encoder(mask: str, eps: float) -> str:
    """Return a call with one sentence of two words, one head, and three features: of two a norm leaves only signs."""
    return f"""\
x, I = torch.tensor([[[1., 0., 2.], [0., 3., 1.]]]), torch.eye(3)
w = {{f"W_{{n}}": I for n in "qkvo1"}} | {{f"b_{{n}}": torch.zeros(3) for n in "qkvo"}} | {{"W_2": -2 * I}}
w |= {{f"{{n}}_{{i}}": torch.tensor([3. - i, i, len(n) - 3.]) for n in ("b", "gamma", "beta") for i in (1, 2)}}
encoder_layer(x, w, 1, {mask}, {eps})"""


def _decoder(target_mask: str, source_mask: str, eps: float) -> str:
    return f"""\
y, memory, I = torch.tensor([[[1., 0., 2.], [0., 3., 1.]]]), torch.tensor([[[2., 1., 0.], [0., 0., 4.]]]), torch.eye(3)
w = {{f"W_{{n}}": I for n in "qkvo1"}} | {{f"b_{{n}}": torch.zeros(3) for n in "qkvo"}} | {{"W_2": -2 * I}}
w |= {{f"{{name}}_cross": 2 * value for name, value in w.items() if name[-1] in "qkvo"}}
w |= {{f"{{n}}_{{i}}": torch.tensor([3. - i, i, len(n) - 3.]) for n in ("b", "gamma", "beta") for i in (1, 2, 3)}}
decoder_layer(y, memory, w, 1, {target_mask}, {source_mask}, {eps})"""


encoder_layer = (
    _encoder("None", 1e-5),
    _encoder("None", 0.5),
    _encoder("torch.tensor([[True, False]])", 1e-5),
    """\
x = torch.tensor([[[1., 0., 2., 0.], [0., 3., 0., 1.]]])
w = {f"W_{n}": torch.eye(4) for n in "qkvo12"} | {f"b_{n}": torch.zeros(4) for n in "qkvo12"}
w |= {f"{n}_{i}": torch.ones(4) for n in ("gamma", "beta") for i in (1, 2)}
encoder_layer(x, w, 2, None, 1e-5)""",
)

decoder_layer = (
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

label_smoothed_loss = (
    "label_smoothed_loss(torch.tensor([[[2., 0., 1.], [0., 1., 0.]]]), torch.tensor([[0, 1]]), 0.3, 2)",
    """\
logits = torch.tensor([[[2., 0., 1.], [0., 1., 0.], [1., 1., 3.]], [[0., 3., -1.], [2., 2., 0.], [0., 0., 1.]]])
label_smoothed_loss(logits, torch.tensor([[0, 1, 2], [1, 2, 2]]), 0.3, 2)""",
    "label_smoothed_loss(torch.tensor([[[900., 700., 899.]]]), torch.tensor([[0]]), 0.3, 2)",
)

noam_rate = (
    "noam_rate(2, 4, 16, 10)",
    "noam_rate(1, 4, 16, 10)",
    "noam_rate(64, 4, 16, 10)",
)


def _decoding(state: int, rows: str, max_len: int, bos: int = 3, eos: int = 0) -> tuple[str, str]:
    """Return a call with a model of whole-number logits, whose cache is a state that remembers the whole prefix."""
    table = ", ".join(f"[{', '.join(f'{value}.' for value in row)}]" for row in rows.split())
    code = f"""\
state, bos, eos, max_len = {state}, {bos}, {eos}, {max_len}
table = torch.tensor([{table}])  # a row of logits for each state
after = lambda token, state: (5 * state + 7 * token + 3) % len(table)
step = lambda token, state: (table[after(token, state)], after(token, state))
greedy_cached(state, step, bos, eos, max_len)"""
    return code, "state, table, bos, eos, max_len"


greedy_cached = (
    _decoding(3, "3210 1230 3120 1320 2310 2310", 6),
    _decoding(3, "2310 2130 2310 2130 1230 3120", 4),
    _decoding(1, "0321 3201 0231 3201 1203 2013", 6, bos=1, eos=2),  # bos comes out, too, and is no end
)

repaired_heads = (
    """\
x, I = torch.tensor([[[1., 0., 2., 0.], [2., 1., 0., 3.]]]), torch.eye(4)
repaired_heads(x, I, I, I, I, 2)""",
    """\
x, I = torch.tensor([[[3., 0., 1., 2.], [1., 1., 0., 3.]]]), torch.eye(4)
repaired_heads(x, I, I, I, I, 4)""",
)


def _stack(mask: str, eps: float) -> str:
    """Return a call with one sentence of two words, two layers, one head and three features."""
    return f"""\
x, I = torch.tensor([[[1., 0., 2.], [0., 3., 1.]]]), torch.stack([torch.eye(3), 2 * torch.eye(3)])
w = {{f"W_{{n}}": I for n in "qkvo1"}} | {{f"b_{{n}}": torch.zeros(2, 3) for n in "qkvo"}} | {{"W_2": -1.5 * I}}
w |= {{f"{{n}}_{{i}}": torch.tensor([[3. - i, i, len(n)], [1, 2, i]]) for n in ("b", "beta", "gamma") for i in (1, 2)}}
pre_norm_stack(x, w, torch.tensor([2., 1., -1.]), torch.tensor([0., 1., 0.]), 1, {mask}, {eps})"""


pre_norm_stack = (
    _stack("None", 1e-5),
    _stack("None", 0.5),
    _stack("torch.tensor([[True, False]])", 1e-5),
    """\
x = torch.tensor([[[1., 0., 2., 0.], [0., 3., 0., 1.]]])
w = {f"W_{n}": torch.eye(4)[None] for n in "qkvo12"} | {f"b_{n}": torch.zeros(1, 4) for n in "qkvo12"}
w |= {f"{n}_{i}": torch.ones(1, 4) for n in ("gamma", "beta") for i in (1, 2)}
pre_norm_stack(x, w, torch.ones(4), torch.zeros(4), 2, None, 1e-5)""",
)


def _one_step(cache: str, heads: int) -> str:
    """Return a call with one sentence and four features; no matrix and no bias is left out unseen."""
    return f"""\
x, W = torch.tensor([[1., 0., 2., 1.]]), torch.eye(4) + torch.diag(torch.ones(3), 1)
b, cache = torch.tensor([1., 0., -1., 0.]), {cache}
w = {{"W_q": W, "b_q": b, "W_k": W / 2, "b_k": b, "W_v": 3 * W, "b_v": b, "W_o": W.T, "b_o": -b}}
cached_heads(x, cache, w, {heads})"""


cached_heads = (
    _one_step("torch.tensor([[[[[1., 0.]], [[0., 2.]]]], [[[[4., 1.]], [[2., 8.]]]]])", 2),
    _one_step("torch.zeros(2, 1, 2, 0, 2)", 2),
)
