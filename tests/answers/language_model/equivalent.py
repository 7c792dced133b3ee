"""Mutants of the language model's references that compute the same: before the change, after it, and why."""

EQUIVALENT: dict[str, dict[tuple[str, str], str]] = {}
