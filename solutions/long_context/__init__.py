"""Long texts: exact attention in less memory, positions beyond training, windows, states in place of a cache."""
