"""Python programs in separate processes, forked from one that has imported torch: that takes two seconds each."""

import atexit
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

# The child goes on below the loop, and ends as any program does: by its exit status, or with a traceback.
SERVER = """
import gc, json, os, runpy, sys
import IPython, jupytext, nbformat, nbgrader.apps, torch
gc.freeze()  # a child that ends does not look through what torch has brought: half a second each
for line in sys.stdin:
    wanted = json.loads(line)
    child = os.fork()
    if not child:
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    sys.exit()
os.chdir(wanted["cwd"])
os.environ.clear()
os.environ.update(wanted["env"])
for number, path in enumerate((os.devnull, wanted["out"], wanted["err"])):
    os.dup2(os.open(path, os.O_RDWR), number)
sys.stdin = open(0)
places = [place for place in os.environ.get("PYTHONPATH", "").split(os.pathsep) if place]
first, *rest = wanted["words"]
sys.orig_argv = [sys.executable, first, *rest]
if first == "-m":
    sys.argv, sys.path[:1] = ["-m", *rest[1:]], [os.getcwd(), *places]
    runpy._run_module_as_main(rest[0])
else:
    sys.argv, sys.path[:1] = [first, *rest], [os.path.dirname(os.path.abspath(first)), *places]
    runpy.run_path(first, run_name="__main__")
"""


@cache
def _server() -> "subprocess.Popen[str]":
    own = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    command = [sys.executable, "-c", SERVER]
    server = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=own | {"OMP_NUM_THREADS": "1"}
    )
    atexit.register(server.communicate)  # which ends its input, and so the loop
    return server


def python(*words: str, cwd: Path, env: Mapping[str, str] = os.environ) -> "subprocess.CompletedProcess[str]":
    """Run `python WORDS`, a module after -m or a script, and return its status and what it printed."""
    server = _server()
    assert server.stdin
    assert server.stdout
    with tempfile.NamedTemporaryFile("r") as out, tempfile.NamedTemporaryFile("r") as err:
        wanted = {"words": words, "cwd": str(cwd), "env": dict(env), "out": out.name, "err": err.name}
        server.stdin.write(json.dumps(wanted) + "\n")
        server.stdin.flush()
        status = int(server.stdout.readline())
        return subprocess.CompletedProcess(words, status, out.read(), err.read())
