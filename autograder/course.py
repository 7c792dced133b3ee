"""A class's folder as nbgrader sees it: what differs from nbgrader's own settings."""

from pathlib import Path

from traitlets.config import Config

from autograder.places import BUILD, SOURCE

SETTINGS_FILE = '''"""nbgrader's settings for this class: `nbgrader formgrader` and the others work from this folder."""

from pathlib import Path

from autograder.course import configure

configure(get_config(), Path(__file__).parent)  # noqa: F821 - nbgrader hands it in
'''


def configure(config: Config, out: Path) -> Config:
    """Set what differs from nbgrader's own settings: our preprocessors, and where things lie."""
    config.CourseDirectory.root = str(out)
    config.CourseDirectory.course_id = ""
    config.CourseDirectory.source_directory = str(SOURCE)
    config.CourseDirectory.release_directory = str(BUILD / "release")
    config.CourseDirectory.submitted_directory = "received"
    config.OverwriteCells.add_missing_cells = True
    config.Autograde.sanitize_preprocessors = [
        "nbgrader.preprocessors.OverwriteCells",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]
    config.Autograde.autograde_preprocessors = [
        "autograder.preprocessors.Verdicts",
        "nbgrader.preprocessors.SaveAutoGrades",
        "nbgrader.preprocessors.AssignLatePenalties",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]
    config.GenerateFeedback.exporter_class = "autograder.pages.Page"
    return config
