"""`python -m solutions.NAME sweep EXPERIMENT`: train and score the runs of an experiment, several at a time."""

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field

from lab.cli.common import UsageError
from lab.evaluation.sweeps import Step, Sweep
from lab.kinds.ranges import Size, demand
from lab.kinds.runs import ROOT, Solution


@dataclass(frozen=True)
class Options:
    """Which runs of the experiment, and how many at a time."""

    seeds: list[int] = field(default_factory=list)
    """by default those of the experiment"""
    jobs: Size = os.cpu_count() or 1
    """runs at a time, one CPU thread each"""
    device: str | None = None
    """cpu, cuda, …; by default a GPU if there is one"""
    commands: bool = False
    """print the runs, and run nothing"""


def sweep_of(sweeps: Mapping[str, Sweep]) -> Callable[[Solution, list[str]], None]:
    """Return the command `sweep` of a chapter with these experiments."""

    def run_sweep(solution: Solution, argv: list[str]) -> None:
        """Train and score every run of an experiment that has no result yet."""
        import tyro

        named, rest = (argv[0], argv[1:]) if argv and not argv[0].startswith("-") else ("", argv)
        listed = "\n".join(f"  {name:<12} {sweep.question}" for name, sweep in sweeps.items())
        options = tyro.cli(
            Options,
            prog=f"python -m solutions.{solution.name} sweep {named or 'EXPERIMENT'}",
            args=rest,
            description=f"{run_sweep.__doc__} The experiments:\n{listed}",
        )
        if named not in sweeps:
            raise UsageError(f"expected one of these experiments, got {named or 'nothing'}\n{listed or '  (none yet)'}")
        demand(options)
        steps = list(sweeps[named].steps(solution, options.seeds))
        if options.commands:
            print("\n".join(written_out(steps, options.device)))
            return
        left = [step for step in steps if not step.is_done]
        print(f"{named}: {len(steps)} runs, {len(steps) - len(left)} of them done", flush=True)
        if failed := carried_out(left, options.jobs, options.device):
            raise UsageError("\n".join([f"{len(failed)} of {len(left)} runs failed:", *failed]))

    return run_sweep


def written_out(steps: Sequence[Step], device: str | None) -> list[str]:
    """Return the commands of the steps as a reader would type them."""
    return [
        " ".join(["python", *command[1:]]) + ("  # done" if step.is_done else "")
        for step in steps
        for command in step.commands(device)
    ]


def carried_out(steps: Sequence[Step], jobs: int, device: str | None) -> list[str]:
    """Carry out the steps, `jobs` at a time; return a line for each that failed."""
    failed = []
    with ThreadPoolExecutor(jobs) as pool:
        waiting = {pool.submit(carry_out, step, device): step for step in steps}
        try:
            for done, future in enumerate(as_completed(waiting), start=1):
                if error := future.result():
                    failed.append(f"  {waiting[future].name}: {error}")
                else:
                    print(f"done: {waiting[future].name} ({done} of {len(steps)})", flush=True)
        except KeyboardInterrupt:  # the terminal has interrupted the running ones, too
            pool.shutdown(cancel_futures=True)
            raise
    return failed


def carry_out(step: Step, device: str | None) -> str:
    """Train and score one run, its output in RUN/seedN/sweep.log; return what went wrong, or nothing."""
    log = step.run.folder / "sweep.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    in_order = os.environ | {"PYTHONUNBUFFERED": "1"}  # an error comes after the lines printed before it
    for command in step.commands(device):
        with log.open("ab") as file:
            done = subprocess.run(command, cwd=ROOT, env=in_order, stdout=file, stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0:
            last = log.read_text("utf-8", errors="replace").rstrip().rpartition("\n")[2]
            return f"{last or f'exit status {done.returncode}'} ({log})"
    return ""
