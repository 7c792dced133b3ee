"""The sandbox where a container forbids namespaces: root grades, and each worker is another user without rights."""

import os
import stat
from ctypes.util import find_library
from pathlib import Path

from autograder.places import BUILD, HOME, ROOT
from autograder.sandbox.bubblewrap import NoSandbox

PRIVATE = (HOME, ROOT, BUILD)  # solutions, checks, secret


def require() -> None:
    """Raise NoSandbox unless students' code can run as another user, and another user cannot enter the course."""
    if os.geteuid() != 0:
        raise NoSandbox("Not graded: --container needs root, to make a user of its own for each student's process.")
    if find_library("seccomp") is None:
        raise NoSandbox("Not graded: libseccomp is not installed (package libseccomp2).")
    for place in (place.resolve() for place in PRIVATE if place.exists()):
        if may_others_enter(place):
            raise NoSandbox(f"Not graded: with --container others must not be able to enter {place}: chmod 700 {place}")


def may_others_enter(place: Path) -> bool:
    """Return whether a user who owns nothing may enter a folder, by its own rights and those of the folders above."""
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in (place, *place.parents))
