"""An IPython shell without a kernel: it runs a cell and returns the outputs that a notebook would show."""

import ast
import base64
import builtins
import contextlib
import inspect
import io
import sys
import traceback
from collections.abc import Callable
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.formatters import DisplayFormatter
from IPython.core.history import HistoryManager
from IPython.core.interactiveshell import InteractiveShell

from autograder.kit.calls import errors

MAX_OUTPUT = 1_000_000  # characters of a cell's outputs, text and pictures together
# What notebooks show: the first error and the first plot of a process cost a quarter of a second each, the first tensor
# two milliseconds. Once before the fork, not once a worker.
WARM_UP = (
    "1 / 0",
    "import matplotlib.pyplot as plt\nplt.plot([0, 1])\nplt.show()\nplt.close('all')",
    "import torch\ntorch.tensor([0.5, 100.0]), torch.tensor([[1, 2]]), torch.tensor([True]), torch.ones(1, 2, 3)",
    "def unwritten(x):\n    raise NotImplementedError\n\nunwritten(torch.ones(1))",
)
PROMPT = ("In [", ">>> ")  # with which pasted code may begin: `In [1]: x` is Python, too
KINDS = ("text/plain", "image/png", "image/jpeg")


class Outputs:
    """The outputs of the running cell, truncated to MAX_OUTPUT characters."""

    def __init__(self) -> None:
        self.start()

    def start(self, is_shown: bool = True) -> None:
        self.is_shown = is_shown
        self.items: list[dict[str, Any]] = []
        self.remaining = MAX_OUTPUT

    def stream(self, name: str, text: str) -> None:
        if self.remaining <= 0 or not text:
            return
        if len(text) > self.remaining:
            text = text[: self.remaining] + "\n… output cut here: too long\n"
        self.remaining -= len(text)
        last = self.items[-1] if self.items else {}
        if last.get("name") == name:
            last["parts"].append(text)
        else:
            self.items.append({"output_type": "stream", "name": name, "parts": [text]})

    def data(self, kind: str, data: dict[str, Any]) -> None:
        forms = {mime: _as_text(data[mime]) for mime in KINDS if mime in data}
        self.remaining -= sum(map(len, forms.values()))
        if forms and self.remaining > 0:
            self.items.append({"output_type": kind, "data": forms, "metadata": {}})

    def error(self, name: str, value: str, traceback: list[str]) -> None:
        text = "\n".join(traceback)[-20_000:]
        item = {"output_type": "error", "ename": name[:200], "evalue": value[:2000], "traceback": text.split("\n")}
        self.items.append(item)

    def finish(self) -> list[dict[str, Any]]:
        for item in self.items:
            if "parts" in item:
                item["text"] = "".join(item.pop("parts"))
        return self.items


def _as_text(value: Any) -> str:
    return base64.b64encode(value).decode("ascii") if isinstance(value, bytes) else str(value)


OUTPUTS = Outputs()


class Stream(io.TextIOBase):
    """sys.stdout or sys.stderr of the cells."""

    encoding = "utf-8"

    def __init__(self, name: str) -> None:
        self.name = name

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        OUTPUTS.stream(self.name, text)
        return len(text)

    def writable(self) -> bool:
        return True


class _Publisher(DisplayPublisher):
    def publish(self, data: dict[str, Any], *_: Any, **__: Any) -> None:
        OUTPUTS.data("display_data", data)


