"""What a teacher may want to look at in a submission: found in the source, so a hint and never a verdict."""

import ast
from collections.abc import Iterator
from functools import lru_cache

from autograder.opening import MOST_CELLS
from autograder.reading import defined, looked_at, parsed

TORCH_ATTENTION = frozenset(
    [
        "scaled_dot_product_attention",
        "MultiheadAttention",
        "multi_head_attention_forward",
        "flex_attention",
        "Transformer",
        "TransformerEncoder",
        "TransformerEncoderLayer",
        "TransformerDecoder",
        "TransformerDecoderLayer",
        "_native_multi_head_attention",
        "_scaled_dot_product_flash_attention",
    ]
)
BACK_DOORS = frozenset(
    [
        "exec",
        "eval",
        "__import__",
        "_getframe",
        "currentframe",
        "ctypes",
        "socket",
        "get_objects",
        "__loader__",
        "__subclasses__",
        "__builtins__",
        "__dict__",
        "attrgetter",
        "getattr_static",
    ]
)


@lru_cache(maxsize=MOST_CELLS)
def _of(source: str) -> tuple[tuple[str, str], ...]:
    """Return what stands out in a cell, each with the name that excuses it where the student defines that name."""
    if not looked_at(source):
        return (("", "a cell is too long to be looked through"),)
    tree = parsed(source)
    return tuple(dict.fromkeys(said for node in ast.walk(tree) for said in _remarks(node))) if tree else ()


def flags(sources: list[str]) -> list[str]:
    """Return what stands out in the cells of one submission, each once."""
    own = {name for source in sources for name in defined(source)}
    return list(dict.fromkeys(said for source in sources for name, said in _of(source) if name not in own))


def _remarks(node: ast.AST) -> Iterator[tuple[str, str]]:
    for name in _names(node):
        last = name.rpartition(".")[2]
        if last in TORCH_ATTENTION:
            yield name if isinstance(node, ast.Name) else "", f"torch's own attention: {last}"
        # compile the builtin, not the attribute: re.compile and torch.compile are everyday tools.
        if last in BACK_DOORS or (isinstance(node, ast.Name) and name == "compile"):
            yield "", f"looks behind the scenes: {last}"
        if name.startswith(("solutions.", "lab.decoding")):  # the lab searches as the taught functions do
            yield "", f"imports {name}"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
        yield from (("", f"looks behind the scenes: {said}") for said in _looked_up(node.func.id, node.args))


def _looked_up(function: str, arguments: list[ast.expr]) -> Iterator[str]:
    """Yield what a call of getattr, setattr or vars hides: a name that is put together while it runs."""
    root = arguments[0]
    while isinstance(root, ast.Attribute):
        root = root.value
    if isinstance(root, ast.Name) and root.id in ("self", "cls"):  # of one's own class: everyday code
        return
    if function in ("getattr", "setattr") and len(arguments) > 1 and not isinstance(arguments[1], ast.Constant):
        yield f"{function} with a computed name"
    if function == "vars":
        yield "vars"


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Constant) and node.value in TORCH_ATTENTION - {"Transformer"}:
        yield node.value
    elif isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
