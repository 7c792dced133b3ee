"""Public examples of the encoder–decoder."""

last_states = (
    "last_states(torch.tensor([[[1., -1.], [2., -2.], [9., 9.]]]), torch.tensor([2]))",
    "last_states(torch.tensor([[[1., -1.], [2., -2.]], [[3., -3.], [4., -4.]]]), torch.tensor([1, 2]))",
    "last_states(torch.tensor([[[1., 2., -1., -2.], [3., 4., -3., -4.]]]), torch.tensor([2]))",
)


def _greedy(starts: str, rows: str, call: str) -> str:
    """Return a call with a model of whole-number logits; state s, word y: the next state is 5s + 7y + 3."""
    table = ", ".join(f"[{', '.join(f'{value}.' for value in row)}, -9., -9.]" for row in rows.split())
    return f"""\
from autograder.kit.table_models import GreedyStep  # a model that remembers the whole prefix
logits = torch.tensor([{table}])
step = GreedyStep(torch.tensor({starts}).numpy(), logits.numpy())
greedy_decode(step, {call})  # eos 0, pad 3, bos 4"""


greedy_decode = (
    _greedy("[2, 1]", "231 312 123", "2, 4, 0, 3, 4"),
    _greedy("[4, 2, 3]", "231 123 321 231 132 123 231", "3, 4, 0, 3, 5"),
    _greedy("[5, 0]", "321 312 123 312 321 231 312", "2, 4, 0, 3, 3"),
)


def _beam(probabilities: str, call: str) -> str:
    """Return a call with a model of two words and eos."""
    return f"""\
from autograder.kit.table_models import BeamStep  # a model that remembers the whole prefix
p = torch.tensor({probabilities})
beam_search(BeamStep(p.log().numpy()), {call})  # bos 3, eos 0"""


beam_search = (
    _beam("[[0.49, 0.22, 0.29], [0.04, 0.71, 0.25], [0.08, 0.32, 0.6]]", "3, 0, 3, 4, 2.0"),
    _beam("[[0.12, 0.5, 0.38], [0.04, 0.47, 0.49], [0.4, 0.14, 0.46]]", "3, 0, 3, 5, 0.0"),
    _beam("[[0.45, 0.26, 0.29], [0.34, 0.52, 0.14], [0.42, 0.33, 0.25]]", "3, 0, 4, 4, 2.0"),
)

repaired_search = (
    """\
table = torch.tensor([[-9., 0., 2., 1.], [0., 0., 0., 0.], [-9., 1., 0., 2.], [-9., 2., 1., 0.]])
repaired_search(table, 0, 1, 2, 4, 1.0)  # bos 0, eos 1""",
    """\
table = torch.tensor([[-9., 2., 1., 0.], [0., 0., 0., 0.], [-9., 1., 2., 0.], [-9., 0., 1., 1.]])
repaired_search(table, 0, 1, 3, 3, 2.0)  # bos 0, eos 1""",
)


def _step(x: str, h: str, W: str, R: str, b: str, c: str, call: str = "gru_step(x, h, W, R, b, c)") -> str:
    """Return a call of a step; a row of W, R, b and c for each gate of each unit: reset, update, new."""
    lines = [f"x, h = torch.tensor({x}), torch.tensor({h})"]
    lines += [f"W, R = torch.tensor({W}), torch.tensor({R})", f"b, c = torch.tensor({b}), torch.tensor({c})"]
    return "\n".join([*lines, call])


_ONE_UNIT = (
    "[[2.]]",
    "[[-0.5]]",
    "[[0.5], [1.], [-0.5]]",
    "[[1.], [2.], [-1.]]",
    "[0., -0.5, 0.5]",
    "[-1., 0., 1.]",
)
_TWO_UNITS = (
    "[[1.]]",
    "[[0.8, -0.4]]",
    "[[0.5], [-1.], [1.], [0.], [0.5], [-0.5]]",
    "[[1., 0.], [0., -1.], [0.5, 1.], [1., 0.5], [1., -1.], [0., 2.]]",
    "[0.2, 0., 0., -0.3, 0.1, 0.]",
    "[0., 0.4, -0.2, 0., 0.6, -0.6]",
)
gru_step = (_step(*_ONE_UNIT), _step(*_TWO_UNITS))
gru_step_backward = tuple(
    _step(*step, f"gru_step_backward(torch.tensor({gradient}), x, h, W, R, b, c)")
    for step, gradient in (
        (_ONE_UNIT, "[[1.]]"),
        (_TWO_UNITS, "[[1., -2.]]"),
        (("[[2.], [1.]]", "[[-0.5], [1.]]", *_ONE_UNIT[2:]), "[[1.], [-1.]]"),
    )
)

shift = (
    "shift(torch.tensor([[5, 6, 7]]), 1, 2, 3)",
    "shift(torch.tensor([[5, 6, 7], [4, 3, 3]]), 1, 2, 3)",
    "shift(torch.tensor([[0, 6, 3, 3], [4, 5, 6, 3]]), 1, 2, 3)",
)
sequence_loss = (
    "sequence_loss(torch.tensor([[[2., 0., 1.], [0., 1., 0.]]]), torch.tensor([[0, 1]]), 2)",
    "sequence_loss(torch.tensor([[[2., 0., 1.], [0., 1., 0.]], [[1., 0., 3.], [1., 3., 0.]]]), "
    "torch.tensor([[0, 1], [1, 2]]), 2)",
    "sequence_loss(torch.tensor([[[0., 2., 1.], [0., 1., 4.], [3., 1., 0.]]]), torch.tensor([[2, 0, 1]]), 1)",
    "sequence_loss(torch.tensor([[[900., 0., 700.], [0., 700., 0.]]]), torch.tensor([[2, 1]]), 0)",
    "sequence_loss(torch.tensor([[[2., 0., 1.], [torch.inf, 0., 0.]]]), torch.tensor([[0, 2]]), 2)",
)
nucleus = (
    "nucleus(torch.tensor([[0.15, 0.4, 0.1, 0.35]]).log(), 0.6)",
    "nucleus(torch.tensor([[0.15, 0.4, 0.1, 0.35]]).log(), 1.0)",
    "nucleus(torch.tensor([[0.1, 0.5, 0.25, 0.15], [0.7, 0.05, 0.2, 0.05]]).log(), 0.8)",
)
