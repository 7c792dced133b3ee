"""The graded exercises on language models: checks, their cases, known mistakes and public examples."""
