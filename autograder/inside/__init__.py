"""What runs behind the wall, in the sandbox: it may be public, it holds no secret, and nothing it says is believed but values."""
