"""Position indicators: <e1> and </e1> around the first nominal of a sentence, <e2> and </e2> around the second."""

from lab.corpora import CorpusError
from lab.text.tokenizers import sentences

MARKERS = ("<e1>", "</e1>", "<e2>", "</e2>")


def with_markers(text: str) -> str:
    """Return a sentence cut into words and signs, its four position indicators words of their own."""
    apart = text
    for marker in MARKERS:
        apart = apart.replace(marker, f"\n{marker}\n")
    pieces = [piece.strip() for piece in apart.split("\n")]
    present = tuple(piece for piece in pieces if piece in MARKERS)
    if present != MARKERS:
        raise CorpusError(
            f"The two nominals must be marked, in this order: {' '.join(MARKERS)}. "
            f"Got {' '.join(present) or 'no markers'}. "
            'Write, for example, "the <e1>storm</e1> caused a <e2>flood</e2>".'
        )
    return " ".join(piece if piece in MARKERS else " ".join(sentences(piece)) for piece in pieces if piece)
