"""Laws of what students run."""
