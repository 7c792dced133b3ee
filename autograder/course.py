"""nbgrader's configuration for a class's folder: our settings, and replacements where nbgrader has no setting."""

import sys
from datetime import datetime
from importlib import import_module
from pathlib import Path

from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import parse_utc
from traitlets.config import Config

from autograder.places import BUILD, SOURCE
from autograder.settings import settings
from autograder.submissions.notebook import LARGEST_FILE, Unreadable, read_below

SETTINGS_FILE = '''"""nbgrader's settings for this class; its commands and formgrader's server run in this folder."""

from pathlib import Path

from autograder.course import configure

configure(get_config(), Path(__file__).parent)  # noqa: F821 - nbgrader hands it in
'''

LONGEST_TIMESTAMP = 1000
# Replacements where nbgrader has no setting: its module, the class or function there, our module, ours.
PARTS = [
    ("apps.autogradeapp", "Autograde", "converters", "Autograding"),
    ("apps.generatefeedbackapp", "GenerateFeedback", "converters", "Feedback"),
    ("apps.api", "Autograde", "converters", "Autograding"),
    ("apps.api", "GenerateFeedback", "converters", "Feedback"),
    ("server_extensions.formgrader.formgrader", "HTMLExporter", "pages.formgrader", "Sheet"),
    ("server_extensions.formgrader.apihandlers", "default_handlers", "by_hand.marking", "HANDLERS"),
]


def configure(config: Config, out: Path) -> Config:
    """Return the config with the course's settings in it: folders, readers, judges, exporters. Called by each class."""
    config.CourseDirectory.root = str(out)
    config.CourseDirectory.course_id = ""
    config.CourseDirectory.source_directory = str(SOURCE)
    config.CourseDirectory.release_directory = str(BUILD / "release")
    if settings().late:
        config.AssignLatePenalties.plugin_class = "autograder.gradebook.people.lateness.EachDay"
    config.ExchangeFactory.collect = "autograder.gradebook.exchange.Collect"
    config.ExchangeFactory.release_feedback = "autograder.gradebook.exchange.ReleaseFeedback"
    replace_nbgrader_parts()
    return config


def replace_nbgrader_parts() -> None:
    """Replace the parts of nbgrader that a submission or a bonus can break, in its loaded modules."""
    CourseDirectory.get_existing_timestamp = lambda self, dest_path: timestamp(Path(dest_path))
    for theirs, part, home, ours in PARTS:
        if module := sys.modules.get(f"nbgrader.{theirs}"):
            setattr(module, part, getattr(import_module(f"autograder.gradebook.{home}"), ours))


def content(path: Path, max_bytes: int = LARGEST_FILE) -> bytes:
    """Return the bytes of a file in STUDENT/NAME; no link below the class's folder may lead to somebody else's."""
    path = path.absolute()
    return read_below(path.parents[2], path.parts[-3:], max_bytes)


def read_timestamp(folder: Path) -> bytes | None:
    """Return the content of the timestamp.txt in STUDENT/NAME, None where it cannot be read."""
    try:
        return content(folder / "timestamp.txt", LONGEST_TIMESTAMP)
    except Unreadable:
        return None


def timestamp(folder: Path) -> datetime | None:
    """Return a submission's time, in UTC; None where timestamp.txt cannot be read, on which nbgrader would fail."""
    return parse_timestamp(read_timestamp(folder) or b"")


def parse_timestamp(written: bytes) -> datetime | None:
    """Return the time in the content of a timestamp.txt, in UTC; None where it holds none."""
    try:
        when = parse_utc(written.decode("utf-8").strip())
    except (ValueError, OverflowError, TypeError, OSError):
        return None
    return when if 1 < when.year < 9999 else None  # the outermost years cannot be shown in every time zone
