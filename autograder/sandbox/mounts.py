"""What the sandbox shows of this machine: Python, the kit, and the packages that the kit needs; none of the rest."""

import importlib.metadata
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from autograder.places import BUILD, INSIDE, ROOT
from autograder.sandbox import installation
from autograder.sandbox.bubblewrap import NoSandbox, environment, system_places
from lab.files import aside

ALWAYS = ("torch", "numpy", "matplotlib", "matplotlib-inline", "ipython", "jaxtyping", "tqdm")  # the worker's own
PACKAGES = "/packages"
Parts = tuple[str, ...]


@dataclass(frozen=True)
class View:
    """Folders and files by their place inside, places that are covered up, and the program to run."""

    shown: dict[str, Path]
    hidden: list[str]
    python: str
    settings: dict[str, str]  # the whole environment of student code


SETTINGS = {
    "HOME": "/tmp/home",
    "USER": "student",
    "LANG": "C.UTF-8",
    "TERM": "dumb",
    "PYTHONSAFEPATH": "1",
    "PYTHONNOUSERSITE": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",  # a regrade iterates over sets in the same order
    "OMP_NUM_THREADS": "1",  # libgomp's threads do not survive the fork: the child would hang
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    "MPLCONFIGDIR": "/tmp/matplotlib",
    "IPYTHONDIR": "/tmp/ipython",
}


def view(kit: Path) -> View:
    """Return what student code with this kit is shown."""
    shown = {"/wall/inside": INSIDE, "/kit": kit.resolve(), "/cache/matplotlib": font_cache()}
    shown |= installation.shown() | packages(kit)
    hidden = {*installation.hidden(), *_private(shown | {str(place): place for place in system_places()})}
    outermost = sorted(place for place in hidden if not hidden & set(map(str, Path(place).parents)))
    settings = {
        "PATH": f"{installation.PREFIX}/bin:/usr/bin:/bin",
        "PYTHONPATH": f"/wall:/kit:{PACKAGES}",
        "LD_LIBRARY_PATH": str(installation.SHARED),
        **SETTINGS,
    }
    return View(shown, outermost, f"{installation.PREFIX}/bin/{installation.VERSION}", settings)


def _private(places: dict[str, Path]) -> Iterator[str]:
    """Yield where the course or the teacher's home would be seen, should they lie within something that is shown."""
    for private in dict.fromkeys((ROOT, BUILD.resolve(), Path.home().resolve())):
        for inside, outside in places.items():
            source = outside.resolve()
            if private.is_dir() and private != source and private.is_relative_to(source):
                yield str(Path(inside, private.relative_to(source)))


def plain_view(kit: Path, folder: Path) -> View:
    """Return what there is to see without a sandbox, everything; the home is a folder of its own all the same."""
    for place in ("home", "wall"):
        (folder / place).mkdir(exist_ok=True)
    if not (folder / "wall" / "inside").is_symlink():
        (folder / "wall" / "inside").symlink_to(INSIDE)
    shutil.copytree(font_cache(), folder / "matplotlib", dirs_exist_ok=True)
    settings = {name: value.replace("/tmp/", f"{folder}/") for name, value in SETTINGS.items()}
    settings |= {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "PYTHONPATH": f"{folder / 'wall'}:{kit.resolve()}",
    }
    return View({}, [], sys.executable, settings)


def packages(kit: Path) -> dict[str, Path]:
    """Return the files and folders of the distributions that the kit needs, by their place inside."""
    needed = closure([*ALWAYS, *_required(kit)])
    mine: dict[Path, set[Parts]] = defaultdict(set)
    foreign: dict[Path, set[Parts]] = defaultdict(set)
    for name, distribution in _installed().items():
        files = mine if name in needed else foreign
        site = Path(str(distribution.locate_file("")))
        files[site.resolve()].update(_files(distribution))
    shown: dict[str, Path] = {}
    for site, parts in mine.items():
        for path in _covering(parts, foreign[site]):
            if (source := site.joinpath(*path)).exists():
                shown.setdefault("/".join((PACKAGES, *path)), source)
    return shown


def _required(kit: Path) -> list[str]:
    try:
        lines = (kit / "requirements.txt").read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    return [line.split("#")[0].strip() for line in lines if line.split("#")[0].strip()]


@cache
def _installed() -> dict[str, importlib.metadata.Distribution]:
    """Return the distributions on the path by name; of two of one name the first, which is imported."""
    found: dict[str, importlib.metadata.Distribution] = {}
    for distribution in importlib.metadata.distributions():
        found.setdefault(canonicalize_name(distribution.metadata["Name"] or ""), distribution)
    return found


def closure(requirements: Iterable[str]) -> set[str]:
    """Return the names of the distributions that these need, themselves included, as they are installed here."""
    installed = _installed()
    todo = [Requirement(text) for text in requirements]
    if missing := [str(one) for one in todo if canonicalize_name(one.name) not in installed]:
        raise NoSandbox(f"The kit needs {missing[0]}, which is not installed here. `make setup` installs it.")
    done: set[tuple[str, str]] = set()
    while todo:
        requirement = todo.pop()
        name = canonicalize_name(requirement.name)
        for extra in {"", *requirement.extras}:
            if (name, extra) in done or name not in installed:
                continue
            done.add((name, extra))
            further = map(Requirement, installed[name].requires or [])
            todo += [one for one in further if not one.marker or one.marker.evaluate({"extra": extra})]
    return {name for name, _ in done}


def _files(distribution: importlib.metadata.Distribution) -> set[Parts]:
    """Return a distribution's files, each as the parts of its path, without those outside the packages' folder."""
    record = distribution.read_text("RECORD")
    if record:  # read by hand: of torch's 20,000 lines importlib makes as many objects
        paths = (line.rsplit(",", 2)[0].strip('"') for line in record.splitlines())
    else:
        paths = map(str, distribution.files or (distribution.read_text("top_level.txt") or "").split())
    return {tuple(path.split("/")) for path in paths if path and not path.startswith(("../", "/"))}


def _covering(mine: set[Parts], foreign: set[Parts], above: Parts = ()) -> Iterator[Parts]:
    """Yield the fewest paths that hold all of our files and none of the others."""
    depth = len(above)
    ours, theirs = _by_part(mine, depth), _by_part(foreign, depth)
    for part, below in sorted(ours.items()):
        path = (*above, part)
        if part not in theirs or path in below:
            yield path
        else:
            yield from _covering(below, theirs[part], path)


def _by_part(files: set[Parts], depth: int) -> dict[str, set[Parts]]:
    grouped: dict[str, set[Parts]] = defaultdict(set)
    for parts in files:
        grouped[parts[depth]].add(parts)
    return grouped


def font_cache() -> Path:
    """Return a matplotlib configuration folder with the fonts looked up: that costs a second of every start."""
    cache = BUILD / "cache" / f"matplotlib-{importlib.metadata.version('matplotlib')}"
    if not cache.is_dir():
        try:
            with aside(cache) as part:
                _look_up_fonts(part)
        except OSError:
            if not cache.is_dir():  # else another process was first
                raise
    return cache


def _look_up_fonts(folder: Path) -> None:
    """Fill a matplotlib configuration folder, which everybody may read."""
    folder.mkdir()
    settings = {**environment(), "MPLCONFIGDIR": str(folder), "HOME": str(folder)}
    subprocess.run(
        [sys.executable, "-c", "import matplotlib.font_manager"], env=settings, check=True, capture_output=True
    )
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
