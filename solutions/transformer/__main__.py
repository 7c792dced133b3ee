"""Train, evaluate or use the Transformer: python -m solutions.transformer train | evaluate | translate."""

from lab.cli.translation import main
from solutions.transformer.fast import SOLUTION

if __name__ == "__main__":
    main(SOLUTION)
