"""What a name in a student's cell stands for: modules and what comes from them, under whatever other name."""

import ast
from functools import lru_cache

from autograder.submissions.notebook import parsed
from autograder.submissions.parse_untrusted import MOST_CELLS

Aliases = dict[str, str]
LONGEST_CHAIN = 20  # attributes of attributes: each of them is looked at again from its beginning
LOADERS = ("importlib.import_module", "import_module", "__import__")


@lru_cache(maxsize=MOST_CELLS)
def _of(source: str) -> tuple[tuple[str, str], ...]:
    """Return each name that a cell imports, with its full name, and those that it gives to what is imported."""
    tree = parsed(source)
    names: Aliases = {}
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Import):
            names |= {alias.asname or alias.name.split(".")[0]: _whole(alias) for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Assign) and (full := full_name(node.value, names)):
            names |= {target.id: full for target in node.targets if isinstance(target, ast.Name)}
    return tuple(names.items())


def _whole(alias: ast.alias) -> str:
    return alias.name if alias.asname else alias.name.split(".")[0]


def aliases(sources: list[str]) -> Aliases:
    """Return what the names in a submission's cells stand for."""
    return {name: full for source in sources for name, full in _of(source)}


def full_name(node: ast.AST, names: Aliases) -> str | None:
    """Return what an expression stands for, `torch.nn.functional.softmax` for `F.softmax`; None: nothing imported."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and len(parts) < LONGEST_CHAIN:
        parts.append(node.attr)
        node = node.value
    root = _root(node, names)
    return ".".join([root, *reversed(parts)]) if root else None


def _root(node: ast.AST, names: Aliases) -> str | None:
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Call):
        called = full_name(node.func, names) or (node.func.id if isinstance(node.func, ast.Name) else None)
        if called == "get_ipython":
            return "IPython"
        if called == "getattr" and len(node.args) > 1:
            module, name = full_name(node.args[0], names), _text(node.args[1])
            return f"{module}.{name}" if module and name else None
        return _text(node.args[0]) if called in LOADERS and node.args else None
    if isinstance(node, ast.Subscript) and full_name(node.value, names) == "sys.modules":
        return _text(node.slice)
    return None


def _text(node: ast.AST) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
