"""The pages on JupyterHub, ngshare and LTI: their settings load, and their commands are ones that there are."""

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

FOLDER = ROOT / "examples" / "jupyterhub"
FILES = sorted(FOLDER.glob("*.py"))
HUBS = ["jupyterhub_config.py", "ngshare_config.py", "lti_config.py"]
PAGES = {name: (ROOT / "book" / f"{name}.md").read_text("utf-8") for name in ("jupyterhub", "ngshare", "lti")}
TEXT = "\n".join(PAGES.values())
CODE = re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL) + re.findall(r"(?<!`)`([^`\n]+)`", TEXT)
LINES = [line.partition("  #")[0].strip() for block in CODE for line in block.splitlines()]


def loaded(name: str) -> Config:
    """Return what a file sets, read as JupyterHub and nbgrader read it."""
    return PyFileConfigLoader(name, path=str(FOLDER)).load_config()


@pytest.fixture
def ngshare_exchange(monkeypatch) -> types.ModuleType:
    """Return a stand-in for the package, which is in no requirements."""
    module = types.ModuleType("ngshare_exchange")
    vars(module)["configureExchange"] = lambda config, url: config.ExchangeFactory.update(exchange=url)
    monkeypatch.setitem(sys.modules, "ngshare_exchange", module)
    return module


def test_students_are_sent_to_the_kit_and_teachers_to_the_course() -> None:
    config = loaded("jupyterhub_config.py")
    path = config.Spawner.environment["PYTHONPATH"]
    spawners = {name: types.SimpleNamespace(user=types.SimpleNamespace(name=name)) for name in ("teacher", "ada")}
    places = {"teacher": "/srv/attention", "ada": "/srv/kit/attention-workbook/kit"}
    assert {name: path(each) for name, each in spawners.items()} == places


@pytest.mark.parametrize("name", HUBS[1:])
def test_the_other_hubs_are_the_first_with_changes(name: str) -> None:
    first, config = loaded(HUBS[0]), loaded(name)
    assert config.Spawner.cmd == first.Spawner.cmd
    assert config.JupyterHub.bind_url == first.JupyterHub.bind_url
    assert config != first


def test_a_service_that_keeps_the_work_of_all_does_not_run_as_root() -> None:
    [service] = loaded("ngshare_config.py").JupyterHub.services
    assert service["user"] == "ngshare"


def test_the_name_of_a_user_is_none_that_students_can_choose() -> None:
    config = loaded("lti_config.py")
    assert config.LTI13Authenticator.username_key.startswith("custom_")
    assert config.LTI13Authenticator.jwks_endpoint.startswith(config.LTI13Authenticator.issuer)


@pytest.mark.parametrize(("name", "is_let_in"), [("ada", True), ("teacher", True), ("root", False), ("7", False)])
def test_only_who_has_an_account_for_the_course_is_let_in(name: str, is_let_in: bool, monkeypatch) -> None:
    """Whatever names the LMS knows: a server of the hub runs as the system's user of that name."""
    monkeypatch.setattr("grp.getgrnam", lambda group: types.SimpleNamespace(gr_mem=["ada", "bob"]))
    launch = {"name": name}
    let_in = loaded("lti_config.py").Authenticator.post_auth_hook(None, None, launch)
    assert let_in == (launch if is_let_in else None)


@pytest.mark.parametrize("name", ["nbgrader_config.py", "ngshare_nbgrader_config.py"])
def test_everybody_has_the_same_course(name: str, ngshare_exchange: types.ModuleType) -> None:
    assert loaded(name).CourseDirectory.course_id == "attention"


@pytest.mark.parametrize("name", ["nbgrader_config.py", "ngshare_nbgrader_config.py"])
def test_a_class_has_the_courses_settings_and_the_exchange_of_everybody(
    name: str, ngshare_exchange: types.ModuleType, tmp_path: Path, monkeypatch
) -> None:
    """Also by the link that formgrader reads: the class's folder is that of the file, not of the link."""
    written = (FOLDER / "class_nbgrader_config.py").read_text("utf-8")
    assert written.count('"/etc/jupyter/nbgrader_config.py"') == 1
    (tmp_path / "class").mkdir()
    file = tmp_path / "class" / "nbgrader_config.py"
    file.write_text(written.replace("/etc/jupyter/nbgrader_config.py", str(FOLDER / name)))
    (tmp_path / "nbgrader_config.py").symlink_to(file)
    config = PyFileConfigLoader("nbgrader_config.py", path=str(tmp_path)).load_config()
    assert (config.CourseDirectory.root, config.CourseDirectory.course_id) == (str(file.parent), "attention")
    assert config.Autograde.exporter_class == "autograder.gradebook.converters.Submission"
    assert config.Exchange.get("root") == "/srv/exchange" or config.ExchangeFactory.exchange.endswith("/ngshare")


def test_each_file_is_shown_on_a_page_and_copied_from_where_it_lies() -> None:
    shown = re.findall(r"^```\{literalinclude\} \.\./examples/jupyterhub/(\S+)$", TEXT, re.MULTILINE)
    assert sorted(shown) == [path.name for path in FILES]


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
@pytest.mark.parametrize("name", HUBS)
def test_jupyterhub_takes_the_settings(name: str) -> None:
    """No hub is started and no file written; of a name that it does not know, JupyterHub says so in its log."""
    pytest.importorskip("jupyterhub")
    if name == "lti_config.py":
        pytest.importorskip("ltiauthenticator")
    words = [sys.executable, "-c", TAKEN, str(FOLDER / name)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=True)
    authenticator = "LTI13Authenticator" if name == "lti_config.py" else "PAMAuthenticator"
    assert done.stdout.split() == [authenticator, "LocalProcessSpawner"]
    assert "not recognized" not in done.stderr
