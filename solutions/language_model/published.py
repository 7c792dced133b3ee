"""SmolLM2 (Allal et al., 2025): 135 million parameters that others trained, run by this chapter's functions.

Its blocks are those of `model.Decoder`: RMSNorm, rotary positions, nine query heads on three key–value heads, SwiGLU.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from lab.kinds.language import most_probable
from lab.kinds.ranges import RecipeError
from lab.published.gguf_file import GgufFile, find
from lab.published.pieces import BytePairs
from solutions.language_model.layers import TAUGHT, Attention, FeedForward, Norm, Parts
from solutions.language_model.model import Decoder, with_room
from solutions.language_model.recipe import Recipe

# What a model of the right parts finds easy, and one of wrong parts does not: the end of notebook 8 has the losses.
TEXT = (
    "The mayor hit me with a pie. I laughed, and then I saw that it was her birthday. We ate what was left of it "
    "together, and she told me that she had never missed before."
)
LONGEST = 1024  # pieces that are read at once: each layer keeps its weights, which grow with the square
Choose = Callable[[Float[Tensor, "1 vocabulary"]], Tensor]  # from the scores of the next piece to its number
# The file's names, and this chapter's.
OF_BLOCK = {
    "attn_norm": "norm1",
    "attn_q": "attention.q",
    "attn_k": "attention.k",
    "attn_v": "attention.v",
    "attn_output": "attention.out",
    "ffn_norm": "norm2",
    "ffn_up": "feed_forward.linear1",
    "ffn_gate": "feed_forward.gate",
    "ffn_down": "feed_forward.linear2",
}


def halves(weight: Float[Tensor, "rows d_model"], heads: int) -> Float[Tensor, "rows d_model"]:
    """Return W_q or W_k with the rows of each head in another order: features 2i and 2i + 1 become i and i + d/2.

    The file pairs neighbours, as Su et al. (2021) do; `rope` pairs halves. In another order of the same features the
    products of queries and keys are the same.
    """
    return weight.unflatten(0, (heads, -1, 2)).transpose(1, 2).flatten(0, 2)


def half_precision_product(
    product: Callable[..., Tensor], x: Float[Tensor, "*batch in"], *weights: Float[Tensor, "_ _"]
) -> Float[Tensor, "*batch out"]:
    """Return product(x, *weights) in float32; the weights are in half precision.

    One piece takes as long as it takes to read the weights: then x is rounded to half precision, too. Several are
    computed in float32: of eight pieces all products took 74 ms on an EPYC, in half precision 112.
    """
    if x.shape[:-1].numel() == 1:
        return product(x.half(), *weights).float()
    return product(x, *(weight.float() for weight in weights))


class HalfLinear(nn.Linear):
    """x Wᵀ with a matrix in half precision."""

    def forward(self, input: Float[Tensor, "*batch in"]) -> Float[Tensor, "*batch out"]:
        return half_precision_product(functional.linear, input, self.weight)


def put_half_layers(model: nn.Module) -> None:
    """Put a `HalfLinear` in place of each linear layer; the weights come later."""
    for module in list(model.modules()):
        for name, layer in module.named_children():
            if isinstance(layer, nn.Linear):
                setattr(module, name, HalfLinear(layer.in_features, layer.out_features, bias=False))


@dataclass
class Published:
    """The model with its pieces."""

    model: Decoder
    pieces: BytePairs
    end: int
    eps: float  # of its norms

    def use(self, parts: Parts) -> None:
        """Compute with these functions from now on."""
        swiglu = partial(half_precision_product, parts.swiglu)
        parts = replace(parts, rms_norm=partial(parts.rms_norm, eps=self.eps), swiglu=swiglu)
        for module in self.model.modules():
            if isinstance(module, Norm | FeedForward | Attention):
                module.parts = parts

    @torch.no_grad()
    def losses(self, text: str) -> Float[Tensor, " predicted"]:
        """Return −log p of each piece of a text but the first, in nats."""
        numbers = torch.tensor([self.pieces.encode(text)])
        return functional.cross_entropy(self.model(numbers)[0, :-1], numbers[0, 1:], reduction="none")

    def answer(self, question: str, most: int = 100, choose: Choose = most_probable) -> Iterator[str]:
        """Yield the model's answer to a question, piece by piece, `most` at most."""
        before, after = "<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n"
        marked, typed = self.pieces.encode_marked, self.pieces.encode(question)
        yield from self.continued([*marked(before), *typed, *marked(after)], most, choose)

    @torch.inference_mode()
    def continued(self, numbers: list[int], most: int, choose: Choose = most_probable) -> Iterator[str]:
        """Yield the text that follows, piece by piece: what was read once is in the caches.

        Raise RecipeError for a text of more than LONGEST pieces.
        """
        if len(numbers) > LONGEST:
            raise RecipeError(f"the text has {len(numbers):,} pieces: expected {LONGEST:,} or fewer")
        new, caches, written, so_far = torch.tensor([numbers]), None, [], ""
        for _ in range(most):
            features, caches, _ = self.model.read(new, caches)
            caches = with_room(caches, most)
            new = choose(self.model.readout(features[:, -1]))[:, None]
            if new.item() == self.end:
                return
            written.append(new.item())
            text = self.pieces.decode(written)
            if not text.endswith("�"):  # else a letter of several bytes is not whole yet
                yield text[len(so_far) :]
                so_far = text


def load(parts: Parts = TAUGHT, path: Path | None = None) -> Published:
    """Return the published model, made of these functions; raise NoModel where its file is not at hand."""
    file = GgufFile(path or find())
    recipe = recipe_of(file)
    with torch.device("meta"):  # no numbers are drawn: all come from the file
        model = Decoder(recipe, len(file.pieces))
        put_half_layers(model)
    model.load_state_dict(weights_of(file, recipe), assign=True)
    published = Published(model.eval(), file.pieces, file.end, file.size("attention.layer_norm_rms_epsilon"))
    published.use(parts)
    return published


def recipe_of(file: GgufFile) -> Recipe:
    """Return the sizes of the file's model."""
    return Recipe(
        d_model=file.size("embedding_length"),
        d_ff=file.size("feed_forward_length") * 3 // 2,  # our SwiGLU is two thirds as wide as a recipe says
        heads=file.size("attention.head_count"),
        kv_heads=file.size("attention.head_count_kv"),
        layers=file.size("block_count"),
        rope_base=file.size("rope.freq_base"),
        context=file.size("context_length"),
    )


def weights_of(file: GgufFile, recipe: Recipe) -> dict[str, Tensor]:
    """Return the file's weights by the names of `Decoder`, matrices in half precision: the file has 4 and 8 bits.

    Ours multiplies embeddings by √d_model, theirs does not: they are divided by it.
    """
    words = file.weight("token_embd.weight")
    weights = {"embedding.weight": words / math.sqrt(recipe.d_model), "readout.weight": words.half()}
    weights["norm.weight"] = file.weight("output_norm.weight")
    heads = {"attn_q": recipe.heads, "attn_k": recipe.kv_heads}
    for number in range(recipe.layers):
        for theirs, ours in OF_BLOCK.items():
            weight = file.weight(f"blk.{number}.{theirs}.weight")
            turned = halves(weight, heads[theirs]) if theirs in heads else weight
            weights[f"blocks.{number}.{ours}.weight"] = turned.half() if turned.ndim == 2 else turned
    return weights
