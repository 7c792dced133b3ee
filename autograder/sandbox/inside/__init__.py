"""What runs behind the wall: it may be public, holds no secret, and nothing it says is believed but values."""
