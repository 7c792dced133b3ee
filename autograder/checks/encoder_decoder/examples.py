"""Public examples of the encoder–decoder."""

STATES = (
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


GREEDY = (
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


BEAM = (
    _beam("[[0.49, 0.22, 0.29], [0.04, 0.71, 0.25], [0.08, 0.32, 0.6]]", "3, 0, 3, 4, 2.0"),
    _beam("[[0.12, 0.5, 0.38], [0.04, 0.47, 0.49], [0.4, 0.14, 0.46]]", "3, 0, 3, 5, 0.0"),
    _beam("[[0.45, 0.26, 0.29], [0.34, 0.52, 0.14], [0.42, 0.33, 0.25]]", "3, 0, 4, 4, 2.0"),
)
