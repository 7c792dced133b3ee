"""What a name in a student's cells stands for: imported modules and their members, under whatever alias."""

import ast
from functools import lru_cache

from autograder.submissions.notebook import syntax_tree
from autograder.submissions.parse_untrusted import MOST_CELLS

Aliases = dict[str, str]
LONGEST_CHAIN = 20  # attributes of attributes: each link is resolved again from the chain's beginning
LOADERS = ("importlib.import_module", "import_module", "__import__")


@lru_cache(maxsize=MOST_CELLS)
def _cell_aliases(source: str) -> tuple[tuple[str, str], ...]:
    """Return pairs (name, full name) of what a cell imports, and of the variables that it assigns imports to."""
    tree = syntax_tree(source)
    names: Aliases = {}
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Import):
            names |= {alias.asname or alias.name.split(".")[0]: _imported_module(alias) for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Assign) and (full := full_name(node.value, names)):
            names |= {target.id: full for target in node.targets if isinstance(target, ast.Name)}
    return tuple(names.items())


def _imported_module(alias: ast.alias) -> str:
    return alias.name if alias.asname else alias.name.split(".")[0]


def aliases(sources: list[str]) -> Aliases:
    """Return {name: full name} of all that a submission's cells import or assign imports to."""
    return {name: full for source in sources for name, full in _cell_aliases(source)}


def full_name(node: ast.AST, names: Aliases) -> str | None:
    """Return an expression's full name, `torch.nn.functional.softmax` for `F.softmax`; None where it is no import."""
    attributes: list[str] = []
    while isinstance(node, ast.Attribute) and len(attributes) < LONGEST_CHAIN:
        attributes.append(node.attr)
        node = node.value
    root = _root_name(node, names)
    return ".".join([root, *reversed(attributes)]) if root else None


def _root_name(node: ast.AST, names: Aliases) -> str | None:
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Call):
        function = full_name(node.func, names) or (node.func.id if isinstance(node.func, ast.Name) else None)
        if function == "get_ipython":
            return "IPython"
        if function == "getattr" and len(node.args) > 1:
            module, name = full_name(node.args[0], names), _string_constant(node.args[1])
            return f"{module}.{name}" if module and name else None
        return _string_constant(node.args[0]) if function in LOADERS and node.args else None
    if isinstance(node, ast.Subscript) and full_name(node.value, names) == "sys.modules":
        return _string_constant(node.slice)
    return None


def _string_constant(node: ast.AST) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
