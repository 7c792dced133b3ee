"""Public examples of Luong's functions."""

TARGETS = "torch.tensor([[[1., 2.], [0., 1.]], [[2., -1.], [1., 1.]]])"
SOURCES = "torch.tensor([[[3., 1.], [0., 2.]], [[1., 0.], [-1., 2.]]])"

dot_score = (
    "dot_score(torch.tensor([[[1., 2.]]]), torch.tensor([[[3., 1.]]]))",
    f"h_t = {TARGETS}\nh_s = {SOURCES}\ndot_score(h_t, h_s)",
)

general_score = (
    "general_score(torch.tensor([[[1., 2.]]]), torch.tensor([[[3., 1.]]]), torch.tensor([[0., 1.], [1., 1.]]))",
    f"h_t = {TARGETS}\nh_s = {SOURCES}\ngeneral_score(h_t, h_s, torch.tensor([[0., 1.], [-1., 2.]]))",
)

concat_score = (
    """\
h_t, h_s = torch.tensor([[[0.5]]]), torch.tensor([[[0.], [-1.]]])
concat_score(h_t, h_s, torch.tensor([[1., 2.]]), torch.tensor([2.]))""",
    f"""\
h_t = {TARGETS}
h_s = {SOURCES}
W_a, v_a = torch.tensor([[0.5, 0., 0.2, -0.3], [0.1, -0.4, 0., 0.6]]), torch.tensor([1., -2.])
concat_score(h_t, h_s, W_a, v_a)""",
)


def _state(scale: float, mask: str) -> str:
    """Return a call in which all sizes are 2: what a wrong size would betray elsewhere runs here, and gives numbers."""
    return f"""\
h_t, h_s = torch.tensor([[1., 2.], [0., 1.]]), torch.tensor([[[0.5, 1.], [0., -1.]], [[1., 0.], [-1., 2.]]])
W_a = {scale} * torch.tensor([[0., 1.], [0.5, 0.3]])
W_c = torch.tensor([[0.2, 0.1, -0.3, 0.4], [0.5, -0.2, 0.1, 0.3]])
attentional_state(h_t, h_s, W_a, W_c, {mask})"""


def _one_state(mask: str) -> str:
    """Return a call with one sentence of two words."""
    return f"""\
h_t, h_s = torch.tensor([[1., 2.]]), torch.tensor([[[0.5, 1.], [0., -1.]]])
W_a, W_c = torch.tensor([[0., 1.], [0.5, 0.]]), torch.tensor([[0.5, 0., 1., 0.], [0., 1., 0., -0.5]])
attentional_state(h_t, h_s, W_a, W_c, {mask})"""


MASK = "torch.tensor([[True, False], [True, True]])"
FIRST = "torch.tensor([[True, False]])"

attentional_state = (
    _one_state("None"),
    _one_state(FIRST),
    _state(1.0, "None"),
    _state(1.0, MASK),
    _state(1.0, "torch.tensor([[False, True], [False, True]])"),
    _state(60.0, "torch.tensor([[False, True], [True, False]])"),
    _state(-60.0, MASK),
)


def local(function: str) -> tuple[str, ...]:
    """Return the examples of a function that is called as local_p_weights is."""

    def code(h_t: str, lengths: str, D: float) -> str:
        return f"""\
h_t, lengths = torch.tensor({h_t}), torch.tensor({lengths})
h_s = torch.tensor([[[1., 0.], [0., 1.], [1., 1.], [-1., 0.], [0., 2.], [2., 1.]]]).expand(len(h_t), -1, -1)
W_a, W_p, v_p = torch.tensor([[0., 1.], [-0.5, 0.2]]), torch.tensor([[1., 0.5], [0., -1.]]), torch.tensor([1., 0.5])
{function}(h_t, h_s, W_a, W_p, v_p, lengths, {D})"""

    return (
        code("[[1., 0.5]]", "[6]", 3),
        code("[[1., 0.5], [-1., 0.4]]", "[4, 6]", 3),
        code("[[0., 0.]]", "[6]", 1.5),
        code("[[0., 0.]]", "[6]", 2),
    )


def _fed(scale: float, mask: str) -> str:
    return f"""\
emb, enc = torch.tensor([[[1.], [-0.5]], [[0.2], [1.]]]), {scale} * torch.tensor([[[1., 0.5], [-1., 2.]]] * 2)
h0, W_x = torch.tensor([[0.3, -0.6], [0.5, 0.2]]), torch.tensor([[1., 0.5, -1.], [0.3, 1., 0.6]])
W_h, W_c = torch.tensor([[0., 1.], [-0.5, 0.8]]), torch.tensor([[1., -1., 0.5, 0.2], [0.1, 1., 0.7, -1.]])
input_feeding(emb, h0, enc, W_x, W_h, W_c, {mask})"""


def _fed_once(mask: str) -> str:
    """Return a call with one sentence of two words, and two steps."""
    return f"""\
emb, enc, h0 = torch.tensor([[[1.], [-1.]]]), torch.tensor([[[1., 0.], [0., 2.]]]), torch.tensor([[0.5, -0.5]])
W_x, W_h = torch.tensor([[1., 0.5, 0.], [0., 1., -1.]]), torch.tensor([[0., 1.], [-0.5, 0.]])
W_c = torch.tensor([[1., 0., 0.5, 0.], [0., 1., 0., -1.]])
input_feeding(emb, h0, enc, W_x, W_h, W_c, {mask})"""


input_feeding = (
    _fed_once("None"),
    _fed_once(FIRST),
    _fed(1.0, "None"),
    _fed(1.0, MASK),
    _fed(1.0, "torch.tensor([[False, True], [False, True]])"),
    _fed(90.0, "torch.tensor([[False, True], [True, False]])"),
    _fed(-90.0, MASK),
    _fed(90.0, MASK),
    _fed(-90.0, "torch.tensor([[False, True], [True, False]])"),
)

WEIGHTS = "torch.tensor([[.9, .1, 0.], [.1, .7, .2], [.4, .4, .2], [.1, .3, .6]])"


def _replaced(tokens: str, weights: str, source: str) -> str:
    """Return a call in which unk is 1, and the lexicon has no word for 5 and 7."""
    return f"""\
lexicon = torch.tensor([2, 3, 6, 4, 0, -1, 8, -1, 5])
replaced_unknowns(torch.tensor({tokens}), {weights}, torch.tensor({source}), lexicon, 1)"""


replaced_unknowns = (
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


windowed_attention = (
    _windowed("[[2.25]]", "[6]", 1),
    _windowed("[[2.]]", "[6]", 1),
    _windowed("[[2.25, 3.7]]", "[6]", 2),
    _windowed("[[0.25, 3.75]]", "[4]", 2),
    _windowed("[[1.25, 4.5], [2.75, 0.5]]", "[6, 3]", 2),
)

local_p_weights = local("local_p_weights")
repaired_weights = local("repaired_weights")
