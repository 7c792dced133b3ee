"""Train, evaluate or use Luong's models: python -m solutions.luong train | evaluate | translate."""

from lab.cli.translation import main
from solutions.luong.fast import SOLUTION

if __name__ == "__main__":
    main(SOLUTION)
