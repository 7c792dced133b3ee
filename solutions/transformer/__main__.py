"""Train, evaluate or use the Transformer: python -m solutions.transformer train | evaluate | translate | sweep."""

from lab.cli.translation import main
from solutions.transformer.fast import SOLUTION
from solutions.transformer.sweeps import SWEEPS

if __name__ == "__main__":
    main(SOLUTION, sweeps=SWEEPS)
