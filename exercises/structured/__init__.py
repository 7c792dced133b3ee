"""The graded exercises on Lin et al. (2017): checks, their cases, known mistakes and public examples."""
