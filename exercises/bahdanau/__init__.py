"""The graded exercises on Bahdanau, Cho and Bengio (2015): checks, their cases, known mistakes and public examples."""
