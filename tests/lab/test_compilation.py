"""Laws of compiling: a compiled model learns the same, and where nothing can be compiled a sentence says so."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from autograder.places import ROOT
from benchmarks.gpu.small_models import BAHDANAU, LUONG, small_models
from lab import compilation
from lab.compilation import CHUNK
from solutions.bahdanau.attention import additive_attention
from solutions.bahdanau.model import Bahdanau, QueryAfter, StepByStep

CPU = torch.device("cpu")
RECURRENT = ("bahdanau", "luong")
MODELS = small_models(ema=0.9)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*RECURRENT, "self_attention"])
def test_a_compiled_model_learns_the_same(name: str, tmp_path: Path) -> None:
    """In a process of its own: no compiler reads what the tests wrap functions with to check their shapes."""
    script = f"""
from pathlib import Path
import torch
from benchmarks.gpu.small_models import small_models
model, ended = small_models(ema=0.9)[{name!r}], []
for compiled in (False, True):
    folder = Path({str(tmp_path)!r}) / str(compiled)
    running = model.trainer(folder, torch.device("cpu"), compiled=compiled, validate=lambda made: 0.0)
    assert running.compiled is compiled
    running.run()
    ended.append(running)
torch.testing.assert_close(ended[1].model.state_dict(), ended[0].model.state_dict(), rtol=1e-3, atol=1e-5)
torch.testing.assert_close(ended[1].result.state_dict(), ended[0].result.state_dict(), rtol=1e-3, atol=1e-5)
counts = torch._dynamo.utils.counters["stats"]
print("compiled", counts["unique_graphs"])
"""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=400
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    assert 1 <= int(done.stdout.split()[-1]) <= 2  # not once more for each length


@pytest.mark.parametrize("name", [*RECURRENT, "luong, with a window"])
def test_a_decoder_that_takes_some_steps_at_a_time_says_the_same(name: str, monkeypatch) -> None:
    monkeypatch.setattr(compilation, "compiled", lambda steps: taken.append(1) or steps)
    taken: list[int] = []
    windowed = replace(LUONG.recipes["small"], attention="local_m", D=1, dropout=0.0)
    model = MODELS[name].build() if name in MODELS else LUONG.build(windowed, 40, 40)
    source, mask = torch.randint(4, 40, (3, 7)), torch.arange(7) < torch.tensor([[7], [4], [1]])
    memory, state = model.encode(source, mask)
    for length in range(1, 2 * CHUNK + 2):
        inputs = torch.randint(4, 40, (3, length))
        model.compiled_steps = False
        once, _, weights = model.decode(inputs, memory, state)
        model.compiled_steps, taken[:] = True, []
        chunked, _, chunked_weights = model.decode(inputs, memory, state)
        torch.testing.assert_close((chunked, chunked_weights), (once, weights))
        assert len(taken) == -(-length // CHUNK)
    model.eval()
    taken.clear()
    model.decode(inputs, memory, state)
    assert not taken  # words that come one by one are not what was compiled


@pytest.mark.parametrize("name", [*RECURRENT, "transformer"])
def test_without_a_compiler_a_training_says_so_and_does_without(name: str, tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(compilation.shutil, "which", lambda _: None)
    made = MODELS[name].trainer(tmp_path, CPU, compiled=True)
    assert not made.compiled
    assert made.run().epoch == made.training.epochs
    assert not compilation.compile_model(made.model, CPU)
    printed = capsys.readouterr().out
    assert printed == "nothing is compiled, the training does without: there is no C++ compiler (g++ or clang++)\n"


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")  # torch's own compiler uses it
def test_what_takes_no_steps_apart_is_compiled_as_a_whole() -> None:
    small, luong = BAHDANAU.recipes["small"], LUONG.recipes["small"]
    whole = [StepByStep(small, 40, 40), QueryAfter(small, 40, 40), LUONG.build(replace(luong, feeding=False), 40, 40)]
    for model in whole:
        assert compilation.compile_model(model, CPU)
        assert model._compiled_call_impl is not None
        assert not model.compiled_steps
    apart = [BAHDANAU.build(small, 40, 40), LUONG.build(luong, 40, 40)]
    for model in apart:
        assert compilation.compile_model(model, CPU)
        assert model.compiled_steps
        assert model._compiled_call_impl is None


def test_a_compiler_that_is_named_is_the_one_that_is_looked_for(monkeypatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert compilation.missing(CPU) == "there is no C++ compiler (no-such-compiler)"


def test_unasked_only_the_steps_of_a_decoder_on_a_gpu_are_compiled(monkeypatch) -> None:
    monkeypatch.setattr(compilation, "missing", lambda _: "")
    small = BAHDANAU.recipes["small"]
    for device in (CPU, torch.device("cuda")):
        steps, handed_in = BAHDANAU.build(small, 40, 40), Bahdanau(small, 40, 40, attend=additive_attention)
        assert compilation.compile_model(steps, device, None) is (device.type == "cuda") is bool(steps.compiled_steps)
        assert not any(compilation.compile_model(model, device, None) for model in (handed_in, MODELS["transformer"]))
