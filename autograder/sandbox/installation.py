"""Python's own installation as the sandbox shows it: program, standard library and shared libraries, in neutral places.

The rest of its prefix is not shown: on many machines that is /usr, and a course or a class may lie in it too. The
prefix's own name stays outside as well, it often holds a user's.
"""

import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

PREFIX = Path("/python")  # Python finds its library from where its program lies
SHARED = Path("/python/shared")
VERSION = f"python3.{sys.version_info.minor}"
OWN = {*sys.stdlib_module_names, "lib-dynload", "__pycache__"}


def base() -> Path:
    """Return the installation that this Python, or its virtual environment, was made from."""
    return Path(sys.base_prefix).resolve()


def shown() -> dict[str, Path]:
    """Return what is shown of the installation, by its place inside."""
    program = Path(sys.executable).resolve()
    program = program if program.is_relative_to(base()) else base() / "bin" / VERSION
    places = {str(PREFIX / "bin" / name): program for name in dict.fromkeys(("python", "python3", VERSION))}
    places |= {str(PREFIX / library.relative_to(base())): library for library in _libraries()}
    if base() != Path("/usr"):  # there they are among the system's
        places |= {str(PREFIX / "lib" / file.name): file for file in sorted((base() / "lib").glob("*.so*"))}
    if (itself := base() / "lib" / (sysconfig.get_config_var("INSTSONAME") or "")).is_file():
        places[str(SHARED / itself.name)] = itself
    return places


def hidden() -> list[str]:
    """Return the folders that are covered up: they lie in the standard library and belong to something else."""
    return [
        str(PREFIX / folder.relative_to(base()))
        for library in _libraries()
        for folder in sorted(library.iterdir())
        if folder.is_dir() and folder.name not in OWN
    ]


def _libraries() -> Iterator[Path]:
    """Yield the folders of the standard library; some systems have one for each size of a word."""
    for name in dict.fromkeys(("lib", sys.platlibdir)):
        if (folder := base() / name / VERSION).is_dir():
            yield folder
