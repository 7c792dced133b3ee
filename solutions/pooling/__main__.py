"""Train, evaluate or use Att-BLSTM and HAN: python -m solutions.pooling train | evaluate | classify."""

from lab.cli.classification import main
from solutions.pooling.model import SOLUTION

if __name__ == "__main__":
    main(SOLUTION)
