"""What is done and what is next: a table of jobs that every call continues, written after each job."""

import json
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from lab.evaluation.result_files import commit, versions, write_json
from lab.train.budget import Budget
from lab.train.devices import device_name

Row = dict[str, Any]


class Unfinished(Exception):
    """A job that the time was too short for; the next call continues it. The message says how far it is."""


@dataclass(frozen=True)
class Setting:
    """Where the jobs run, where they write, and how long they may take."""

    device: torch.device
    out: Path
    budget: Budget
    quick: bool = False  # everything small: the same way in minutes


@dataclass(frozen=True)
class Job:
    """One thing to measure or to train; what it returns stands in the table."""

    name: str
    work: Callable[[Setting], Row]
    seconds: float = 20.0  # with less time left it is not begun


@dataclass
class Table:
    """The state of every job, in the file table.json of a folder."""

    path: Path
    rows: dict[str, Row] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: Path) -> "Table":
        """Return the table of a folder, an empty one if there is none."""
        path = folder / "table.json"
        return cls(path, json.loads(path.read_text(encoding="utf-8")) if path.exists() else {})

    def state(self, job: Job) -> str:
        return self.rows.get(job.name, {}).get("state", "to do")

    def note(self, job: Job, state: str, started: float, **more: Any) -> None:
        """Write a job's row, and with it the whole table."""
        spent = self.rows.get(job.name, {}).get("seconds", 0.0) + time.monotonic() - started
        self.rows[job.name] = {"state": state, "seconds": round(spent, 1), **more}
        write_json(self.path, self.rows)

    def run(self, jobs: Sequence[Job], setting: Setting, again: bool = False) -> None:
        """Do what is not done, in this order, until the time is over; `again` also what has failed."""
        for job in jobs:
            if self.state(job) == "done" or (self.state(job) == "failed" and not again):
                continue
            if setting.budget.left < job.seconds:
                print(f"the time is over; next: {job.name}, with {job.seconds:g} s or more", flush=True)
                return
            self.carry_out(job, setting)

    def carry_out(self, job: Job, setting: Setting) -> None:
        """Do one job and write down what came of it: a failure is a row like others, and the next job is begun."""
        print(f"{job.name} …", flush=True)
        about = {"device": device_name(setting.device), "commit": commit(), "versions": versions()}
        started = time.monotonic()
        try:
            result = job.work(setting)
        except Unfinished as reason:
            self.note(job, "begun", started, reached=str(reason), **about)
        except Exception as error:  # whatever it was, the other jobs are worth their time
            setting.out.mkdir(parents=True, exist_ok=True)
            with (setting.out / "failures.txt").open("a", encoding="utf-8") as file:
                file.write(f"{job.name}\n{traceback.format_exc()}\n")
            self.note(job, "failed", started, error=f"{type(error).__name__}: {error}"[:500], **about)
        else:
            self.note(job, "done", started, result=result, **about)
        print(f"  {line(job.name, self.rows[job.name])}", flush=True)

    def text(self, jobs: Sequence[Job]) -> str:
        """Return a line for each job."""
        return "\n".join(line(job.name, self.rows.get(job.name, {"state": "to do"})) for job in jobs)


def line(name: str, row: Row) -> str:
    """Return the outcome of a job in one line."""
    result = row.get("result", {})
    words = [f"{key} {value:.4g}" if isinstance(value, float) else f"{key} {value}" for key, value in result.items()]
    more = row.get("error") or row.get("reached") or ", ".join(words)
    seconds = f"{row['seconds']:7.1f} s" if "seconds" in row else " " * 9
    return f"{row['state']:<6}{seconds}  {name:<48} {more}".rstrip()
