"""What a student sees: hints, pictures, what was printed, how far one is."""
