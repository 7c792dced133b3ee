"""How a student's function is called, here or in a sandbox, and what comes back."""
