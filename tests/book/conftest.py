"""The book's extensions live beside the book, and Sphinx finds them by name."""

import sys

from autograder.places import ROOT

sys.path.insert(0, str(ROOT / "book" / "_ext"))
