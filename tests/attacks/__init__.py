"""Hostile, faulty and unlucky submissions, by family, each with what is right to say of it."""
