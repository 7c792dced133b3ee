"""The way back: a graded class as Moodle and Canvas take it, or as one table."""
