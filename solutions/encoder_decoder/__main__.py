"""The encoder–decoder: python -m solutions.encoder_decoder train | evaluate | translate | sweep."""

from lab.cli.translation import main
from solutions.encoder_decoder.model import SOLUTION
from solutions.encoder_decoder.sweeps import SWEEPS

if __name__ == "__main__":
    main(SOLUTION, sweeps=SWEEPS)
