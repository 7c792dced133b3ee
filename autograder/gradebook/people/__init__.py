"""The people in the class, and their deadlines."""
