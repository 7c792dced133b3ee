"""Train, evaluate or use the classifier: python -m solutions.self_attention train | evaluate | classify | sweep."""

from lab.cli.classification import main
from solutions.self_attention.fast import SOLUTION
from solutions.self_attention.sweeps import SWEEPS

if __name__ == "__main__":
    main(SOLUTION, sweeps=SWEEPS)
