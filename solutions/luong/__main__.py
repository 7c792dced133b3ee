"""Train, evaluate or use Luong's models: python -m solutions.luong train | evaluate | translate | sweep."""

from lab.cli.translation import main
from solutions.luong.model import SOLUTION
from solutions.luong.sweeps import SWEEPS

if __name__ == "__main__":
    main(SOLUTION, sweeps=SWEEPS)
