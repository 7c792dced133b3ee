"""Train, evaluate or use Att-BLSTM and HAN: python -m solutions.pooling train | evaluate | classify | sweep."""

from lab.cli.classification import main
from solutions.pooling.model import SOLUTION
from solutions.pooling.sweeps import SWEEPS

if __name__ == "__main__":
    main(SOLUTION, sweeps=SWEEPS)
