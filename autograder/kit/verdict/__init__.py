"""What a check says: which demands hold, how many points, and why."""
