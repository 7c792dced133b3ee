"""What students hand in: collected, parsed without trust, put back into its assignment's order."""
