"""Copy the notebooks beside the kit into a folder to work in: python kit/start.py [FOLDER]."""

import argparse
import os
import shutil
import sys
from pathlib import Path

KIT = Path(__file__).resolve().parent
FIRST, LAST = (3, 11), (3, 13)


def main():
    """Copy what is not there yet; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python kit/start.py",
        description="Copies each notebook into a folder to work in. What is there already stays as it is.",
    )
    parser.add_argument("folder", nargs="?", default="work", metavar="FOLDER", help="where to (default: work)")
    folder = Path(parser.parse_args().folder).expanduser()
    if not FIRST <= sys.version_info[:2] <= LAST:
        serve = "Python {}.{} to {}.{}".format(*FIRST, *LAST)
        print("The course needs {}; this is {}.{}.{}.".format(serve, *sys.version_info[:3]), file=sys.stderr)
        return 2
    try:
        for notebook in sorted(KIT.parent.glob("*/*.ipynb")):
            if notebook.stem == notebook.parent.name:
                copy(notebook, folder / notebook.parent.name / notebook.name)
        bring_kit(folder.resolve())
    except OSError as error:
        print(f"python kit/start.py: {error}", file=sys.stderr)
        return 2
    print(f"Work there: jupyter lab {folder}")
    return 0


def copy(notebook, place):
    """Copy a notebook, whole or not at all, to where there is none yet."""
    if os.path.lexists(place):
        print(f"{place} is there already and stays as it is")
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    aside = place.with_name(f".{place.name}.part")
    shutil.copyfile(notebook, aside)
    aside.replace(place)
    print(f"{place} is new")


def bring_kit(folder):
    """See to it that notebooks find the kit, which they look for beside their folders and further up."""
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
