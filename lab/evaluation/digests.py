"""What a result's scores depend on, in two digests: while both are as they were, nothing has to be scored again."""

import ast
import functools
import hashlib
import json
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lab.corpora import Labelled, Parallel, Text
from lab.kinds.runs import ROOT

SCORES_NOTHING = {"digests", "evaluate", "linear_baseline", "pins", "result_files", "small_pins", "sweeps"}
SCORER = ROOT / "solutions" / "scorer.sha256"  # of the code that all kept results were last scored by


@functools.cache
def scorer_digest() -> str:
    """Return a digest of the code that scores, whatever its comments and docstrings say, and of sacreBLEU's version."""
    here = {path for path in Path(__file__).parent.glob("[!_]*.py") if path.stem not in SCORES_NOTHING}
    files = here | {ROOT / "lab" / "metrics.py"}
    return hashlib.sha256(repr([version("sacrebleu"), _trees(files)]).encode()).hexdigest()


def syntax_digest(files: Iterable[Path]) -> str:
    """Return a digest of some code, whatever its comments and docstrings say."""
    return hashlib.sha256(repr(_trees(files)).encode()).hexdigest()


def _trees(files: Iterable[Path]) -> list[tuple[str, Any]]:
    return [(file.name, _syntax(ast.parse(file.read_bytes()))) for file in sorted(files)]


def references_digest(corpus: Parallel | Labelled | Text) -> str:
    """Return a digest of the test sets of a corpus."""
    return _digest(corpus.name, tuple((split, tuple(items)) for split, items in corpus.tests.items()))


@functools.lru_cache(maxsize=8)  # most results share their references
def _digest(*references: Any) -> str:
    return hashlib.sha256(json.dumps(references, default=_plain).encode()).hexdigest()


def result_digest(outputs: Path, scores: dict[str, Any], references: str) -> str:
    """Return a digest of the file of the outputs, their scores, and the digest of the references."""
    digest = hashlib.sha256(outputs.read_bytes())
    digest.update(json.dumps([scores, references], sort_keys=True).encode())
    return digest.hexdigest()


def _plain(value: Any) -> Any:
    """Return the fields of a pair or a document, and the links or places of a set in order."""
    return {each.name: getattr(value, each.name) for each in fields(value)} if is_dataclass(value) else sorted(value)


def _syntax(node: Any) -> Any:
    """Return a tree as nested lists, equal in all versions of Python, without docstrings."""
    if isinstance(node, list):
        return [_syntax(each) for each in node]
    if not isinstance(node, ast.AST):
        return repr(node)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return []
    return [type(node).__name__, *(_syntax(value) for _, value in ast.iter_fields(node) if value not in (None, []))]
