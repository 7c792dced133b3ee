"""The student's view: hints, pictures, printed output, progress."""
