"""The graded exercises on attention pooling: checks, their cases, known mistakes and public examples."""
