"""Make the students' notebooks, and the kit that they import."""
