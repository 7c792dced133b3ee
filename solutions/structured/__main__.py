"""Train, evaluate or use Lin's model: python -m solutions.structured train | evaluate | classify."""

from lab.cli.classification import main
from solutions.structured.model import SOLUTION

if __name__ == "__main__":
    main(SOLUTION)
