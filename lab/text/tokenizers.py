"""From text to numbers and back: whole words for the made corpora, sentencepiece subwords for the real ones."""

import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Self, TypeAlias

from lab.kinds.ranges import RecipeError

PAD, BOS, EOS, UNK = 0, 1, 2, 3
SPECIAL = ("<pad>", "<s>", "</s>", "<unk>")


def sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of English text, each with its words and signs apart: "It isn't." gives "It is not ." """
    from syntok import segmenter

    segmented = (sentence for paragraph in segmenter.process(text) for sentence in paragraph)
    return tuple(" ".join(token.value for token in sentence) for sentence in segmented)


class Words:
    """A vocabulary of whole words: the text is split at its spaces."""

    kind, glue = "words", " "

    def __init__(self, words: Sequence[str]) -> None:
        self.words = list(words)
        # Text never has the model's own tokens: a typed </s> is a word that it does not know.
        self.index = {word: number for number, word in enumerate(self.words) if word not in SPECIAL}

    @classmethod
    def learn(cls, texts: Iterable[str], most: int | None = None) -> Self:
        """Return the vocabulary of the pieces of `texts`, the frequent ones first, and at `most` so many of them."""
        counts = Counter(piece for text in texts for piece in cls.pieces(text))
        return cls([*SPECIAL, *sorted(counts, key=lambda piece: (-counts[piece], piece))[:most]])

    @staticmethod
    def pieces(text: str) -> list[str]:
        return text.split()

    def __len__(self) -> int:
        return len(self.words)

    def encode(self, text: str) -> list[int]:
        return [self.index.get(piece, UNK) for piece in self.pieces(text)]

    def decode(self, ids: Iterable[int]) -> str:
        return self.glue.join(self.words[i] for i in ids if i not in (PAD, BOS, EOS))

    def unknown(self, text: str) -> list[str]:
        """Return the pieces of `text` that the vocabulary does not hold."""
        return [piece for piece in self.pieces(text) if piece not in self.index]

    def state(self) -> dict[str, Any]:
        return {"kind": self.kind, "words": self.words}


class Characters(Words):
    """A vocabulary of characters, spaces and ends of lines among them."""

    kind, glue = "characters", ""

    @staticmethod
    def pieces(text: str) -> list[str]:
        return list(text)


class Subwords:
    """A sentencepiece model (Kudo and Richardson, 2018): byte-pair pieces of raw text, any text can be written."""

    def __init__(self, model: bytes, lowercase: bool = False) -> None:
        import sentencepiece

        self.model, self.lowercase = model, lowercase
        self.processor = sentencepiece.SentencePieceProcessor(model_proto=model)

    @classmethod
    def learn(cls, texts: Iterable[str], size: int, lowercase: bool = False) -> "Subwords":
        """Return `size` byte-pair pieces learnt from `texts` (Sennrich et al., 2016), or raise RecipeError."""
        import sentencepiece

        model = io.BytesIO()
        try:
            sentencepiece.SentencePieceTrainer.train(
                # str.lower, not sentencepiece's own case folding, which makes ss of ß.
                sentence_iterator=(text.lower() if lowercase else text for text in texts),
                model_writer=model,
                vocab_size=max(size, len(SPECIAL)),
                model_type="bpe",
                character_coverage=1.0,
                hard_vocab_limit=False,  # a small corpus has fewer pieces than a large recipe asks for
                normalization_rule_name="nmt_nfkc",
                pad_id=PAD,
                bos_id=BOS,
                eos_id=EOS,
                unk_id=UNK,
                minloglevel=2,
                num_threads=1,
            )
        except RuntimeError as error:
            if least := re.search(r"smaller than required_chars\. \d+ vs (\d+)", str(error)):
                wanted = f"expected {least[1]} subwords or more, as many as the texts have characters"
                raise RecipeError(f"--vocabulary: {wanted}, got {size}") from None
            raise
        return cls(model.getvalue(), lowercase)

    def __len__(self) -> int:
        return len(self.processor)

    def encode(self, text: str) -> list[int]:
        return self.processor.encode(self.written(text))

    def written(self, text: str) -> str:
        return text.lower() if self.lowercase else text

    def decode(self, ids: Iterable[int]) -> str:
        return self.processor.decode([i for i in ids if i not in (PAD, BOS, EOS)])

    def pieces(self, text: str) -> list[str]:
        return self.processor.encode(self.written(text), out_type=str)

    def unknown(self, text: str) -> list[str]:
        """Return the pieces of `text` that the model cannot write (characters it has never seen)."""
        ids, pieces = self.encode(text), self.pieces(text)
        return [piece for number, piece in zip(ids, pieces, strict=True) if number == UNK]

    def state(self) -> dict[str, Any]:
        return {"kind": "subwords", "model": self.model, "lowercase": self.lowercase}


# A model's vocabulary. `encode` adds neither <s> nor </s>; `state` goes into checkpoints.
Tokenizer: TypeAlias = Words | Subwords


def restore(state: dict[str, Any]) -> Tokenizer:
    """Return the tokenizer that a checkpoint kept."""
    if kind := {"words": Words, "characters": Characters}.get(state["kind"]):
        return kind(state["words"])
    return Subwords(state["model"], state.get("lowercase", False))
