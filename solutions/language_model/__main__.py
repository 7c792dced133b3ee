"""Train, evaluate or use the language model: python -m solutions.language_model train | evaluate | generate | sweep."""

from lab.cli.language import main
from solutions.language_model.attention import next_probabilities
from solutions.language_model.fast import SOLUTION
from solutions.language_model.sweeps import SWEEPS

if __name__ == "__main__":
    main(SOLUTION, next_probabilities, sweeps=SWEEPS)
