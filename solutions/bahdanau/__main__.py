"""Train, evaluate or use RNNsearch: python -m solutions.bahdanau train | evaluate | translate | sweep."""

from lab.cli.translation import main
from solutions.bahdanau.model import SOLUTION
from solutions.bahdanau.sweeps import SWEEPS

if __name__ == "__main__":
    main(SOLUTION, sweeps=SWEEPS)
