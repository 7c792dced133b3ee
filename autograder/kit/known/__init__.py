"""Which known mistake explains a function's numbers."""
