"""What a teacher gives by hand: points by rubric, and replies to regrade requests."""
