"""Properties, speeds and full trainings on a GPU, in steps: python -m benchmarks.gpu --minutes 9 --out DIR.

Each call resumes in the last one's folder, and ends with a table of what is done and what is next.
"""

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

import torch

from benchmarks import complexity
from benchmarks.gpu import properties, speed, trainings
from benchmarks.gpu.table import Job, Row, Setting, Table
from lab.train.budget import Budget
from lab.train.devices import best_device, device_name


def all_jobs(quick: bool) -> list[Job]:
    """Return the jobs in their order."""
    figures = [Job("speed: layers over length and width", layers, 60.0)]
    return [*properties.jobs(), *speed.jobs(quick), *trainings.jobs(quick), *([] if quick else figures)]


def layers(setting: Setting) -> Row:
    """Measure the layers of the table of complexities on this device."""
    return {"file": complexity.main(7, setting.device, setting.out / "results" / "self_attention").name}


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.gpu", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=9.0, help="time of this call, by default %(default)g")
    parser.add_argument("--out", type=Path, default=Path("build/gpu"), help="folder to go on in, %(default)s")
    parser.add_argument("--device", help="cpu, cuda, …; by default a GPU if there is one")
    parser.add_argument("--quick", action="store_true", help="everything small, to see that it works")
    parser.add_argument("--again", action="store_true", help="do what has failed once more")
    parser.add_argument("--only", default="", help="only jobs whose names this regular expression finds")
    parser.add_argument("--list", action="store_true", help="print the table, and do nothing")
    options = parser.parse_args(argv)
    device = torch.device(options.device) if options.device else best_device()
    jobs = [job for job in all_jobs(options.quick) if re.search(options.only, job.name)]
    table = Table.of(options.out)
    if not options.list:
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False  # fp32 is fp32
        print(f"{device_name(device)}, torch {torch.__version__}, {options.minutes:g} minutes, {options.out}")
        table.run(jobs, Setting(device, options.out, Budget.of(options.minutes), options.quick), options.again)
    print(table.text(jobs))
    if any(table.state(job) == "failed" for job in jobs):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
