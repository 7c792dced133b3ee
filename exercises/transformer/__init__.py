"""The graded exercises on Vaswani et al. (2017): checks, their cases, known mistakes and public examples."""
