"""The code inside the sandbox: it may be public and holds no secret; the judge uses only values of its replies."""
