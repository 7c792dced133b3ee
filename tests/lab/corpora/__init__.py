"""Laws of the corpora."""
