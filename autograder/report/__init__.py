"""One page about a graded class, for its teacher."""
