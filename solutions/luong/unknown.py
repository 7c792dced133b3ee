"""Unknown words in a translation, replaced by the source words that got most weight: the words about the numbers."""

from collections.abc import Callable, Mapping, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from lab.text.tokenizers import SPECIAL, UNK
from solutions.luong.attention import replaced_unknowns


def replace_unknown(
    translation: Sequence[str],
    weights: Float[Tensor, "target source"],
    source: Sequence[str],
    dictionary: Mapping[str, str] | None = None,
    replaced: Callable[..., Tensor] = replaced_unknowns,
) -> list[str]:
    """Return a translation with each <unk> replaced by the source word that got most weight, or by its translation.

    Luong et al. (2015), section 4.2. `replaced` is any function with the arguments of `replaced_unknowns`.
    """
    if not source:
        return list(translation)
    known = dictionary or {}
    words = list(dict.fromkeys([SPECIAL[UNK], *translation, *source, *known.values()]))
    number = {word: n for n, word in enumerate(words)}
    lexicon = torch.tensor([number[known[word]] if word in known else -1 for word in words])
    tokens, numbers = (torch.tensor([number[word] for word in text]) for text in (translation, source))
    return [words[n] for n in replaced(tokens, weights, numbers, lexicon, number[SPECIAL[UNK]]).tolist()]
