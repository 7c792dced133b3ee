"""Who is in the class, and by when each has to hand in."""
