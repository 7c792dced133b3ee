"""A device of type cuda on a machine without one, to try what a GPU would do with the course but for its speed.

`register()` comes before torch is imported. From then on `cuda` is there: the CPU's kernels compute every number,
tensors of two devices do not mix, memory ends, and set_sync_debug_mode("error") finds what would make the host wait.
What only a GPU has is missing: cuDNN, the fused kernels of attention, streams, graphs, and its speed.
"""

import ctypes
import hashlib
import os
import shutil
import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
BUILT = HERE.parents[2] / "build" / "simulated_cuda"


def missing() -> str:
    """Return why there can be no such device here; nothing if there can."""
    if sys.platform != "linux":
        return "the simulated GPU is made for Linux"
    return "" if shutil.which("g++") else "the simulated GPU is compiled by g++, which is not installed"


def torch_folder() -> Path:
    """Return where torch lies, without importing it."""
    spec = find_spec("torch")
    if spec is None or spec.origin is None:
        raise SystemExit("torch is not installed: make setup")
    return Path(spec.origin).parent


def library() -> Path:
    """Return the compiled device, made once for each version of torch and of the source."""
    source, torch = HERE / "device.cpp", torch_folder()
    key = hashlib.sha256(source.read_bytes() + version("torch").encode()).hexdigest()[:16]
    path = BUILT / f"{key}.so"
    if not path.exists():
        BUILT.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}")
        folders = [f"-I{torch}/include", f"-I{torch}/include/torch/csrc/api/include", f"-L{torch}/lib"]
        how = ["-std=c++20", "-O1", "-w", "-shared", "-fPIC"]
        subprocess.run(["g++", *how, *folders, str(source), "-o", str(part), "-lc10", "-ltorch_cpu"], check=True)
        part.rename(path)
    return path


def register() -> ctypes.CDLL:
    """Register the device; return its library, which knows how much memory it has."""
    if "torch" in sys.modules:
        raise RuntimeError("the simulated GPU comes before torch, which looks once for what there is: import it later")
    libraries = [torch_folder() / "lib" / f"lib{name}.so" for name in ("torch_global_deps", "c10", "torch_cpu")]
    for path in libraries:
        ctypes.CDLL(str(path), ctypes.RTLD_GLOBAL)
    device = ctypes.CDLL(str(library()), ctypes.RTLD_GLOBAL)
    for name in ("bytes_used", "bytes_used_at_most", "bytes_in_all"):
        getattr(device, name).restype = ctypes.c_size_t
    _announce(device)
    from tests.support.simulated_cuda import recurrent_cells

    recurrent_cells.register()
    return device


def _announce(device: ctypes.CDLL) -> None:
    """Let torch.cuda say what it would say of a GPU."""
    import torch

    def free_and_all(_: Any = None) -> tuple[int, int]:
        return device.bytes_in_all() - device.bytes_used(), device.bytes_in_all()

    answers = {
        "_lazy_init": lambda: None,
        "is_available": lambda: True,
        "is_initialized": lambda: True,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "get_device_name": lambda _=None: "simulated GPU",
        "is_bf16_supported": lambda including_emulation=True: True,
        "get_rng_state": lambda _=None: torch.zeros(16, dtype=torch.uint8),  # the CPU's kernels draw the CPU's numbers
        "set_rng_state": lambda state, _=None: None,
        "manual_seed_all": lambda _: None,
        "synchronize": lambda _=None: None,
        "empty_cache": lambda: None,
        "max_memory_allocated": lambda _=None: device.bytes_used_at_most(),
        "mem_get_info": free_and_all,
        "set_sync_debug_mode": lambda mode: device.set_waiting_is_an_error(mode in ("error", 2)),
    }
    for name, answer in answers.items():
        setattr(torch.cuda, name, answer)
    torch.backends.cudnn.is_acceptable = lambda _: False
    _teach_storages(torch)


def _teach_storages(torch: Any) -> None:
    """Let storages be copied, as checkpoints and deepcopy do: torch's methods know the devices it was built for."""

    def content(storage: Any) -> Any:
        return torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage, 0, (storage.nbytes(),), (1,))

    def also_on_cuda(method: Any, copied: Any) -> Any:
        return lambda storage: copied(content(storage)).untyped_storage() if storage.is_cuda else method(storage)

    kind = torch.UntypedStorage
    kind.cpu = also_on_cuda(kind.cpu, lambda tensor: tensor.cpu())
    kind.clone = also_on_cuda(kind.clone, lambda tensor: tensor.clone())
