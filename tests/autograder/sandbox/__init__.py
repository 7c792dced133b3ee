"""Laws of the sandbox."""
