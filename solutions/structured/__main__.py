"""Train, evaluate or use Lin's model: python -m solutions.structured train | evaluate | classify | sweep."""

from lab.cli.classification import main
from solutions.structured.model import SOLUTION
from solutions.structured.sweeps import SWEEPS

if __name__ == "__main__":
    main(SOLUTION, sweeps=SWEEPS)
