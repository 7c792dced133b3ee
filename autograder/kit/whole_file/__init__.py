"""A notebook's saved file, run from the top as grading does: `check_all()`."""
