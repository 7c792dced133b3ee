"""Train, evaluate or use the language model, or ask a published one: python -m solutions.language_model --help."""

from lab.cli import chat
from lab.cli.language import main
from solutions.language_model.attention import next_probabilities
from solutions.language_model.fast import SOLUTION
from solutions.language_model.published import load
from solutions.language_model.sweeps import SWEEPS

if __name__ == "__main__":
    main(SOLUTION, next_probabilities, sweeps=SWEEPS, chat=chat.command(load, next_probabilities))
