"""The page on JupyterHub: its settings load, and its commands are ones that there are."""

import re
import shlex
import subprocess
import sys
import types
from pathlib import Path

import pytest
from nbgrader.apps.nbgraderapp import NbGraderApp
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from autograder import __main__ as command
from autograder.places import ROOT
from book.contents import page_file

FOLDER = ROOT / "examples" / "jupyterhub"
TEXT = (page_file("jupyterhub")).read_text("utf-8")
CODE = re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL) + re.findall(r"(?<!`)`([^`\n]+)`", TEXT)
LINES = [line.partition("  #")[0].strip() for block in CODE for line in block.splitlines()]


def loaded(name: str) -> Config:
    """Return what a file sets, read as JupyterHub and nbgrader read it."""
    return PyFileConfigLoader(name, path=str(FOLDER)).load_config()


def test_students_are_sent_to_the_kit_and_teachers_to_the_course() -> None:
    config = loaded("jupyterhub_config.py")
    path = config.Spawner.environment["PYTHONPATH"]
    spawners = {name: types.SimpleNamespace(user=types.SimpleNamespace(name=name)) for name in ("teacher", "ada")}
    places = {"teacher": "/srv/attention", "ada": "/srv/kit/attention-workbook/kit"}
    assert {name: path(each) for name, each in spawners.items()} == places


def test_a_class_has_the_courses_settings_and_the_exchange_of_everybody(tmp_path: Path) -> None:
    """Also by the link that formgrader reads: the class's folder is that of the file, not of the link."""
    written = (FOLDER / "class_nbgrader_config.py").read_text("utf-8")
    assert written.count('"/etc/jupyter/nbgrader_config.py"') == 1
    (tmp_path / "class").mkdir()
    file = tmp_path / "class" / "nbgrader_config.py"
    file.write_text(written.replace("/etc/jupyter/nbgrader_config.py", str(FOLDER / "nbgrader_config.py")))
    (tmp_path / "nbgrader_config.py").symlink_to(file)
    config = PyFileConfigLoader("nbgrader_config.py", path=str(tmp_path)).load_config()
    assert (config.CourseDirectory.root, config.CourseDirectory.course_id) == (str(file.parent), "attention")
    assert config.ExchangeFactory.collect == "autograder.gradebook.exchange.Collect"
    assert config.Exchange.root == "/srv/exchange"


def test_each_command_of_ours_and_of_nbgraders_is_one_that_there_is() -> None:
    ours = [line.partition("-m autograder ")[2] for line in LINES if line.startswith("python -m autograder ")]
    assert {line.split()[0] for line in ours} == {"release", "grade", "export"}
    for line in ours:
        command.arguments().parse_args(shlex.split(line))
    theirs = {line.split()[1] for line in LINES if line.startswith("nbgrader ")}
    assert {"release_assignment", "submit", "collect", "release_feedback"} <= theirs
    assert theirs <= {*NbGraderApp().subcommands.keys()}


TAKEN = """
import sys
from jupyterhub.app import JupyterHub

hub = JupyterHub()
hub.load_config_file(sys.argv[1])
parts = hub.authenticator_class(parent=hub), hub.spawner_class(parent=hub)
print(*(type(part).__name__ for part in parts))
"""


@pytest.mark.slow
def test_jupyterhub_takes_the_settings() -> None:
    """No hub is started and no file written; of a name that it does not know, JupyterHub says so in its log."""
    pytest.importorskip("jupyterhub")
    words = [sys.executable, "-c", TAKEN, str(FOLDER / "jupyterhub_config.py")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.split() == ["PAMAuthenticator", "LocalProcessSpawner"]
    assert "not recognized" not in done.stderr
