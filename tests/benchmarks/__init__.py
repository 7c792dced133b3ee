"""Laws of the benchmarks: what they count, and that they go on where they were stopped."""
