"""One package per chapter: its attention written once, and the paper's full model around it."""
