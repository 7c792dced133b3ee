"""Tests of the benchmarks: they resume where they were stopped."""
