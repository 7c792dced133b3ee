"""Train, evaluate or use the classifier: python -m solutions.self_attention train | evaluate | classify."""

from lab.cli.classification import main
from solutions.self_attention.fast import SOLUTION

if __name__ == "__main__":
    main(SOLUTION)
