"""The sandbox's view of this machine: Python, the kit, and the packages that the kit needs; none of the rest."""

import importlib.metadata
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from autograder.places import BUILD, HOME, INSIDE, ROOT
from autograder.sandbox.bubblewrap import NoSandbox, python_base, system_places

WORKER_REQUIREMENTS = (
    "torch",
    "numpy",
    "matplotlib",
    "matplotlib-inline",
    "ipython",
    "jaxtyping",
    "tqdm",
)  # the worker's own
PACKAGES = "/packages"
PREFIX = Path("/python")  # Python finds its library by the place of its program
SHARED = Path("/python/shared")
VERSION = f"python3.{sys.version_info.minor}"
OWN = {*sys.stdlib_module_names, "lib-dynload", "__pycache__"}


@dataclass(frozen=True)
class View:
    """The mounts, {path inside: path outside}, the covered paths, the Python to run, and its environment."""

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
    "MALLOC_MMAP_THRESHOLD_": "131072",  # else glibc raises it: freed memory would stay, and be measured as held
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    "MPLCONFIGDIR": "/tmp/matplotlib",
    "IPYTHONDIR": "/tmp/ipython",
}


def view(kit: Path) -> View:
    """Return the view of student code that runs with this kit."""
    mounts = {"/sandbox/inside": INSIDE, "/kit": kit.resolve(), **_python_shown(), **packages(kit)}
    hidden = {*_python_hidden(), *_private_paths(mounts | {str(path): path for path in system_places()})}
    outermost = sorted(path for path in hidden if not hidden & set(map(str, Path(path).parents)))
    settings = {
        "PATH": f"{PREFIX}/bin:/usr/bin:/bin",
        "PYTHONPATH": f"/sandbox:/kit:{PACKAGES}",
        "LD_LIBRARY_PATH": str(SHARED),
        **SETTINGS,
    }
    return View(mounts, outermost, f"{PREFIX}/bin/{VERSION}", settings)


def _python_shown() -> dict[str, Path]:
    """Return the mounts of Python's own installation, at places inside that name no user.

    The rest of its prefix is not shown: on many machines that is /usr, and a course or a class may lie in it too.
    """
    program = Path(sys.executable).resolve()
    program = program if program.is_relative_to(python_base()) else python_base() / "bin" / VERSION
    places = {str(PREFIX / "bin" / name): program for name in dict.fromkeys(("python", "python3", VERSION))}
    places |= {str(PREFIX / library.relative_to(python_base())): library for library in _libraries()}
    if python_base() != Path("/usr"):  # there they are among the system's
        places |= {str(PREFIX / "lib" / file.name): file for file in sorted((python_base() / "lib").glob("*.so*"))}
    if (itself := python_base() / "lib" / (sysconfig.get_config_var("INSTSONAME") or "")).is_file():
        places[str(SHARED / itself.name)] = itself
    return places


def _python_hidden() -> list[str]:
    """Return the folders to cover: they lie in the standard library and belong to something else."""
    return [
        str(PREFIX / folder.relative_to(python_base()))
        for library in _libraries()
        for folder in sorted(library.iterdir())
        if folder.is_dir() and folder.name not in OWN
    ]


def _libraries() -> Iterator[Path]:
    """Yield the folders of the standard library; some systems have one for each size of a word."""
    for name in dict.fromkeys(("lib", sys.platlibdir)):
        if (folder := python_base() / name / VERSION).is_dir():
            yield folder


def _private_paths(paths: dict[str, Path]) -> Iterator[str]:
    """Yield the paths inside at which the course or the teacher's home would be visible: they must be covered."""
    for private in dict.fromkeys((HOME, ROOT, BUILD.resolve(), Path.home().resolve())):
        for inside, outside in paths.items():
            source = outside.resolve()
            if private.is_dir() and private != source and private.is_relative_to(source):
                yield str(Path(inside, private.relative_to(source)))


def plain_view(kit: Path, folder: Path) -> View:
    """Return the view without a sandbox: nothing is bound or covered, home and configuration lie below `folder`."""
    for path in ("home", "sandbox"):
        (folder / path).mkdir(exist_ok=True)
    if not (folder / "sandbox" / "inside").is_symlink():
        (folder / "sandbox" / "inside").symlink_to(INSIDE)
    settings = {name: value.replace("/tmp/", f"{folder}/") for name, value in SETTINGS.items()}
    settings |= {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "PYTHONPATH": f"{folder / 'sandbox'}:{kit.resolve()}",
    }
    return View({}, [], sys.executable, settings)


def packages(kit: Path) -> dict[str, Path]:
    """Return the files and folders of the distributions that the kit needs: {path inside: path outside}."""
    mounts: dict[str, Path] = {}
    for name in sorted(closure([*WORKER_REQUIREMENTS, *_required(kit)])):
        distribution = _installed()[name]
        for top in _top_names(distribution):
            if (source := Path(str(distribution.locate_file(top)))).exists():
                mounts.setdefault(f"{PACKAGES}/{top}", source)
    return mounts


def _top_names(distribution: importlib.metadata.Distribution) -> list[str]:
    """Return a distribution's own files and folders in the packages' folder, without shared ones."""
    record = distribution.read_text("RECORD")
    if record:  # read by hand: importlib makes an object of each of torch's 20,000 lines
        paths = (line.rsplit(",", 2)[0].strip('"') for line in record.splitlines())
    else:
        paths = map(str, distribution.files or (distribution.read_text("top_level.txt") or "").split())
    return sorted({path.partition("/")[0] for path in paths} - {"", "..", "__pycache__"})


def _required(kit: Path) -> list[str]:
    try:
        return _stated((kit / "grader.txt").read_text(encoding="utf-8").splitlines())
    except FileNotFoundError:
        return []


def _stated(lines: Iterable[str]) -> list[str]:
    """Return the requirements in the lines of a file, without comments."""
    return [line.split("#")[0].strip() for line in lines if line.split("#")[0].strip()]


def importable(lines: Iterable[str]) -> list[str]:
    """Return the top-level modules that student code can import with these requirements, sorted."""
    needed = closure([*WORKER_REQUIREMENTS, *_stated(lines)])
    known = packages_of_modules().items()
    return sorted(module for module, names in known if needed & set(map(canonicalize_name, names)))


# {top-level module: names of the distributions that hold it}; to read all that are installed takes long.
packages_of_modules = cache(importlib.metadata.packages_distributions)


@cache
def _installed() -> dict[str, importlib.metadata.Distribution]:
    """Return the installed distributions by canonical name; of two of one name the first, which is imported."""
    distributions: dict[str, importlib.metadata.Distribution] = {}
    for distribution in importlib.metadata.distributions():
        distributions.setdefault(canonicalize_name(distribution.metadata["Name"] or ""), distribution)
    return distributions


def closure(requirements: Iterable[str]) -> set[str]:
    """Return the names of these requirements and of all that they depend on; raise NoSandbox where one is missing."""
    installed = _installed()
    todo = [Requirement(text) for text in requirements]
    if missing := [str(requirement) for requirement in todo if canonicalize_name(requirement.name) not in installed]:
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
            todo += [
                requirement
                for requirement in further
                if not requirement.marker or requirement.marker.evaluate({"extra": extra})
            ]
    return {name for name, _ in done}
