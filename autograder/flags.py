"""What a teacher may want to look at in a submission: found in the source, so a hint and never a verdict."""

import ast
from collections.abc import Iterator

from autograder.reading import parsed

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
    ]
)


def flags(sources: list[str]) -> list[str]:
    """Return what stands out in the cells of one submission, each once."""
    found: dict[str, None] = {}
    for source in sources:
        tree = parsed(source)
        for node in ast.walk(tree) if tree else ():
            found |= dict.fromkeys(_remarks(node))
    return list(found)


def _remarks(node: ast.AST) -> Iterator[str]:
    for name in _names(node):
        last = name.rpartition(".")[2]
        if last in TORCH_ATTENTION:
            yield f"torch's own attention: {last}"
        # compile the builtin, not the attribute: re.compile and torch.compile are everyday tools.
        if last in BACK_DOORS or (isinstance(node, ast.Name) and name == "compile"):
            yield f"looks behind the scenes: {last}"
        if name.startswith("solutions."):
            yield f"imports {name}"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("getattr", "setattr"):
        named = node.args[1] if len(node.args) > 1 else None
        if not isinstance(named, ast.Constant):
            yield f"looks behind the scenes: {node.func.id} with a computed name"


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in TORCH_ATTENTION:
        yield node.value
    elif isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
