"""Students' submissions: collected, parsed without trust, put back into the order of the assignment."""
