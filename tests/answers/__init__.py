"""Answers to the exercises as students write them, right in many styles and wrong in many ways: tests of the checks."""