class _Formatter(DisplayFormatter):
    def format(self, obj: Any, *given: Any, **named: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        return super().format(obj, *given, **named) if OUTPUTS.is_shown else ({}, {})


class _Result(DisplayHook):
    def write_output_prompt(self) -> None:
        pass

    def write_format_data(self, format_dict: dict[str, Any], md_dict: dict[str, Any] | None = None) -> None:
        OUTPUTS.data("execute_result", format_dict)

    def finish_displayhook(self) -> None:
        pass


class Shell(InteractiveShell):
    """IPython's shell with its outputs captured: streams, displayed data, tracebacks."""

    def __init__(self, **options: Any) -> None:
        options |= {"display_pub_class": _Publisher, "displayhook_class": _Result}
        super().__init__(**options)
        self.kept_arguments: dict[str, dict[int, list]] = {}  # of the function that is checked, by the calls' numbers
        self.remote_stubs: dict[str, Callable] = {}  # used in place of functions of these names
        self.colors = "nocolor"
        self.InteractiveTB.set_mode("Context")

    def init_history(self) -> None:
        """Keep no history file: it needs a thread, and threads do not survive the fork."""
        HistoryManager.enabled = False  # pyright: ignore[reportAttributeAccessIssue]
        super().init_history()

    def init_display_formatter(self) -> None:
        self.display_formatter = _Formatter(parent=self)
        self.configurables.append(self.display_formatter)  # pyright: ignore[reportArgumentType]

    def enable_gui(self, gui: str | None = None) -> None:
        """Show plots in the cell, whatever backend a notebook requests."""

    def _showtraceback(self, etype: Any, evalue: Any, stb: list[str]) -> None:
        OUTPUTS.error(getattr(etype, "__name__", str(etype)), str(evalue), stb)

    def transform_cell(self, raw_cell: str) -> str:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return a cell as Python. Plain Python is not searched for magics: the search takes longer than the run."""
        source = raw_cell.strip("\n") + "\n"
        if not source.startswith(PROMPT):
            with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
                compile(source, "<cell>", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
                return source
        return super().transform_cell(raw_cell)

    def showtraceback(self, *given: Any, **named: Any) -> None:
        """Show the traceback of the cell's error, or one line for an unwritten function; nothing without outputs."""
        if not OUTPUTS.is_shown:
            return
        if name := _unwritten(sys.exc_info()[1]):
            text = f"{name} is not written yet."
            OUTPUTS.error("NotImplementedError", text, [f"NotImplementedError: {text}"])
        else:
            super().showtraceback(*given, **named)

    def run(self, source: str, is_shown: bool = True) -> tuple[list[dict[str, Any]], bool]:
        """Run one cell; return its outputs as a notebook file has them, and whether it ran to its end.

        If outputs are not shown, no value, plot or traceback is formatted.
        """
        OUTPUTS.start(is_shown)
        result = self.run_cell(source, store_history=False)
        return OUTPUTS.finish(), bool(result.success)


def _without_cells(getmodule: Callable) -> Callable:
    """Return `inspect.getmodule` with a short cut for tracebacks: a cell's code and frames belong to no module.

    The search for one touches every loaded module; in a fresh fork that copies their pages: 10 ms a frame.
    """

    def without_search(target: Any, _filename: str | None = None) -> Any:
        code = getattr(target, "f_code", target)
        if inspect.iscode(code) and code.co_filename.startswith("<"):
            return None
        return getmodule(target, _filename)

    return without_search


def _no_input(*_: Any) -> str:
    raise EOFError("there is nobody to answer input() while a notebook is graded")


def open_shell() -> Shell:
    """Return this process's shell, with inline plots and captured streams."""
    shell = Shell.instance()
    sys.stdout, sys.stderr = Stream("stdout"), Stream("stderr")
    builtins.input = _no_input
    inspect.getmodule = _without_cells(inspect.getmodule)
    from matplotlib_inline.backend_inline import configure_inline_support

    configure_inline_support(shell, "inline")
    for source in WARM_UP:
        shell.run(source)
    shell.reset(new_session=False, aggressive=False)
    return shell


def _unwritten(error: BaseException | None) -> str:
    """Return the name of the unwritten function that raised an error, "" where the error has another cause.

    To format its frames would take longer than everything that such a notebook computes.
    """
    if type(error) is not NotImplementedError or any(error.args):
        return ""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return frame.f_code.co_name if frame.f_code.co_code in errors.BLANK else ""
