"""The chapter's experiments: python -m solutions.long_context lengths | distance | recall."""

from collections.abc import Sequence
from pathlib import Path

from solutions import trials
from solutions.long_context import distance, lengths, recall


def main(words: Sequence[str] | None = None, folder: Path | None = None) -> None:
    """Run the experiment that is asked for."""
    trials.main("solutions.long_context", [lengths, distance, recall], words, folder)


if __name__ == "__main__":
    main()
