"""What runs inside the sandbox: it may be public, holds no secret, and of what it sends only values are used."""
