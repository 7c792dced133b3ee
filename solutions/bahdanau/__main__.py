"""Train, evaluate or use RNNsearch: python -m solutions.bahdanau train | evaluate | translate."""

from lab.cli.translation import main
from solutions.bahdanau.model import SOLUTION

if __name__ == "__main__":
    main(SOLUTION)
