"""The graded exercises on self-attention: checks, their cases, known mistakes and public examples."""
