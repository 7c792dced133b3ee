"""Flags what a teacher may want to look at in a submission; read from the source, so they cost no points."""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache

from autograder.submissions.notebook import defined_names, is_parsable, syntax_tree
from autograder.submissions.parse_untrusted import MOST_CELLS

TORCH_ATTENTION = frozenset(
    """
    scaled_dot_product_attention MultiheadAttention multi_head_attention_forward flex_attention flex_decoding
    create_block_mask varlen_attn sdpa_kernel memory_efficient_attention native_multi_head_attention
    Transformer TransformerEncoder TransformerEncoderLayer TransformerDecoder TransformerDecoderLayer
    """.split()
)
# The private functions under torch's own attention; a student's own may be called scaled_dot_product.
UNDER_ATTENTION = re.compile(
    r"_scaled_dot_product_\w+|_(native|triton)_multi_head_attention|_triton_scaled_dot_attention|_fused_sdp_choice"
    r"|_(flash|efficient|cudnn)_attention_(forward|backward)|_transformer_encoder_layer_fwd"
)
MASKED_SOFTMAX = re.compile(
    r"torch\.(masked|sparse)(\._ops)?\.(log_)?soft(max|min)|torch\.masked|(.*\.)?_masked_softmax"
)
INTROSPECTION = frozenset(
    """
    exec eval __import__ _getframe currentframe ctypes socket get_objects get_referrers get_referents __loader__
    __subclasses__ __builtins__ __dict__ __globals__ __code__ __closure__ f_back f_globals f_locals tb_frame
    attrgetter getattr_static import_module
    """.split()
)
INTROSPECTION_MODULES = re.compile(
    r"gc|_?ctypes|cffi|builtins|marshal|unittest\.mock|inspect\.(stack|trace|getouterframes|getinnerframes|getmodule)"
    r"|sys\.(modules|_current_frames|settrace|setprofile|meta_path|path_hooks|addaudithook)|importlib\.reload"
    r"|traceback\.(walk_stack|extract_stack)|types\.(FunctionType|CodeType|ModuleType)"
    r"|torch\.(ops|_C|_VF|_refs|_decomp|_prims|_inductor|library|utils\.cpp_extension)"
)
PROTECTED = re.compile(r"(autograder|solutions|lab|torch|numpy|builtins|sys|inspect|IPython|__main__)\.(?P<rest>.+)")
SETTINGS = re.compile(r"torch\.(backends|_dynamo)\..*|sys\.(stdout|stderr|ps1|ps2|argv|path)|numpy\.random\..*")
LONGEST_CHAIN = 20  # attributes of attributes: each link is resolved again from the chain's beginning
SYSTEM = re.compile(r"(?<![\w.])/(proc|sys)(/|$)")
# Within the functions of these names, what torch does of the task itself. No sandbox can forbid it: torch.func works in
# inference mode too.
GRADIENTS = re.compile(
    r"torch\.(func|autograd|_functorch|enable_grad|set_grad_enabled|inference_mode)(\..*)?|(.*\.)?(backward|requires_grad_?)"
)
GRU = re.compile(r"torch\.(gru|gru_cell|_VF\.gru(_cell)?|nn\.GRU(Cell)?)|(.*\.)?_thnn_fused_gru_cell")
INSTEAD = (
    (re.compile(r"\w+_backward"), GRADIENTS, "gradients by torch"),
    (re.compile(r"gru_step"), GRU, "torch's own GRU"),
)

# What a flag begins with; the name that stands out follows.
OWN_ATTENTION, OWN_SOFTMAX = "torch's own attention: ", "torch's own masked softmax: "
BEHIND, CHANGES, IMPORTS = "looks behind the scenes: ", "changes ", "imports "


