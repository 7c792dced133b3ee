"""Run a notebook's file as grading does, and print its score: python kit/check.py NOTEBOOK."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from autograder.kit.whole_file.dry_run import main

if __name__ == "__main__":
    sys.exit(main())
