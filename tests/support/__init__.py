"""What several test files use: classes, sandboxes, servers, mutants."""
