"""Tests of what is handed in."""
