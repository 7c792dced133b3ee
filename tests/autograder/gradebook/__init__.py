"""Tests of the gradebook and of nbgrader's own road."""
