"""A decoder-only Transformer, made of the functions of attention.py, with the parts of 2017 or those of today.

fast.py has the same model, with the same parameters and values, as it is trained.
"""

import math
from collections.abc import Callable, Sequence

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from lab.kinds.language import LanguageModel
from lab.kinds.runs import Solution
from lab.text.tokenizers import EOS, PAD
from solutions.language_model.layers import TAUGHT, Attention, FeedForward, New, Norm, Parts, Room, Seen
from solutions.language_model.recipe import DEFAULTS, PEERS, RECIPES, Recipe
from solutions.transformer.attention import sinusoids
from solutions.transformer.layers import LearnedPositions

# Of each layer: keys and values, or latent vectors.
Cache = Sequence[Float[Tensor, "parts batch kv_heads past width"] | Room]


class Block(nn.Module):
    """Attention and the feed-forward network, each with a sum around it and a norm before or behind."""

    def __init__(self, recipe: Recipe, parts: Parts) -> None:
        super().__init__()
        self.pre_norm, self.dropout = recipe.pre_norm, nn.Dropout(recipe.dropout)
        self.attention = latent_attention(recipe, parts) if recipe.latent else Attention(recipe, parts)
        self.feed_forward = FeedForward(recipe, parts)
        self.norm1, self.norm2 = Norm(recipe, parts), Norm(recipe, parts)

    def forward(
        self, x: New, cache: Float[Tensor, "parts batch kv_heads past width"] | Room | None = None, mask: Seen = None
    ) -> tuple[New, Float[Tensor, "parts batch kv_heads all width"] | Room, Tensor | None]:
        attended, after, weights = self.attention(self.norm1(x) if self.pre_norm else x, cache, mask)
        x = x + self.dropout(attended)
        if self.pre_norm:
            return x + self.dropout(self.feed_forward(self.norm2(x))), after, weights
        x = self.norm1(x)
        return self.norm2(x + self.dropout(self.feed_forward(x))), after, weights


def with_room(caches: Cache, more: int) -> Cache:
    """Return caches with room for so many positions more than they have."""
    return [each if isinstance(each, Room) else Room(each, each.shape[-2] + more) for each in caches]


def latent_attention(recipe: Recipe, parts: Parts) -> nn.Module:
    from solutions.language_model.latent import LatentAttention  # not in the students' kit: it holds an answer

    return LatentAttention(recipe, parts)


class Decoder(LanguageModel):
    """Blocks between embeddings and readout: the Transformer's decoder without cross-attention."""

    def __init__(self, recipe: Recipe, vocabulary: int, written: int | None = None, parts: Parts = TAUGHT) -> None:
        """Read and write tokens of one vocabulary; `written`, its size again, is what every task hands in."""
        super().__init__()
        self.recipe = recipe
        self.embedding = nn.Embedding(vocabulary, recipe.d_model)
        longest = max(recipe.context, 512)
        self.learned = LearnedPositions(recipe.d_model, longest) if recipe.positions == "learned" else None
        self.blocks = nn.ModuleList(Block(recipe, parts) for _ in range(recipe.layers))
        self.norm = Norm(recipe, parts) if recipe.pre_norm else nn.Identity()  # nothing has normalised the last sum
        self.readout = nn.Linear(recipe.d_model, vocabulary, bias=False)
        self.dropout = nn.Dropout(recipe.dropout)
        self.start()
        if recipe.tied:
            self.readout.weight = self.embedding.weight

    def start(self) -> None:
        """Draw normal numbers over √width; what is added to the sum is smaller, the more layers there are.

        Radford et al. (2019), section 2.3, for the latter; as in their model the numbers of words are small: a word's
        score for itself is not large at the start, where embeddings and readout are tied.
        """
        for name, layer in self.named_modules():
            if isinstance(layer, nn.Linear | nn.Embedding):
                ends_sublayer = name.endswith(("out", "linear2"))
                shrunk = math.sqrt(2 * self.recipe.layers) if ends_sublayer and self.recipe.pre_norm else 1.0
                of_words = name in ("embedding", "readout")
                nn.init.normal_(layer.weight, std=0.02 if of_words else layer.weight.shape[-1] ** -0.5 / shrunk)
            if isinstance(layer, nn.Linear) and layer.bias is not None:
                nn.init.zeros_(layer.bias)

    def embed(self, tokens: Int[Tensor, "batch new"], past: int = 0, mask: Seen = None) -> New:
        """Return √d_model times the embeddings, plus sines or learned vectors of the positions, where these are asked.

        Positions count from the first token that is no padding.
        """
        x = self.embedding(tokens) * math.sqrt(self.recipe.d_model)
        if self.recipe.positions not in ("sine", "learned"):
            return self.dropout(x)
        length = past + tokens.shape[1]
        table = self.learned(0, length) if self.learned else sinusoids(length, x.shape[-1]).to(x)
        if mask is None:
            return self.dropout(x + table[past:])
        places = (mask.cumsum(dim=1) - 1).clamp(min=0)[:, past:]
        return self.dropout(x + table[places])

    def read(
        self, tokens: Int[Tensor, "batch new"], caches: Cache | None = None, mask: Seen = None
    ) -> tuple[New, list[Tensor | Room], list[Tensor | None]]:
        """Return the readout's input at the new positions, the caches with them, and the weights of each layer."""
        x = self.embed(tokens, caches[0].shape[-2] if caches else 0, mask)
        after, every = [], []
        for number, block in enumerate(self.blocks):
            x, cache, weights = block(x, caches[number] if caches else None, mask)
            after.append(cache)
            every.append(weights)
        return self.norm(x), after, every

    def forward(self, tokens: Int[Tensor, "batch length"]) -> Float[Tensor, "batch length vocabulary"]:
        return self.readout(self.read(tokens)[0])

    def attention_weights(
        self, tokens: Int[Tensor, "batch length"]
    ) -> Float[Tensor, "layers batch heads length length"]:
        """Return the weights of every layer and head."""
        weights = self.read(tokens)[2]
        return torch.stack([each for each in weights if each is not None])

    @torch.no_grad()
    def generate(
        self,
        tokens: Int[Tensor, "batch length"],
        mask: Bool[Tensor, "batch length"],
        count: int,
        choose: Callable[[Tensor], Tensor],
    ) -> Int[Tensor, "batch count"]:
        """Return `count` tokens more of each row, or fewer if all have ended; what was read once is in the caches."""
        features, caches, _ = self.read(tokens, None, mask)
        ended, written = torch.zeros(len(tokens), dtype=torch.bool, device=tokens.device), tokens[:, :0]
        while True:
            new = choose(self.readout(features[:, -1])).masked_fill(ended, PAD)
            written = torch.cat([written, new[:, None]], dim=1)
            ended = ended | (new == EOS)
            if written.shape[1] >= count or ended.all():
                return written
            mask = torch.cat([mask, mask.new_ones(len(mask), 1)], dim=1)
            features, caches, _ = self.read(new[:, None], caches, mask)


SOLUTION = Solution("language_model", Decoder, RECIPES, DEFAULTS, PEERS)
