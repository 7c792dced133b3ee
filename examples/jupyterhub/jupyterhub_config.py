"""JupyterHub on one machine: the accounts of the system, one environment for all, nbgrader's exchange as a folder."""

from pathlib import Path

TEACHERS = {"teacher"}
STUDENTS = "students"  # a group of the system
ENVIRONMENT = Path("/opt/attention")  # Python with requirements.txt, JupyterLab and JupyterHub
COURSE = Path("/srv/attention")  # the clone, with solutions and the course's secret: for teachers alone
KIT = Path("/srv/kit/attention-workbook/kit")  # what students import; all read it, teachers write it


def python_path(spawner) -> str:
    """Return the folder where a person's programs find `autograder`: for teachers the course, for students the kit."""
    return str(COURSE if spawner.user.name in TEACHERS else KIT)


c = get_config()  # noqa: F821 - JupyterHub hands it in
c.JupyterHub.bind_url = "http://127.0.0.1:8000"  # a web server in front of it has the certificate
c.JupyterHub.db_url = "sqlite:////srv/jupyterhub/jupyterhub.sqlite"
c.JupyterHub.cookie_secret_file = "/srv/jupyterhub/cookie_secret"
c.ConfigurableHTTPProxy.pid_file = "/srv/jupyterhub/proxy.pid"

c.JupyterHub.authenticator_class = "pam"
c.Authenticator.allowed_users = TEACHERS
c.PAMAuthenticator.allowed_groups = {STUDENTS}
c.Authenticator.allow_existing_users = False  # who has left the group is out

c.Spawner.cmd = [str(ENVIRONMENT / "bin" / "jupyterhub-singleuser")]
c.Spawner.default_url = "/lab"
c.Spawner.start_timeout = c.Spawner.http_timeout = 180  # seconds: a class begins all at once
c.Spawner.environment = {
    "PATH": f"{ENVIRONMENT / 'bin'}:/usr/local/bin:/usr/bin:/bin",
    "PYTHONPATH": python_path,
    "PYTHONDONTWRITEBYTECODE": "1",  # the kit is not theirs to write to
    "ATTENTION_STORE": lambda spawner: f"/home/{spawner.user.name}/.cache/attention",  # trained models, else in the kit
    "OMP_NUM_THREADS": "1",  # one class, one machine
}
