"""The GPU: laws, speed and full trainings, one resumable program: python -m benchmarks.gpu."""
