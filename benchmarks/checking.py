"""How long a student waits for `check`: a right function in the unpacked kit, in a process of its own."""

import statistics
import subprocess
import sys
import zipfile
from pathlib import Path

from autograder.places import KIT, ROOT

FUNCTION, RUNS = "bahdanau.additive_attention", 3
PROGRAM = f"""\
import contextlib, io, sys, time
import torch
exec(sys.stdin.read(), globals())
for _ in range(2):
    began = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        from autograder.kit import check
        check("{FUNCTION}", globals())
    print(time.perf_counter() - began)
assert "✓" in shown.getvalue(), shown.getvalue()
"""


def seconds(folder: Path) -> tuple[float, float]:
    """Return the seconds of the first `check` of a right function after torch is imported, and of the second."""
    with zipfile.ZipFile(KIT.with_suffix(".zip")) as kit:
        kit.extractall(folder / "kit")
    (place,) = (folder / "kit").iterdir()
    source = (ROOT / "solutions" / "bahdanau" / "attention.py").read_text("utf-8")
    runs = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            input=source,
            cwd=place / "kit",
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            env={},
        ).stdout.split()
        for _ in range(RUNS)
    ]
    first, again = (statistics.median(float(run[number]) for run in runs) for number in (0, 1))
    return first, again
