"""Public examples of the Transformer's functions."""


def _heads(heads: int, mask: str, scale: float = 1.0) -> str:
    """Return a call in which all sizes are 2: what a wrong size would betray elsewhere runs here, and gives numbers."""
    return f"""\
g = torch.Generator().manual_seed(2)
q, k, v = torch.randn(3, 2, 2, 4, generator=g) * {scale}
w = {{n + "_" + p: torch.randn(*([4, 4] if n == "W" else [4]), generator=g) for p in "qkvo" for n in "Wb"}}
multi_head_attention(q, k, v, w, {heads}, {mask})"""


EACH = "torch.tensor([[[True, False], [True, True]], [[True, True], [False, True]]])"
KEYS = "torch.tensor([[[True, False]], [[True, True]]])"
HEADS = (
    _heads(2, "None"),
    _heads(2, EACH),
    _heads(1, "None"),
    _heads(2, KEYS),
    _heads(2, EACH, 60.0),
    _heads(2, KEYS, -60.0),
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

LAYER = """\
x = torch.tensor([[[1., 0., -1., 2.], [0., 1., 2., 1.]], [[2., 1., 0., 0.], [1., -1., 1., 3.]]])
names = [n + "_" + p for n in ("W", "b", "gamma", "beta") for p in {parts}.split()]
w = {{n: torch.linspace(i, 9 * i, 16).sin().view(4, 4)[0 if n[0] != "W" else ...] for i, n in enumerate(names, 1)}}
{call}"""


def _encoder(heads: int, mask: str, eps: float) -> str:
    return LAYER.format(parts='"q k v o 1 2"', call=f"encoder_layer(x, w, {heads}, {mask}, {eps})")


def _decoder(heads: int, target_mask: str, source_mask: str, eps: float) -> str:
    call = f"decoder_layer(x, x.flip(1) - 1, w, {heads}, {target_mask}, {source_mask}, {eps})"
    return LAYER.format(parts='"q k v o 1 2 3 q_cross k_cross v_cross o_cross"', call=call)


ENCODER = (
    _encoder(1, "None", 1e-5),
    _encoder(2, "None", 1e-5),
    _encoder(2, "torch.tensor([[True, False], [True, True]])", 1e-5),
    _encoder(2, "None", 0.5),
)

SOURCE = "torch.tensor([[[True, False]], [[True, True]]])"
DECODER = (
    _decoder(1, "None", "None", 1e-5),
    _decoder(2, "None", "None", 1e-5),
    _decoder(2, "torch.tensor([[True, False], [True, True]]).expand(2, 2, 2)", SOURCE, 1e-5),
    _decoder(2, "None", "None", 0.5),
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
