"""Write the golden files anew: `python -m tests.golden [SECTION…]`. Read the difference before you commit it."""

import argparse

from autograder import files
from tests.golden import SECTIONS, path, text

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument("sections", nargs="*", choices=[*SECTIONS, []], metavar="SECTION")
    for section in parser.parse_args().sections or SECTIONS:
        files.atomic_write(path(section), text(SECTIONS[section]()).encode(), 0o644)
        print(path(section))
