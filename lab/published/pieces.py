"""Byte-pair pieces as a published model has them: any text is bytes, so nothing is unknown."""

from collections.abc import Iterable, Sequence


class BytePairs:
    """The pieces of GPT-2 and its followers (Radford et al., 2019, section 2.2), each digit a piece of its own.

    `pieces` are in the order of their numbers, `merges` are pairs such as "Ġ t", the first that were learned first.
    `marks` are pieces that no text contains: they tell whose turn it is, and where a text ends.
    """

    def __init__(self, pieces: Sequence[str], merges: Sequence[str], marks: Sequence[str]) -> None:
        from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

        self.number = {piece: number for number, piece in enumerate(pieces)}
        pairs = [(left, right) for left, _, right in (merge.partition(" ") for merge in merges)]
        self._of_text = Tokenizer(models.BPE(vocab=self.number, merges=pairs))
        self._of_text.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
        )
        self._of_text.decoder = decoders.ByteLevel()
        self._with_marks = Tokenizer.from_str(self._of_text.to_str())
        self._with_marks.add_special_tokens([AddedToken(mark, normalized=False) for mark in marks])

    def __len__(self) -> int:
        return len(self.number)

    def encode(self, text: str) -> list[int]:
        """Return the numbers of a text's pieces; a typed mark is text."""
        return self._of_text.encode(text).ids

    def encode_marked(self, text: str) -> list[int]:
        """Return the numbers of a text in which marks count as such."""
        return self._with_marks.encode(text).ids

    def decode(self, numbers: Iterable[int]) -> str:
        """Return the text; bytes that are no whole letter yet become �."""
        return self._with_marks.decode(list(numbers))

    def pieces(self, text: str) -> list[str]:
        return [self.decode([number]) for number in self.encode(text)]
