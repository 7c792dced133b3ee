"""Calls of a student's function, here or in a sandbox, and their answers."""
