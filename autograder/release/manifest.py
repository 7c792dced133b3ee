"""The files that `release` wrote into a build folder, by their SHA-256, so that people's own work there is not lost.

Before a changed file is overwritten or deleted it is copied into `work/`, beside the build folder, and a line says so.
"""

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path, PurePath

from lab.files import aside

MADE = ("release", "source")  # the folders that `release` fills
# Trained models, grades, secrets of hidden inputs (Gradescope's in its zips), hand-ins from Canvas.
KEPT = ("runs", "class", "course-secret", "gradescope", "canvas")
KIT, ZIP = PurePath("release", "kit"), PurePath("release", "kit.zip")
GIVEN = KIT / "given"  # functions of earlier notebooks, written out
TRAINED = KIT / "build"  # where notebooks train: made again in minutes


class Manifest:
    """The SHA-256 of each file that `release` wrote, by its path from the build folder."""

    def __init__(self, build: Path) -> None:
        self.build = build
        self.work = build.parent / "work"
        self._file = build / "released.json"
        try:
            self.digests: dict[str, str] = json.loads(self._file.read_text("utf-8"))
        except (FileNotFoundError, ValueError):
            self.digests = {}

    @property
    def given(self) -> list[str]:
        """Return the names whose functions are written out in the released kit."""
        paths = [PurePath(path) for path in self.digests]
        return [path.stem for path in paths if path.parent == GIVEN and path.stem != "__init__"]

    def is_intact(self, path: PurePath) -> bool:
        """Return whether a file is there as `release` wrote it."""
        return _digest(self.build / path) == self.digests.get(path.as_posix(), "")

    def replace(self, files: Mapping[PurePath, bytes], dropped: Callable[[PurePath], bool]) -> None:
        """Write these files; delete those of earlier releases that are not among them, and those `dropped`."""
        for path, content in files.items():
            if not _has_content(self.build / path, content):
                self._keep(path)
                write(self.build / path, content)
        for path in self._files():
            if path not in files and (self.is_intact(path) or dropped(path)):
                self._keep(path)
                (self.build / path).unlink()
                with suppress(OSError):
                    os.removedirs((self.build / path).parent)  # those that are empty now
        self.digests = {path.as_posix(): hashlib.sha256(content).hexdigest() for path, content in files.items()}
        write(self._file, json.dumps(self.digests, indent=1, sort_keys=True).encode())

    def clean(self) -> None:
        """Delete all generated files, but for those that no command makes again."""
        for path in self._files():
            self._keep(path)
        for path in sorted(self.build.iterdir()) if self.build.is_dir() else []:
            if path.name in KEPT:
                print(f"{path} stays")
            elif path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()

    def _files(self) -> Iterator[PurePath]:
        """Yield the files in the folders that `release` fills, but for trained models."""
        for path in [path for folder in MADE for path in sorted((self.build / folder).rglob("*"))]:
            own = path.relative_to(self.build)
            if path.is_file() and TRAINED not in own.parents:
                yield own

    def _keep(self, path: PurePath) -> None:
        """Copy a file that somebody changed into the folder of people's work, and print its new place."""
        now = _digest(self.build / path)
        if not now or self.is_intact(path) or "__pycache__" in path.parts or path.suffix == ".part":
            return
        own = path.parts[0] == "release" and path != ZIP and KIT not in path.parents
        home = self.work / path.relative_to("release") if own else self.work / "saved" / path
        places = [home, *(home.with_name(f"{home.stem}-{now[:length]}{home.suffix}") for length in (8, 64))]
        place = next(place for place in places if not os.path.lexists(place) or _digest(place) == now)
        if not place.exists():
            with aside(place) as part:
                shutil.copy2(self.build / path, part)
        print(f"{self.build / path} was changed after its release: your version is kept as {place}", file=sys.stderr)


def write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, and leave it alone if it has this content."""
    if _has_content(path, content):
        return
    with aside(path) as part:
        part.write_bytes(content)
        part.chmod(0o644)


def _has_content(path: Path, content: bytes) -> bool:
    return path.is_file() and path.read_bytes() == content


def _digest(path: Path) -> str:
    """Return the SHA-256 of a file, "" where there is none."""
    if not path.is_file():
        return ""
    whole = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            whole.update(block)
    return whole.hexdigest()
