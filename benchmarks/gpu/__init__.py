"""The GPU: properties, speeds and full trainings, one resumable program: python -m benchmarks.gpu."""
