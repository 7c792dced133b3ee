"""The course's secret: inputs drawn from it are fresh for every submission, and the same again on a regrade."""

import hmac
import json
import secrets
import stat
from pathlib import Path

import numpy as np

from autograder.files import write_once
from autograder.places import BUILD

SECRET = BUILD / "course-secret"


def load(path: Path | None = None) -> bytes:
    """Return the course's secret; made once, for its owner's eyes only."""
    path = path or SECRET
    if not path.exists():
        write_once(path, secrets.token_hex(32).encode())  # another process may be first: its secret is the course's
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise PermissionError(f"The course secret {path} may be read by others. Run: chmod 600 {path}")
    content = path.read_text().strip()
    if len(content) < 32:
        raise ValueError(
            f"The course secret {path} is too short: {len(content)} of 32 characters. Remove it and a new one is made."
        )
    return content.encode()


def generator(secret: bytes, assignment: str, student: str, submission: str, check: str) -> np.random.Generator:
    """Return one check's random numbers: HMAC(secret, assignment, student, submission, check)."""
    message = json.dumps([assignment, student, submission, check]).encode()
    return np.random.default_rng(int.from_bytes(hmac.digest(secret, message, "sha256"), "big"))
