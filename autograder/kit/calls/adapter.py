"""An adapter calls students' code that is no function from tensors to tensors, on behalf of a check."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Adapter:
    """A function `adapter(target, *arguments)` as the source of its module, so that kit and sandbox can run it."""

    name: str
    source: str

    def __call__(self, target: Any, *arguments: Any) -> Any:
        """Call the adapter with the student's object and the arguments of a case; return tensors or numbers."""
        return _module(self.source)[self.name](target, *arguments)


@cache
def _module(source: str) -> dict[str, Any]:
    # As a file of the kit's, so that an error in it is not reported as a line of the student's.
    names: dict[str, Any] = {"__name__": "adapters"}
    exec(compile(source, str(Path(__file__).parent / "adapters of a check"), "exec"), names)
    return names


def adapted(target: Any, adapter: Adapter | None) -> Callable:
    """Return the function to call with the arguments of a case."""
    return (lambda *arguments: adapter(target, *arguments)) if adapter else target
