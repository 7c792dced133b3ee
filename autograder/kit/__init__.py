"""The public side of the grader: what a student's machine needs."""
