"""Laws of the book: its sources, its build, its pages."""

from autograder.contents import chapters

WHOLE = {"bahdanau", "luong", "pooling", "structured", "self_attention", "transformer"}  # not yet lesson and evidence
IN_TWO = [name for name in chapters() if name not in WHOLE]
