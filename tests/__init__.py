"""Tests of the course, in folders as the tree has them."""
