"""The graded exercises on Luong, Pham and Manning (2015): checks, their cases, known mistakes and public examples."""
