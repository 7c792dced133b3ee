"""What a teacher may want to look at in a submission: found in the source, so a hint and never a verdict."""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache

from autograder.submissions.aliases import aliases, full_name
from autograder.submissions.notebook import defined, looked_at, parsed
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
BACK_DOORS = frozenset(
    """
    exec eval __import__ _getframe currentframe ctypes socket get_objects get_referrers get_referents __loader__
    __subclasses__ __builtins__ __dict__ __globals__ __code__ __closure__ f_back f_globals f_locals tb_frame
    attrgetter getattr_static
    """.split()
)
HIDDEN = re.compile(
    r"gc|_?ctypes|cffi|builtins|marshal|unittest\.mock|inspect\.(stack|trace|getouterframes|getinnerframes|getmodule)"
    r"|sys\.(modules|_current_frames|settrace|setprofile|meta_path|path_hooks|addaudithook)|importlib\.reload"
    r"|traceback\.(walk_stack|extract_stack)|types\.(FunctionType|CodeType|ModuleType)"
    r"|torch\.(ops|_C|_VF|_refs|_decomp|_prims|_inductor|library|utils\.cpp_extension)"
)
KEPT = re.compile(r"(autograder|solutions|lab|torch|numpy|builtins|sys|inspect|IPython|__main__)\.(?P<rest>.+)")
SETTINGS = re.compile(r"torch\.(backends|_dynamo)\..*|sys\.(stdout|stderr|ps1|ps2|argv|path)|numpy\.random\..*")
SYSTEM = re.compile(r"(?<![\w.])/(proc|sys)(/|$)")
LOOKUPS = ("getattr", "setattr", "delattr", "vars")


@lru_cache(maxsize=MOST_CELLS)
def _of(source: str, names: frozenset[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return what stands out in a cell, each with the name that excuses it where the student defines that name."""
    if not looked_at(source):
        return (("", "a cell is too long to be looked through"),)
    tree = parsed(source)
    if tree is None:
        return ()
    known = dict(names)
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    remarks = [
        remark
        for node in ast.walk(tree)
        for remark in (*_remarks(node), *_of_full_name(node, known), *_changes(node, known), *_renamed(node, called))
    ]
    return tuple(dict.fromkeys(remarks))


def flags(sources: list[str]) -> list[str]:
    """Return what stands out in the cells of one submission, each once."""
    own = {name for source in sources for name in defined(source)}
    names = frozenset(aliases(sources).items())
    return list(dict.fromkeys(said for source in sources for name, said in _of(source, names) if name not in own))


def _remarks(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield what the words of a piece of code say, whatever they stand for."""
    for name in _names(node):
        last = name.rpartition(".")[2]
        if last in TORCH_ATTENTION or UNDER_ATTENTION.fullmatch(last):
            yield name if isinstance(node, ast.Name) else "", f"torch's own attention: {last}"
        # compile the builtin, not the attribute: re.compile and torch.compile are everyday tools.
        if last in BACK_DOORS or (isinstance(node, ast.Name) and name == "compile"):
            yield "", f"looks behind the scenes: {last}"
        # The lab searches as the taught functions do; of the grader only the kit is a student's.
        if name.startswith(("solutions.", "lab.decoding")) or re.match(r"autograder\.(?!kit\b)", name):
            yield "", f"imports {name}"
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and (place := SYSTEM.search(node.value)):
        yield "", f"looks behind the scenes: /{place[1]}"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
        yield from (("", f"looks behind the scenes: {said}") for said in _looked_up(node.func.id, node.args))


def _of_full_name(node: ast.AST, names: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield what is said of something imported, under whatever name it is called."""
    whole = [name for name in _names(node) if "." in name or isinstance(node, ast.Import)]
    if isinstance(node, ast.Attribute | ast.Name | ast.Call | ast.Subscript) and (full := full_name(node, names)):
        whole.append(full)
    elif "_masked_softmax" in (getattr(node, "value", None), getattr(node, "attr", None)):
        whole.append("_masked_softmax")
    for name in whole:
        last = name.rpartition(".")[2]
        if name.startswith("torch.nn.attention") or (name.startswith("torch.") and last in TORCH_ATTENTION):
            yield "", f"torch's own attention: {last}"
        if MASKED_SOFTMAX.fullmatch(name):
            yield "", f"torch's own masked softmax: {name}"
        if hidden := re.match(rf"({HIDDEN.pattern})(\.|$)", name):
            yield "", f"looks behind the scenes: {hidden[1]}"


def _changes(node: ast.AST, names: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield what a piece of code puts in the place of something that is imported, by assignment or by setattr."""
    for target in _targets(node):
        full = full_name(target, names)
        if full and KEPT.fullmatch(full) and not SETTINGS.fullmatch(full) and "." in full:
            yield "", f"changes {full}"


def _targets(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the attributes that a statement sets or deletes."""
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
        yield node
    elif isinstance(node, ast.Call) and len(node.args) > 1:
        method = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if method.strip("_") not in ("setattr", "delattr"):
            return
        whose, name = node.args[:2]
        if isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", "") not in ("object", "type"):
            whose, name = node.func.value, node.args[0]
        yield ast.Attribute(whose, str(name.value) if isinstance(name, ast.Constant) else "…", ast.Store())


def _renamed(node: ast.AST, called: set[int]) -> Iterator[tuple[str, str]]:
    """Yield what says that getattr and the like are handed on: then nobody sees what they look up."""
    if isinstance(node, ast.Name) and node.id in LOOKUPS and isinstance(node.ctx, ast.Load) and id(node) not in called:
        yield node.id, f"looks behind the scenes: {node.id} under another name"


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
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        known = node.value in TORCH_ATTENTION - {"Transformer"} or UNDER_ATTENTION.fullmatch(node.value)
        yield from [node.value] if known else []
    elif isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
