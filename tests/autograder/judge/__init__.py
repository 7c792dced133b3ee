"""Laws of judging."""
