"""Public examples of the functions on what is far away."""


def _alibi(heads: int, length: int) -> tuple[str, str]:
    """Return a call, the future apart as the check compares it, and its arguments."""
    last = "bias.masked_fill(bias == -torch.inf, 0), (bias == -torch.inf).all(dim=0)"
    return f"bias = alibi_bias({heads}, {length})\n{last}", f"{heads}, {length}"


ALIBI = (_alibi(3, 2), _alibi(2, 3), _alibi(6, 2), _alibi(4, 2))


def _windowed(window: int, sinks: int, q: str = "q") -> str:
    return f"""\
q, k = torch.arange(10.).view(1, 5, 2) % 4 - 1, torch.arange(10.).view(1, 5, 2) % 3 - 1
sliding_window({q}, k, torch.tensor([[[1.], [6.], [2.], [9.], [4.]]]), {window}, {sinks})"""


WINDOWED = (
    _windowed(2, 0),
    _windowed(2, 1),
    _windowed(3, 2),
    _windowed(1, 2),
    _windowed(9, 0),
    _windowed(2, 0, "300 * q"),
)

CACHE = (
    "kv_bytes(10, 3, 2, 5)",
    "kv_bytes(10, 3, 2, 5, 2, 4)",
    "kv_bytes(10, 3, 2, 5, 2, 30)",
    "kv_bytes(10, 3, 2, 5, 0, 4)",
    "kv_bytes(10, 3, 2, 5, 0, 0, 4)",
)
