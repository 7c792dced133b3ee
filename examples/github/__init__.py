"""A class whose hand-ins are repositories."""
