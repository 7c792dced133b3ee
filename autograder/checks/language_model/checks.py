"""The checks of the language model's functions."""

from autograder.checks.language_model.choices import CHOICE, INDUCTION, INSIDE, LATENT
from autograder.checks.language_model.hunt import BY_HAND, HUNT
from autograder.checks.language_model.layers import GROUPED, MEAN, NORM, ROPE, STEP, SWIGLU

CHECKS = [BY_HAND, MEAN, NORM, SWIGLU, ROPE, GROUPED, STEP, CHOICE, INDUCTION, *HUNT.checks(), LATENT, INSIDE]
