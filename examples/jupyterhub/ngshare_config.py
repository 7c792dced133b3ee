"""The same hub with ngshare in the place of the exchange's folder: `jupyterhub -f ngshare_config.py`."""

from pathlib import Path

c = get_config()  # noqa: F821 - JupyterHub hands it in
load_subconfig(str(Path(__file__).with_name("jupyterhub_config.py")))  # noqa: F821 - and this too

NGSHARE = Path("/opt/ngshare/bin/python")  # an environment of its own, which students have no part in
PLACE = Path("/srv/ngshare")  # for the user `ngshare` alone
STORED = ["--database", f"sqlite:///{PLACE / 'ngshare.db'}", "--storage", str(PLACE / "files")]
USE = "access:services!service=ngshare"

c.JupyterHub.services = [
    {
        "name": "ngshare",
        "user": "ngshare",
        "url": "http://127.0.0.1:10101",
        "command": [str(NGSHARE), "-m", "ngshare", "--admins", "teacher", *STORED],
    }
]
# The commands of nbgrader use the token of the server that they run in: it has to be good for ngshare too.
c.Spawner.server_token_scopes = ["users:activity!user", "access:servers!server", USE]
c.JupyterHub.load_roles = [{"name": "user", "scopes": ["self", USE]}]
