"""The graded exercises on the encoder–decoder: checks, their cases, known mistakes and public examples."""
