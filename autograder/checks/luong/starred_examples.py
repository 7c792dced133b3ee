"""Public examples of the starred tasks."""

WEIGHTS = "torch.tensor([[.9, .1, 0.], [.1, .7, .2], [.4, .4, .2], [.1, .3, .6]])"


def _replaced(tokens: str, weights: str, source: str) -> str:
    """Return a call in which unk is 1, and the lexicon has no word for 5 and 7."""
    return f"""\
lexicon = torch.tensor([2, 3, 6, 4, 0, -1, 8, -1, 5])
replaced_unknowns(torch.tensor({tokens}), {weights}, torch.tensor({source}), lexicon, 1)"""


UNKNOWN = (
    _replaced("[4, 1, 8, 2]", WEIGHTS, "[3, 6, 2]"),
    _replaced("[1, 1, 8, 1]", WEIGHTS, "[5, 3, 7]"),
    _replaced("[1, 1, 2, 1]", WEIGHTS, "[4, 3, 8]"),
    _replaced("[2, 8, 1, 3]", WEIGHTS, "[6, 2, 5]"),
    _replaced("[1, 3]", "torch.tensor([[.3, .1, .6], [.1, .7, .2]])", "[2, 8]"),
    _replaced("[1, 1, 1]", "torch.tensor([[.2, .8], [.3, .7], [.8, .2]])", "[2, 3]"),
)


def _windowed(p: str, lengths: str, D: float) -> str:
    """Return a call with six source states, the first ones scoring higher than the others."""
    return f"""\
p, lengths = torch.tensor({p}), torch.tensor({lengths})
h_t = torch.tensor([[[1., .5], [-.5, 1.]], [[.5, 1.], [1., -1.]]])[:len(p), :p.shape[1]]
h_s = torch.tensor([[[2., 0.], [0., 1.], [1., 1.], [-1., 0.], [0., 2.], [2., 1.]]]).expand(len(p), -1, -1)
windowed_attention(h_t, h_s, torch.tensor([[1., 1.], [-.5, .2]]), p, lengths, {D})"""


WINDOWED = (
    _windowed("[[2.25]]", "[6]", 1),
    _windowed("[[2.]]", "[6]", 1),
    _windowed("[[2.25, 3.7]]", "[6]", 2),
    _windowed("[[0.25, 3.75]]", "[4]", 2),
    _windowed("[[1.25, 4.5], [2.75, 0.5]]", "[6, 3]", 2),
)
