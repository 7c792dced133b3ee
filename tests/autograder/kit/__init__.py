"""Tests of what students run."""
