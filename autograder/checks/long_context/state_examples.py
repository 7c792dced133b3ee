"""Public examples of attention with a state."""

LINEAR = (
    """\
q, k = torch.tensor([[[1., -1.], [0., 2.], [-2., 1.]]]), torch.tensor([[[2., 0.], [-1., 1.], [0.5, -3.]]])
linear_attention(q, k, torch.tensor([[[1., 0., 2.], [-3., 5., 1.], [4., 2., -6.]]]))""",
)

_STEP = """\
state, total = torch.tensor([[[1., 2., 0.], [-3., 1., 4.]]]), torch.tensor([[2., 3.]])
q, k, v = torch.tensor([[1., -1.]]), torch.tensor([[-0.5, 2.]]), torch.tensor([[6., -2., 1.]])
linear_step({}, q, k, v)"""
STEP = (_STEP.format("state, total"), _STEP.format("0 * state, 0 * total"))

DELTA = (
    """\
state = torch.tensor([[[1., 2., 0.], [-3., 1., 4.]], [[2., 0., 1.], [1., -1., 3.]]])
key, value = torch.tensor([[1., 2.], [-1., 0.5]]), torch.tensor([[6., -2., 1.], [0., 3., 5.]])
delta_step(state, key, value, torch.tensor([0.5, 0.8]))""",
)
