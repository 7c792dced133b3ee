"""KaTeX in V8: formulas become HTML or MathML here, for the book's pages and for feedback pages."""

import asyncio
import atexit
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

from py_mini_racer import JSEvalException, MiniRacer

FOLDER = Path(__file__).parent  # also of the style sheet and the fonts that HTML needs; MathML needs neither
FormulaError = JSEvalException  # KaTeX cannot read a formula, or there was no time for it


@cache
def _engine() -> MiniRacer:
    """Return V8 with KaTeX in it, started once."""
    racer = MiniRacer()
    # Else it is closed when Python ends, and may wait for its own thread, which no longer runs then: for ever.
    atexit.register(racer.close)
    racer.eval((FOLDER / "katex.min.js").read_text(encoding="utf8"))
    return racer


def render(formula: str, options: dict[str, Any], seconds: float | None = None) -> str:
    """Return a formula as KaTeX renders it with these of its options; otherwise raise FormulaError.

    Within an event loop, as in formgrader's server, V8 cannot keep time, but in a thread beside it.
    """

    def call() -> str:
        return str(_engine().call("katex.renderToString", formula, options, timeout_sec=seconds))

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return call()
    with ThreadPoolExecutor(1) as thread:  # the engine too is made there: it would wait for the loop that waits for it
        return thread.submit(call).result()
