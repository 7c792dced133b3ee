"""Pages of a submission: feedback for its student, and formgrader's for the teacher."""
