"""Laws of what is handed in."""
