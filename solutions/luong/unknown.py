"""Unknown words in a translation, replaced by the source words that got most weight."""

from collections.abc import Mapping, Sequence

from jaxtyping import Float
from torch import Tensor

from lab.tokenizers import SPECIAL, UNK


def replace_unknown(
    translation: Sequence[str],
    weights: Float[Tensor, "target source"],
    source: Sequence[str],
    dictionary: Mapping[str, str] | None = None,
) -> list[str]:
    """Return a translation with each <unk> replaced by the source word that got most weight, or by its translation.

    Luong et al. (2015), section 4.2. Columns after the last source word, such as that of </s>, are left out.
    """
    if not source:
        return list(translation)
    best = weights[:, : len(source)].argmax(dim=1).tolist()
    replacements = [(dictionary or {}).get(word, word) for word in source]
    return [replacements[s] if word == SPECIAL[UNK] else word for word, s in zip(translation, best, strict=True)]
