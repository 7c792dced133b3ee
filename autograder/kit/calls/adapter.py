"""An adapter: how a check calls what a student wrote, where that is no function from tensors to tensors."""

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
        """Return what the adapter makes of the student's object and the arguments of a case: tensors or numbers."""
        return _module(self.source)[self.name](target, *arguments)


@cache
def _module(source: str) -> dict[str, Any]:
    # As a file of the kit's: what goes wrong in it is no line of the student's.
    names: dict[str, Any] = {"__name__": "adapters"}
    exec(compile(source, str(Path(__file__).parent / "adapters of a check"), "exec"), names)
    return names


def adapted(target: Any, adapter: Adapter | None) -> Callable:
    """Return what is called with the arguments of a case."""
    return (lambda *arguments: adapter(target, *arguments)) if adapter else target
