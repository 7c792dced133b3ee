"""Text as numbers: tokens, batches, vectors of words."""
