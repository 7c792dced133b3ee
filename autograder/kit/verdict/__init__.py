"""The verdict of a check: which demands are met, how many points, and why."""
