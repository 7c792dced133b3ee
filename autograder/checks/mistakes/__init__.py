"""Known mistakes: small wrong functions whose docstrings are the hints that the student reads."""
