"""Checks answers and grades classes: kit is public, checks and the judge are on the trusted side."""
