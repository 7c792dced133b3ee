"""The chapter's experiments: python -m solutions.long_context lengths | distance | recall."""

from functools import partial

from solutions import trials
from solutions.long_context import distance, lengths, recall

main = partial(trials.main, "solutions.long_context", [lengths, distance, recall])

if __name__ == "__main__":
    main()