@lru_cache(maxsize=MOST_CELLS)
def _cell_flags(source: str, names: frozenset[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return pairs (name, flag) for a cell; a flag does not count where the student defines that name ("": always)."""
    if not is_parsable(source):
        return (("", "a cell is too long to be looked through"),)
    tree = syntax_tree(source)
    if tree is None:
        return ()
    imported = dict(names)
    cell_flags = [
        flag
        for node in ast.walk(tree)
        for flag in (
            *_flags_by_name(node),
            *_flags_by_import(node, imported),
            *_flags_of_changes(node, imported),
            *_flags_of_shortcuts(node, imported),
        )
    ]
    return tuple(dict.fromkeys(cell_flags))


@lru_cache(maxsize=MOST_CELLS)
def _imports(source: str) -> tuple[tuple[str, str], ...]:
    """Return pairs (name, full name) of what a cell imports."""
    tree = syntax_tree(source)
    names: dict[str, str] = {}
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                names[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return tuple(names.items())


def _full_name(node: ast.AST, names: dict[str, str]) -> str | None:
    """Return an expression's full name, `torch.nn.functional.softmax` for `F.softmax`; None where it is no import."""
    attributes: list[str] = []
    while isinstance(node, ast.Attribute) and len(attributes) < LONGEST_CHAIN:
        attributes.append(node.attr)
        node = node.value
    root = names.get(node.id) if isinstance(node, ast.Name) else None
    return ".".join([root, *reversed(attributes)]) if root else None


def flags(sources: list[str]) -> list[str]:
    """Return the flags of the cells of one submission, each once, in the order of the code."""
    own_names = {name for source in sources for name in defined_names(source)}
    names = frozenset(pair for source in sources for pair in _imports(source))
    return list(
        dict.fromkeys(flag for source in sources for name, flag in _cell_flags(source, names) if name not in own_names)
    )


def _flags_by_name(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the flags that the names in a syntax node give by themselves, whatever they stand for."""
    for name in _mentioned_names(node):
        last = name.rpartition(".")[2]
        if last in TORCH_ATTENTION or UNDER_ATTENTION.fullmatch(last):
            yield name if isinstance(node, ast.Name) else "", f"{OWN_ATTENTION}{last}"
        # compile the builtin, not the attribute: re.compile and torch.compile are everyday tools.
        if last in INTROSPECTION or (isinstance(node, ast.Name) and name == "compile"):
            yield "", f"{BEHIND}{last}"
        # The lab searches as the taught functions do; of the grader only the kit is a student's.
        if name.startswith(("solutions.", "lab.decoding")) or re.match(r"autograder\.(?!kit\b)", name):
            yield "", f"{IMPORTS}{name}"
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and (match := SYSTEM.search(node.value)):
        yield "", f"{BEHIND}/{match[1]}"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
        yield from (("", f"{BEHIND}{flag}") for flag in _computed_lookups(node.func.id, node.args))


def _flags_by_import(node: ast.AST, names: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the flags of imported modules and their members, under whatever alias the node uses them."""
    full_names = [name for name in _mentioned_names(node) if "." in name or isinstance(node, ast.Import)]
    if isinstance(node, ast.Attribute | ast.Name) and (resolved := _full_name(node, names)):
        full_names.append(resolved)
    elif "_masked_softmax" in (getattr(node, "value", None), getattr(node, "attr", None)):
        full_names.append("_masked_softmax")
    for name in full_names:
        last = name.rpartition(".")[2]
        if name.startswith("torch.nn.attention") or (name.startswith("torch.") and last in TORCH_ATTENTION):
            yield "", f"{OWN_ATTENTION}{last}"
        if MASKED_SOFTMAX.fullmatch(name):
            yield "", f"{OWN_SOFTMAX}{name}"
        if match := re.match(rf"({INTROSPECTION_MODULES.pattern})(\.|$)", name):
            yield "", f"{BEHIND}{match[1]}"


def _flags_of_changes(node: ast.AST, names: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield a flag for each imported attribute that a statement replaces, by assignment or by setattr."""
    for target in _assigned_attributes(node):
        resolved = _full_name(target, names)
        if resolved and PROTECTED.fullmatch(resolved) and not SETTINGS.fullmatch(resolved) and "." in resolved:
            yield "", f"{CHANGES}{resolved}"


def _assigned_attributes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the attributes that a statement sets or deletes."""
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
        yield node
    elif isinstance(node, ast.Call) and len(node.args) > 1 and getattr(node.func, "id", "") in ("setattr", "delattr"):
        object_node, name = node.args[:2]
        yield ast.Attribute(object_node, str(name.value) if isinstance(name, ast.Constant) else "…", ast.Store())


def _flags_of_shortcuts(node: ast.AST, names: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield a flag for each function that lets torch do what it is to write down."""
    if not isinstance(node, ast.FunctionDef):
        return
    for task, shortcut, description in INSTEAD:
        if task.fullmatch(node.name):
            mentioned = {_full_name(inner, names) or getattr(inner, "attr", "") for inner in ast.walk(node)}
            yield from (("", f"{description}: {name}") for name in sorted(mentioned) if shortcut.fullmatch(name))


def _computed_lookups(function: str, arguments: list[ast.expr]) -> Iterator[str]:
    """Yield descriptions of look-ups whose attribute is only known at run time, by getattr, setattr or vars."""
    root = arguments[0]
    while isinstance(root, ast.Attribute):
        root = root.value
    if isinstance(root, ast.Name) and root.id in ("self", "cls"):  # on self or cls: ordinary code
        return
    if function in ("getattr", "setattr") and len(arguments) > 1 and not isinstance(arguments[1], ast.Constant):
        yield f"{function} with a computed name"
    if function == "vars":
        yield "vars"


def _mentioned_names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        is_attention = node.value in TORCH_ATTENTION - {"Transformer"} or UNDER_ATTENTION.fullmatch(node.value)
        yield from [node.value] if is_attention else []
    elif isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
