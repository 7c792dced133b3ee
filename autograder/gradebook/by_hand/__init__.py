"""A teacher's work by hand: points by rubric, and replies to regrade requests."""
