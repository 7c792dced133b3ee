"""Train, evaluate or use the encoder–decoder: python -m solutions.encoder_decoder train | evaluate | translate."""

from lab.cli.translation import main
from solutions.encoder_decoder.model import SOLUTION

if __name__ == "__main__":
    main(SOLUTION)
