"""Copy the kit's notebooks into a folder to work in: python kit/start.py [FOLDER]."""

import argparse
import contextlib
import os
import platform
import shutil
import sys
from pathlib import Path

KIT = Path(__file__).resolve().parent
OLDEST, TRIED = (3, 11), (3, 14)
WINDOWS = os.name == "nt"


def main():
    """Copy the missing notebooks; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python kit/start.py",
        description="Copies each notebook into a folder to work in. Files that are there already stay as they are.",
    )
    parser.add_argument("folder", nargs="?", default="work", metavar="FOLDER", help="to copy into (default: work)")
    folder = Path(parser.parse_args().folder).expanduser()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError):
            stream.reconfigure(errors="replace")  # pyright: ignore[reportAttributeAccessIssue] — a console of Windows may lack a letter of a folder's name
    this = written(sys.version_info[:3])
    if sys.version_info[:2] < OLDEST:
        print(f"The course needs Python {written(OLDEST)} or newer; this is {this}.\n{way_out()}", file=sys.stderr)
        return 2
    if sys.version_info[:2] > TRIED:
        print(f"Python {this} is newer than the last tried, {written(TRIED)}. If pip finds no torch for it, use that.")
    if (sys.platform, platform.machine()) == ("darwin", "x86_64"):
        print("There is no PyTorch for this Mac, which has an Intel processor: use Colab, START HERE.txt says how.")
    try:
        names = (KIT / "order.txt").read_text(encoding="utf-8").split()
        for number, name in enumerate(names, 1):
            copy(name, number, folder)
        bring_kit(folder.resolve())
    except OSError as error:
        print(f"python kit/start.py: {error}", file=sys.stderr)
        return 2
    print(f"Begin with the first. START HERE.txt says how to go on: an environment, then jupyter lab {folder}")
    return 0


def written(version):
    """Return a version in writing: "3.11"."""
    return ".".join(map(str, version))


def way_out():
    """Return the advice for getting a suitable Python."""
    again = "py -{} kit/start.py" if WINDOWS else "python{} kit/start.py"
    return (
        f"If you have several, try: {again.format(written(TRIED))}\n"
        f"Else get {written(TRIED)} from python.org, or with uv (docs.astral.sh/uv): START HERE.txt has the commands."
    )


def copy(name, number, folder):
    """Copy a missing notebook, whole or not at all; its name begins with its place in the course."""
    notebook = next(place for place in released(name) if place.is_file())
    copies = [place for place in sorted(folder.glob(f"*/{name}.ipynb")) if place.parent.name.endswith(name)]
    place = copies[0] if copies else folder / f"{number}-{name}" / f"{name}.ipynb"
    if os.path.lexists(place):
        print(f"{place} is there already and stays as it is")
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    aside = place.with_name(f".{place.name}.part")
    shutil.copyfile(notebook, aside)
    aside.replace(place)
    print(f"{place} is new")


def released(name):
    """Return the possible paths of a released notebook: inside the kit, as in kit.zip, else beside it."""
    return [folder / name / f"{name}.ipynb" for folder in (KIT / "notebooks", KIT.parent)]


def bring_kit(folder):
    """Put the kit where notebooks look for it: beside their folders, or further up."""
    if any((place / "kit" / "autograder").is_dir() for place in [folder, *folder.parents]):
        return
    link = folder / "kit"
    if link.is_symlink():  # to a kit that is gone
        link.unlink()
    try:
        link.symlink_to(os.path.relpath(KIT, folder), target_is_directory=True)
    except OSError:  # Windows lets few people make links
        shutil.copytree(KIT, link, ignore=shutil.ignore_patterns("build", "__pycache__"))


if __name__ == "__main__":
    sys.exit(main())
