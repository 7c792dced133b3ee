"""What test_distributed runs under torchrun: a training whose second process is killed after the first epoch."""

import argparse
import os
import signal
from pathlib import Path

import torch

from benchmarks.gpu.small_models import small_models
from lab.cli.common import UsageError, fail, joint_failure
from lab.distributed import here, part_ways


def main(folder: Path, kill: bool) -> None:
    running = small_models(epochs=3)["bahdanau"].trainer(folder, torch.device("cpu"))
    whole = running.epoch

    def epoch(*given) -> None:
        if kill and here().rank == 1 and running.progress.epoch == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        whole(*given)

    running.epoch = epoch
    try:
        with joint_failure(here()):
            running.run()
    except UsageError as error:
        fail(str(error))
    part_ways()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.support.killed_process", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kill", action="store_true")
    arguments = parser.parse_args()
    main(arguments.folder, arguments.kill)
