"""The Transformer as it is trained is torch's own, number for number, and the plain one of the taught functions."""

import functools
from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from lab.decode import decoding
from lab.kinds.translation import Trained, vocabularies
from lab.text.batches import collate, source_batch
from lab.text.tokenizers import BOS, EOS, PAD, restore
from lab.train.losses import linear_cross_entropy
from lab.train.training import Progress
from solutions.transformer.attention import (
    cached_heads,
    decoder_layer,
    encoder_layer,
    greedy_cached,
    label_smoothed_loss,
    multi_head_attention,
    pre_norm_stack,
)
from solutions.transformer.fast import FastTransformer
from solutions.transformer.fast_layers import (
    FastAttention,
    FastDecoderLayer,
    FastEncoderLayer,
    PackedPositions,
)
from solutions.transformer.model import TAUGHT, Parts, Transformer, attention_weights, decoding_steps, rate
from solutions.transformer.recipe import Recipe
from tests.lab.test_training import LETTERS

WIDTH, HEADS, INNER = 12, 3, 7
SMALL = Recipe(d_model=6, d_ff=7, heads=2, layers=2, shared=False, dropout=0.0)
LAYER = Recipe(d_model=WIDTH, heads=HEADS, d_ff=INNER, dropout=0.0)
SOURCE, MASK = source_batch([[4, 5, 6, 7], [8], [], [9, 4, 5, 6, 7, 8, 9]])
INPUTS = torch.tensor([[BOS, 4, 5, 6, 7]]).expand(4, -1)
CAUSAL = torch.ones(5, 5, dtype=torch.bool).tril()


