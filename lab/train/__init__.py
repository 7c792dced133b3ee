"""Training: steps, schedules, checkpoints, time, devices."""
