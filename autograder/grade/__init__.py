"""Grade a class: what is new or has changed, its cache and its summary."""
