"""nbgrader's settings for a teacher: CLASS/nbgrader_config.py, and a link to it in ~/.jupyter for formgrader."""

from pathlib import Path

from autograder.course import configure

configure(get_config(), Path(__file__).resolve().parent)  # noqa: F821 - nbgrader hands it in
load_subconfig("/etc/jupyter/nbgrader_config.py")  # noqa: F821 - which names course and exchange, for everybody
