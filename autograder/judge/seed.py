"""The course's secret: hidden inputs are drawn from it, and are the same again on a regrade.

A first hand-in has one of VARIANTS sets of inputs, which other students' first ones share: each is drawn, and answered
by the reference and the known mistakes, once in a judging process. Two students who compare notes learn nothing by
that: no right answer leaves the trusted side, and an input only on the way to the function itself. A student who hands
in again has inputs of their own, so that repeated attempts meet new ones.
"""

import hmac
import json
import secrets
import stat
from pathlib import Path

import numpy as np

from autograder.files import write_once
from autograder.places import BUILD

SECRET = BUILD / "course-secret"
VARIANTS = 16


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


def variant(secret: bytes, assignment: str, student: str, check: str) -> int:
    """Return the number of the set of inputs for a student's first hand-in, from 0 to VARIANTS - 1."""
    return int(generator(secret, assignment, student, "", check).integers(VARIANTS))
