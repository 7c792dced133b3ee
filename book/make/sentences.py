"""The first and the last sentences of a paragraph, with its formulas and marks as they are."""

import re

from bs4 import Tag

from book.make.html_tree import Piece, text

END = re.compile(r"(?<=[.!?:])[\"”’)]*(?=\s)|(?<=[.!?][”\"’)])(?=\s)")
NO_END = re.compile(r"(?:\b(?:al|e\.g|i\.e|cf|vs|eq)|^\s*\d+)\.$")
BEGINS = re.compile(r"\s+[^\sa-z]")
ENOUGH, MOST = 90, 280  # characters of a slide's text


def length(pieces: list[Piece]) -> int:
    """Return how many characters the pieces have for the eye, roughly."""
    return len(text(*pieces))


def _parts(prose: str) -> list[str]:
    """Return a text cut after each end of a sentence; what follows begins with its blank."""
    cuts = [match.end() for match in END.finditer(prose)]
    cuts = [
        cut for cut in cuts if not NO_END.search(prose[:cut]) and (BEGINS.match(prose[cut:]) or not prose[cut:].strip())
    ]
    # A colon ends only what stands before a slide's formula: at the end of the paragraph.
    cuts = [cut for cut in cuts if prose[cut - 1] != ":" and prose[cut:]]
    return [prose[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(prose)], strict=True)]


def sentences(paragraph: Tag) -> list[list[Piece]]:
    """Return the sentences of a paragraph, each as its pieces."""
    made: list[list[Piece]] = [[]]
    for child in paragraph.children:
        if isinstance(child, Tag):
            made[-1].append(child)
            continue
        before = made[-1][-1] if made[-1] else ""
        # "**One step by hand.** Let …": the mark holds the end.
        if isinstance(before, Tag) and text(before)[-1:] in tuple(".?!") and BEGINS.match(child):
            made.append([])
        first, *rest = _parts(child)
        made[-1].append(first)
        for part in rest:
            made.append([part])
    return [pieces for pieces in made if length(pieces)]


def end_of(paragraph: Tag) -> list[Piece]:
    """Return the last sentence of a paragraph, and those before it while the whole stays short."""
    parts = sentences(paragraph)
    taken: list[Piece] = parts.pop() if parts else []
    while parts and length(taken) < ENOUGH and length(parts[-1]) + length(taken) < MOST:
        taken = parts.pop() + taken
    return taken


def first_of(paragraph: Tag, short: int = 60) -> list[Piece]:
    """Return the first sentence of a paragraph, and those after it while the first is `short` and the whole is, too."""
    taken, *others = sentences(paragraph) or [[]]
    while others and length(taken) < short and length(others[0]) + length(taken) < MOST:
        taken = taken + others.pop(0)
    return taken
