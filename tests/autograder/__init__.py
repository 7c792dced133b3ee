"""Laws of the grader."""
