"""Where students open notebooks in the browser: the repository named in _config.yml, and addresses of services."""

import re
from pathlib import Path
from urllib.parse import quote

import yaml

from autograder.places import ROOT

KEY = "students_repository"
REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+/[\w./-]+")
BADGE = "https://colab.research.google.com/assets/colab-badge.svg"


def students_repository(root: Path | None = None) -> str:
    """Return the repository of _config.yml that holds what kit.zip holds, OWNER/REPOSITORY/BRANCH; "" for none."""
    path = (root or ROOT) / "_config.yml"
    if not path.exists():
        return ""
    config = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    return ((config.get("sphinx") or {}).get("config") or {}).get(KEY) or ""


def parts(repository: str) -> tuple[str, str, str]:
    """Return owner, project and branch; raise ValueError unless there are all three."""
    if not REPOSITORY.fullmatch(repository):
        raise ValueError(f"{KEY}: expected OWNER/REPOSITORY/BRANCH on GitHub, got {repository!r}")
    owner, project, branch = repository.split("/", 2)
    return owner, project, branch


def services(name: str, repository: str) -> list[tuple[str, str]]:
    """Return the services that can open a notebook of a repository: name, address; none without a repository.

    It has to hold what the folder in kit.zip holds, as `publish` writes it; for Binder, the requirements at its top.
    """
    if not repository:
        return []
    owner, project, branch = parts(repository)
    path = f"kit/notebooks/{name}/{name}.ipynb"
    return [
        ("Colab", f"https://colab.research.google.com/github/{owner}/{project}/blob/{branch}/{path}"),
        ("Binder", f"https://mybinder.org/v2/gh/{owner}/{project}/{quote(branch, '')}?labpath={quote(path, '')}"),
    ]


def badge(name: str, repository: str) -> str:
    """Return Markdown that opens a notebook in Colab, "" without a repository."""
    return "".join(f"[![Open in Colab]({BADGE})]({url})" for service, url in services(name, repository)[:1])