def drawn(seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    """Return target and source vectors, and a mask of the source."""
    torch.manual_seed(seed)
    mask = torch.arange(6) < torch.tensor([6, 2, 4, 1])[:, None]
    return torch.randn(4, 5, WIDTH, requires_grad=True), torch.randn(4, 6, WIDTH, requires_grad=True), mask


def shaken(module: nn.Module) -> nn.Module:
    """Give every parameter a number of its own, norms and biases too."""
    for weight in module.parameters():
        nn.init.normal_(weight, std=0.5)
    return module


def assert_same(ours: Tensor, theirs: Tensor, module: nn.Module, other: nn.Module, *inputs: Tensor) -> None:
    """Compare values, and the gradients of one random function of them: of parameters and of inputs."""
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-5)
    some = torch.randn_like(ours)
    names, first = zip(*module.named_parameters(), strict=True)
    second = [dict(other.named_parameters())[name] for name in names]
    gradients = torch.autograd.grad((ours * some).sum(), [*first, *inputs])
    expected = torch.autograd.grad((theirs * some).sum(), [*second, *inputs])
    for gradient, right in zip(gradients, expected, strict=True):
        torch.testing.assert_close(gradient, right, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("masked", [True, False])
def test_attention_is_torchs_multihead_attention(masked: bool) -> None:
    y, x, mask = drawn()
    ours = shaken(FastAttention(LAYER))
    theirs = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
    theirs.load_state_dict(ours.state_dict())
    (q,), (k, v) = ours.project(y, 0, 1), ours.project(x, 1, 3)
    out, weights = ours.attend(q, k, v, mask[:, None, None] if masked else None, need_weights=True)
    right, torch_weights = theirs(y, x, x, key_padding_mask=~mask if masked else None, average_attn_weights=False)
    torch.testing.assert_close(weights, torch_weights, rtol=1e-5, atol=1e-6)
    assert_same(out, right, ours, theirs, y, x)
    taught, _ = multi_head_attention(y, x, x, ours.named(), HEADS, mask[:, None] if masked else None)
    torch.testing.assert_close(out, taught, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("pre_norm", [True, False])
def test_an_encoder_layer_is_torchs(pre_norm: bool) -> None:
    _, x, mask = drawn(1)
    ours = shaken(FastEncoderLayer(replace(LAYER, pre_norm=pre_norm)))
    theirs = nn.TransformerEncoderLayer(WIDTH, HEADS, INNER, 0.0, batch_first=True, norm_first=pre_norm)
    theirs.load_state_dict(ours.state_dict())
    result, right = ours(x, mask[:, None, None]), theirs(x, src_key_padding_mask=~mask)
    assert_same(result[mask], right[mask], ours, theirs, x)
    if not pre_norm:
        taught = encoder_layer(x, ours.named(), HEADS, mask, 1e-5)
        torch.testing.assert_close(result, taught, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("pre_norm", [True, False])
def test_a_decoder_layer_is_torchs(pre_norm: bool) -> None:
    y, x, mask = drawn(2)
    ours = shaken(FastDecoderLayer(replace(LAYER, pre_norm=pre_norm)))
    theirs = nn.TransformerDecoderLayer(WIDTH, HEADS, INNER, 0.0, batch_first=True, norm_first=pre_norm)
    theirs.load_state_dict(ours.state_dict())
    result, _, _ = ours(y, ours.project_memory(x), None, CAUSAL, mask[:, None, None])
    assert_same(result, theirs(y, x, ~CAUSAL, memory_key_padding_mask=~mask), ours, theirs, y, x)
    if not pre_norm:
        taught = decoder_layer(y, x, ours.named(), HEADS, CAUSAL.expand(4, 5, 5), mask[:, None], 1e-5)
        torch.testing.assert_close(result, taught, rtol=1e-5, atol=1e-5)


def test_the_fused_kernel_is_the_same_attention(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a GPU takes, on the CPU: the branch is chosen by the device."""
    y, x, mask = drawn(3)
    module = shaken(FastAttention(LAYER))
    mask = mask.clone()
    mask[2] = False
    (q,), (k, v) = module.project(y, 0, 1), module.project(x, 1, 3)
    expected, _ = module.attend(q, k, v, mask[:, None, None])
    monkeypatch.setattr("solutions.transformer.fast_layers.MATMUL", ())
    result, weights = module.attend(q, k, v, mask[:, None, None])
    assert weights is None
    torch.testing.assert_close(result, expected, rtol=1e-5, atol=1e-5)


def model(kind: type[Transformer] = FastTransformer, seed: int = 7, **changes: object) -> Transformer:
    torch.manual_seed(seed)
    return shaken(kind(replace(SMALL, **changes), 11, 11 if changes.get("shared") else 9)).eval()


EXAMPLES = [([4, 5, 6], [7, 8]), ([9], [4, 5, 6, 8]), ([], [4]), ([9, 4, 5, 6, 7, 8, 10], [])]


@pytest.mark.parametrize("positions", ["sine", "learned", "none"])
@pytest.mark.parametrize("shared", [False, True])
def test_the_plain_model_and_the_fast_one_have_equal_values_and_gradients(shared: bool, positions: str) -> None:
    """Batch 4, target 5, source 8, width 6, two heads of 3, inner width 7; source and target have padding."""
    batch = collate(EXAMPLES)
    real = batch.targets != PAD
    assert not batch.mask.all()
    assert not real.all()
    fast, plain = (model(kind, shared=shared, positions=positions) for kind in (FastTransformer, Transformer))
    assert list(fast.state_dict()) == list(plain.state_dict())
    outputs = [net(batch.source, batch.mask, batch.inputs, real) for net in (fast, plain)]
    assert_same(outputs[0], outputs[1], fast, plain)
    losses = [net.loss(batch, real, 0.1) for net in (fast, plain)]
    assert_same(losses[0], losses[1], fast, plain)


@pytest.mark.parametrize("kind", [FastTransformer, Transformer])
@pytest.mark.parametrize("seed", [9, 12])
def test_the_taught_decoder_says_what_the_cached_one_says(kind: type[Transformer], seed: int) -> None:
    net = model(kind, seed=seed)
    words = restore({"kind": "words", "words": [str(number) for number in range(11)]})
    trained = Trained(net, words, words, {}, Progress())
    for source, _ in EXAMPLES:
        text = " ".join(map(str, source))
        (expected,) = decoding.greedy(net, *source_batch([source]), max_len=7)
        tokens = greedy_cached(*decoding_steps(trained, text), BOS, EOS, 7)
        assert expected.tokens == (tokens[:-1] if tokens[-1] == EOS else tokens)
        assert tokens


def test_a_pre_norm_stack_is_the_fast_encoder_with_pre_norm() -> None:
    net = model(FastTransformer, pre_norm=True)
    x = torch.randn(len(SOURCE), SOURCE.shape[1], SMALL.d_model, requires_grad=True)
    layers = [layer.named() for layer in net.encoder]
    params = {name: torch.stack([layer[name] for layer in layers]) for name in layers[0]}
    norm = net.encoder_norm
    ours = pre_norm_stack(x, params, norm.weight, norm.bias, SMALL.heads, MASK, norm.eps)
    theirs = x
    for layer in net.encoder:
        theirs = layer(theirs, MASK[:, None, None])
    theirs = norm(theirs)
    torch.testing.assert_close(ours[MASK], theirs[MASK], rtol=1e-5, atol=1e-5)
    some = torch.randn_like(ours)[MASK]
    inputs = [x, *net.encoder.parameters(), *norm.parameters()]
    for one, other in zip(*(torch.autograd.grad((y[MASK] * some).sum(), inputs) for y in (ours, theirs)), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)


def test_a_step_of_the_fast_decoder_is_the_taught_one() -> None:
    """What a layer's self-attention keeps and gives is what `cached_heads` keeps and gives."""
    net = model(FastTransformer)
    attention, params = net.decoder[0].self_attn, net.decoder[0].self_attn.named()
    x = torch.randn(4, 5, SMALL.d_model)
    past = torch.stack(attention.project(x[:, :4], 1, 3))
    out, cache = cached_heads(x[:, 4], past, params, SMALL.heads)
    q, k, v = attention.project(x, 0, 3)
    torch.testing.assert_close(cache, torch.stack([k, v]), rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(out, attention.attend(q[:, :, 4:], k, v, None)[0][:, 0], rtol=1e-5, atol=1e-5)


def test_every_part_that_is_handed_in_enters_the_model() -> None:
    """A model of other functions calls each of them: for its loss, its rate and its translation."""
    called = set()

    def noted(function):
        @functools.wraps(function)
        def call(*arguments):
            called.add(function.__name__)
            return function(*arguments)

        return call

    parts = Parts(*map(noted, vars(TAUGHT).values()))
    net = Transformer(SMALL, 11, 9, parts)
    batch = collate(EXAMPLES)
    net.loss(batch, batch.targets != PAD, 0.1)
    assert called == set(vars(TAUGHT)) - {"multi_head_attention"}  # the layers call their own
    called.clear()
    net.encode(SOURCE, MASK)
    assert called == {"positional_encoding", "make_masks", "encoder_layer"}
    net.attention_weights(SOURCE, MASK, INPUTS)
    assert "multi_head_attention" in called
    own = rate(replace(SMALL, warmup_steps=10), noam_rate=lambda step, *rest: -step)
    assert own is not None
    assert own(3, 100) == -4


@pytest.mark.parametrize("pre_norm", [True, False])
def test_leaving_padding_out_changes_no_score_and_no_gradient(pre_norm: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    real = torch.ones_like(INPUTS, dtype=torch.bool)
    net, same = model(pre_norm=pre_norm), model(pre_norm=pre_norm)
    packed = PackedPositions.of(MASK)
    assert packed is not None
    assert packed.at.tolist() == MASK.flatten().nonzero()[:, 0].tolist()
    without = net(SOURCE, MASK, INPUTS, real)
    monkeypatch.setattr(PackedPositions, "of", lambda mask: None)
    assert_same(without, same(SOURCE, MASK, INPUTS, real), net, same)


def test_the_weights_of_a_text_have_a_row_for_each_piece() -> None:
    source, target = vocabularies(LETTERS, replace(SMALL, vocabulary=0))
    net = FastTransformer(SMALL, len(source), len(target)).eval()
    trained = Trained(net, source, target, {}, Progress())
    every = attention_weights(trained, "a b c", "c b")
    assert {use: tuple(weights.shape) for use, weights in every.items()} == {
        "encoder": (2, 2, 4, 4),
        "decoder": (2, 2, 2, 2),
        "cross": (2, 2, 2, 4),
    }
    torch.testing.assert_close(every["cross"][-1].mean(dim=0), trained.attention("a b c", "c b"))


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_loss_in_blocks_is_cross_entropy(smoothing: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.train.losses.ROWS", {"cpu": 4})
    torch.manual_seed(0)
    features = torch.randn(11, 5, dtype=torch.float64, requires_grad=True)
    weight = (3 * torch.randn(13, 5, dtype=torch.float64)).requires_grad_()
    targets = torch.randint(0, 13, (11,))
    result = linear_cross_entropy(features, weight, targets, smoothing)
    right = functional.cross_entropy(features @ weight.T, targets, label_smoothing=smoothing)
    torch.testing.assert_close(result, right)
    for ours, theirs in zip(*(torch.autograd.grad(2 * x, (features, weight)) for x in (result, right)), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_the_models_loss_is_that_of_its_scores() -> None:
    net = model(shared=True)
    batch = collate([([4, 5, 6], [7, 8]), ([9], [4, 5, 6, 10])])
    real = batch.targets != PAD
    scores = net(batch.source, batch.mask, batch.inputs, real)
    right = functional.cross_entropy(scores, batch.targets[real], label_smoothing=0.1)
    whole = torch.zeros(*real.shape, 11).index_put((real,), scores)
    taught = label_smoothed_loss(whole, batch.targets, 0.1, PAD)
    loss = net.loss(batch, real, 0.1)
    torch.testing.assert_close(loss, right)
    torch.testing.assert_close(loss, taught)
    gradients = [torch.autograd.grad(x, list(net.parameters()), retain_graph=True) for x in (loss, right, taught)]
    for ours, theirs, of_taught in zip(*gradients, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(ours, of_taught, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("kernels", [("cpu",), ()], ids=["matmul", "fused"])
def test_fully_masked_queries_get_zero_context(
    dtype: torch.dtype, kernels: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solutions.transformer.fast_layers.MATMUL", kernels)
    y, x, mask = drawn()
    y, x = y.detach().to(dtype), x.detach().to(dtype)
    mask[2] = False
    module = shaken(FastAttention(LAYER)).to(dtype)
    (q,), (k, v) = module.project(y, 0, 1), module.project(x, 1, 3)
    out, _ = module.attend(q, k, v, mask[:, None, None])
    weights = module.attend(q, k, v, mask[:, None, None], need_weights=True)[1]
    assert torch.isfinite(out).all()
    torch.testing.assert_close(out[2], module.out_proj.bias.expand(5, -1))
    out.float().sum().backward()
    assert all(torch.isfinite(weight.grad).all() for weight in module.parameters())
    assert (weights[2] == 0).all()
