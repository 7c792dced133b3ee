"""Tests of the gradient of a batch: however the batch is cut, it is the same; memory that is too small is reported."""

from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor

from benchmarks.gpu.small_models import small_models
from lab.kinds.language import Lines
from lab.kinds.ranges import RecipeError
from lab.text.batches import Batch, collate, filled_up
from lab.text.tokenizers import PAD
from lab.train.cuda_graphs import CudaGraphs, Recorded, is_recordable
from lab.train.training import Trainer
from solutions.bahdanau.attention import additive_attention
from solutions.bahdanau.model import Bahdanau, StepByStep
from solutions.encoder_decoder.attention import last_states
from solutions.encoder_decoder.model import EncoderDecoder
from solutions.encoder_decoder.plain import PlainEncoderDecoder
from solutions.luong.attention import attentional_state
from solutions.luong.model import Luong
from solutions.transformer.model import Transformer

CPU = torch.device("cpu")
MODELS = small_models()


def gradients(running: Trainer, group: list) -> dict[str, Tensor]:
    running.gradient(group)
    return {name: weight.grad.clone() for name, weight in running.model.named_parameters() if weight.grad is not None}


def running(name: str, folder: Path, **more: int) -> Trainer:
    return MODELS[name].trainer(folder, CPU, **more)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("micro_tokens", [1, 50])
def test_the_gradient_of_pieces_is_that_of_the_whole_batch(name: str, micro_tokens: int, tmp_path: Path) -> None:
    whole, pieces = running(name, tmp_path), running(name, tmp_path, micro_tokens=micro_tokens)
    group = max(whole.task.groups(1), key=len)
    cut = list(pieces.gradient.pieces(group))
    assert [example for piece in cut for example in piece] == group
    assert len(cut) == (len(group) if micro_tokens == 1 else 3)
    first, second = (each.gradient(group) for each in (whole, pieces))
    torch.testing.assert_close(second, first, rtol=1e-5, atol=0)
    torch.testing.assert_close(gradients(pieces, group), gradients(whole, group), rtol=1e-3, atol=1e-6)


def test_too_little_memory_is_an_error_that_says_which_pieces_to_ask_for(tmp_path: Path, monkeypatch) -> None:
    def full(*_: object) -> Tensor:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has …")

    small = running("bahdanau", tmp_path, micro_tokens=50)
    monkeypatch.setattr(small.task, "loss", full)
    with pytest.raises(RecipeError, match=r"for 50 tokens at a time \(CUDA out of memory\).*--micro-tokens 25"):
        small.gradient([([4, 5], [6])] * 5)


@pytest.mark.parametrize("name", MODELS)
def test_what_is_counted_of_a_batch_is_what_its_tables_hold(name: str) -> None:
    task = MODELS[name].task
    for group in task.groups(1):
        batch = task.collate(group)
        predicts = isinstance(batch, Batch | Lines)  # tokens, where a classifier has one label a text
        table = batch.targets if predicts else batch.tokens
        real = table != PAD
        assert task.units(group) == real.sum()
        assert task.weight(group) == (real.sum() if predicts else len(table))
        assert not any((each[..., -1] == PAD).all() for each in batch[: 3 if isinstance(batch, Batch) else 2])


TRANSLATORS = ("encoder_decoder", "bahdanau", "luong", "transformer")


@pytest.mark.parametrize("name", TRANSLATORS)
def test_a_batch_that_is_filled_up_has_the_same_loss_and_gradient(name: str) -> None:
    """Also where the padding is told from the targets, not by the real positions."""
    batch = collate(
        [([4 + (i * j) % 30 for j in range(9 - i)], [5 + i + j for j in range(14 - 3 * i)]) for i in range(5)]
    )
    filled = filled_up(batch)
    assert (filled.source.shape, filled.targets.shape) == ((8, 12), (8, 16))
    model = MODELS[name].build()
    losses = model.loss(batch, batch.targets != PAD, 0.1), model.loss(filled, None, 0.1)
    torch.testing.assert_close(losses[1], losses[0])
    expected, got = (torch.autograd.grad(loss, list(model.parameters()), allow_unused=True) for loss in losses)
    torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-6)


@pytest.fixture
def graphs_on_a_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Record with graphs that call the recorded function again, on the tensors that it was recorded with."""

    def record(graphs: CudaGraphs, batch: Batch) -> Recorded:
        there = graphs.sent(batch)
        loss = graphs.gradient(there).clone()
        return Recorded(SimpleNamespace(replay=lambda: loss.copy_(graphs.gradient(there))), there, loss)

    monkeypatch.setattr(CudaGraphs, "record", record)
    monkeypatch.setattr(Tensor, "pin_memory", lambda tensor: tensor)
    monkeypatch.setattr("lab.train.training.is_recordable", lambda *_: True)


@pytest.mark.usefixtures("graphs_on_a_cpu")
def test_recorded_kernels_give_each_batch_its_own_loss_and_gradient(tmp_path: Path) -> None:
    plain, recorded = running("bahdanau", tmp_path, recorded=False), running("bahdanau", tmp_path)
    assert plain.gradient.graphs is running("bahdanau", tmp_path, micro_tokens=50).gradient.graphs is None
    graphs = recorded.gradient.graphs
    assert graphs is not None
    groups = [[([4, 5, word], [word, 7])] * 3 for word in (8, 9, 10)] + [[([4] * 9, [5] * 9)]]
    losses: list[tuple[Tensor, Tensor]] = []
    for group in groups * 2:
        torch.testing.assert_close(gradients(recorded, group), gradients(plain, group), rtol=1e-3, atol=1e-6)
        losses.append((graphs(collate(group)), plain.gradient(group)))
    torch.testing.assert_close(*zip(*losses, strict=True))
    assert len(graphs.recorded) == 2  # shapes


def test_only_a_model_that_calls_nothing_handed_in_is_recorded_and_only_in_single_precision_on_a_gpu() -> None:
    gpu = torch.device("cuda")
    recipes = {name: MODELS[name].recipe for name in TRANSLATORS}
    for name in TRANSLATORS:
        model = MODELS[name].build()
        assert is_recordable(model, gpu, bf16=False)
        assert not is_recordable(model, gpu, bf16=True)
        assert not is_recordable(model, CPU, bf16=False)
    handed_in = [
        EncoderDecoder(recipes["encoder_decoder"], 40, 40, lambda *given: last_states(*given)),
        PlainEncoderDecoder(recipes["encoder_decoder"], 40, 40),
        Bahdanau(recipes["bahdanau"], 40, 40, attend=additive_attention),
        StepByStep(recipes["bahdanau"], 40, 40),
        Luong(recipes["luong"], 40, 40, attentional_state),
        Transformer(recipes["transformer"], 40, 40),
    ]
    assert not any(is_recordable(model, gpu, bf16=False) for model in handed_in)
