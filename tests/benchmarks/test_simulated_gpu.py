"""Laws of what only a GPU runs, on a simulated one: it has a GPU's rules, the CPU's numbers, and nobody's speed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.places import ROOT
from tests.support import simulated_cuda

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(simulated_cuda.missing()), reason=simulated_cuda.missing()),
]
START = "from tests.support import simulated_cuda\ndevice = simulated_cuda.register()\nimport torch\n"
CARD = 'CARD, CPU = torch.device("cuda"), torch.device("cpu")\n'


def on_simulated_gpu(script: str, timeout: float = 100) -> str:
    """Return what a script prints that finds a device of type cuda; it runs in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", START + CARD + script],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    return done.stdout


def test_the_device_has_the_rules_of_a_gpu() -> None:
    printed = on_simulated_gpu("""
def attempt(what):
    try:
        print("went well:", what())
    except RuntimeError as error:
        print("error:", error)

x, y = torch.randn(3, 4), torch.randn(4, 5)
attempt(lambda: torch.equal((x.to(CARD) @ y.to(CARD)).cpu(), x @ y))
attempt(lambda: x.to(CARD) @ y)
attempt(lambda: torch.nn.functional.embedding(torch.tensor([1]), x.to(CARD)))
attempt(lambda: torch.empty(2 * device.bytes_in_all(), dtype=torch.uint8, device=CARD))
far, mask = x.to(CARD), (x > 0).to(CARD)
torch.cuda.set_sync_debug_mode("error")
attempt(lambda: far.sum().device)
attempt(lambda: x.to(CARD, non_blocking=True).device)
for waiting in (lambda: far.sum().item(), lambda: x.to(CARD), lambda: far[mask], lambda: mask.nonzero(), far.cpu):
    attempt(waiting)
""")
    lines = printed.splitlines()
    assert lines[0] == "went well: True"
    assert all("error: Expected all tensors to be on the same device" in line for line in lines[1:3])
    assert lines[3].startswith("error: CUDA out of memory")
    assert lines[4:6] == ["went well: cuda:0"] * 2
    assert all(line.startswith("error: called a synchronizing CUDA operation") for line in lines[6:])
    assert len(lines) == 11


@pytest.mark.parametrize("network", ["LSTM", "GRU"])
def test_its_recurrent_networks_are_those_of_the_cpu(network: str) -> None:
    on_simulated_gpu(f"""
import copy
near = torch.nn.{network}(4, 6, num_layers=2, bidirectional=True, batch_first=True)
far = copy.deepcopy(near).to(CARD)
x = torch.randn(2, 5, 4)
results = [(net, net(x.to(where))[0]) for net, where in ((near, CPU), (far, CARD))]
numbers = [[out, *torch.autograd.grad(out.pow(3).sum(), list(net.parameters()))] for net, out in results]
for a, b in zip(*numbers, strict=True):
    torch.testing.assert_close(b.cpu(), a)
""")


def test_a_process_makes_the_batches_of_a_training_ahead() -> None:
    on_simulated_gpu("""
import multiprocessing
from pathlib import Path
from benchmarks.gpu.small_models import small_models

model = small_models()["transformer"]
for device, processes in ((CPU, 0), (CARD, 1)):
    made = model.trainer(Path("unused"), device)
    with made.remaining() as places:
        next(places)
        assert len(multiprocessing.active_children()) == processes
    assert not multiprocessing.active_children()
""")


def test_a_training_goes_on_with_another_device() -> None:
    """What a GPU began a CPU ends, and the other way round, with the weights of one that stayed where it was."""
    on_simulated_gpu("""
from pathlib import Path
from tempfile import TemporaryDirectory
from benchmarks.gpu.small_models import small_models

model = small_models(epochs=2, ema=0.9)["structured"]
with TemporaryDirectory() as folder:
    whole = model.trainer(Path(folder) / "whole", CPU)
    whole.run()
    for first, then in ((CARD, CPU), (CPU, CARD)):
        part = Path(folder) / first.type
        assert model.trainer(part, first, minutes=0.0).run().ended_by_budget
        rest = model.trainer(part, then)
        rest.run()
        assert rest.progress.step == whole.progress.step
        for name, weight in whole.result.state_dict().items():
            torch.testing.assert_close(rest.result.state_dict()[name].cpu(), weight, msg=name)
""")


def test_the_whole_program_of_the_gpu_ends_well(tmp_path: Path) -> None:
    """Every law, every chapter's model trained and scored: what has never run on a card has run on one's rules."""
    printed = on_simulated_gpu(
        f"""
from pathlib import Path
from benchmarks.gpu.__main__ import main
from lab import runs
runs.RUNS = Path({str(tmp_path / "runs")!r})
main(["--quick", "--device", "cuda", "--minutes", "8", "--out", {str(tmp_path / "out")!r}])
""",
        timeout=500,
    )
    assert printed.startswith("simulated GPU")
    rows = json.loads((tmp_path / "out" / "table.json").read_text())
    assert {name: row.get("error") for name, row in rows.items() if row["state"] != "done"} == {}
    waiting = [row["result"] for name, row in rows.items() if "waits for nothing" in name]
    assert waiting == [{"steps": 3}] * len(waiting) != []
