"""The graded exercises on long context: checks, their cases, known mistakes and public examples."""
