"""The same hub, entered from a course in an LMS by LTI 1.3: `jupyterhub -f lti_config.py`."""

from grp import getgrnam
from pathlib import Path

LMS = "https://moodle.example.org"  # it shows these four when the tool is registered; the paths are Moodle's
CLIENT = "the client ID"

c = get_config()  # noqa: F821 - JupyterHub hands it in
load_subconfig(str(Path(__file__).with_name("jupyterhub_config.py")))  # noqa: F821 - and this too


def with_account(authenticator, handler, launch: dict) -> dict | None:
    """Return the launch of a teacher or of somebody in `students`, and None for others: an LMS may know a `root`."""
    return launch if launch["name"] in {"teacher", *getgrnam("students").gr_mem} else None


c.JupyterHub.authenticator_class = "ltiauthenticator.lti13.auth.LTI13Authenticator"
c.LTI13Authenticator.issuer = LMS
c.LTI13Authenticator.client_id = [CLIENT]
c.LTI13Authenticator.authorize_url = f"{LMS}/mod/lti/auth.php"
c.LTI13Authenticator.jwks_endpoint = f"{LMS}/mod/lti/certs.php"
# The tool's custom parameter `account=$User.username`: nothing that students can change in their profiles.
c.LTI13Authenticator.username_key = "custom_account"
c.LTI13Authenticator.uri_scheme = "https"
c.Authenticator.allow_all = True
c.Authenticator.post_auth_hook = with_account
