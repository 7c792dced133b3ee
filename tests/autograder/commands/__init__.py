"""Laws of the commands."""
