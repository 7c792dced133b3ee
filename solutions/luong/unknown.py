"""Unknown words in a translation, replaced by what the model looked at when it said them."""

from collections.abc import Mapping, Sequence

from jaxtyping import Float
from torch import Tensor

from lab.tokenizers import SPECIAL, UNK


def replace_unknown(
    said: Sequence[str],
    weights: Float[Tensor, "target source"],
    source: Sequence[str],
    dictionary: Mapping[str, str] | None = None,
) -> list[str]:
    """Return the words said, each <unk> replaced by the source word that got most weight, or by its translation.

    Luong et al. (2015), section 4.2. Columns after the last source word, such as that of </s>, are not looked at.
    """
    if not source:
        return list(said)
    best = weights[:, : len(source)].argmax(dim=1).tolist()
    found = [(dictionary or {}).get(word, word) for word in source]
    return [found[s] if word == SPECIAL[UNK] else word for word, s in zip(said, best, strict=True)]
