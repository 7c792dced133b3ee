"""Tests of the book: its sources, its build, its pages."""
