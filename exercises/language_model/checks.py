"""The checks of the language model's functions."""

from exercises.language_model.choices import CHOICE, INDUCTION
from exercises.language_model.hunt import BY_HAND, HUNT
from exercises.language_model.layers import GROUPED, MEAN, NORM, ROPE, STEP, SWIGLU
from exercises.language_model.starred import ACCEPT, LATENT

CHECKS = [BY_HAND, MEAN, NORM, SWIGLU, ROPE, GROUPED, STEP, CHOICE, INDUCTION, *HUNT.checks(), LATENT, ACCEPT]
