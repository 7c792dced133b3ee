"""Debian's PostgreSQL for a test: a server of its own in a temporary folder, with a socket and no port."""

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

QUICK = "-c listen_addresses='' -c fsync=off -c shared_buffers=16MB -c max_connections=20"


def programs() -> Path:
    """Return where initdb and its like are; Debian keeps them off the path."""
    folders = [path.parent for path in sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))]
    on_path = shutil.which("initdb")
    if not folders and not on_path:
        pytest.skip("no PostgreSQL here: apt-get install postgresql")
    return folders[-1] if folders else Path(str(on_path)).parent


class Server:
    """A server that can be stopped and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.bin, self.account = folder, programs(), None
        if os.geteuid() == 0:  # PostgreSQL does not run as root
            try:
                self.account = pwd.getpwnam("postgres")
            except KeyError:
                self.account = pwd.getpwnam("nobody")
            os.chown(folder, self.account.pw_uid, self.account.pw_gid)
        self._run("initdb", "-U", "grader", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C", "-D", "data")

    def _run(self, program: str, *words: str) -> None:
        who = {"user": self.account.pw_uid, "group": self.account.pw_gid, "extra_groups": []} if self.account else {}
        log = self.folder / f"{program}.out"  # no pipe: the server would keep it open
        with log.open("w") as file:
            subprocess.run(
                [str(self.bin / program), *words],
                cwd=self.folder, env={"LC_ALL": "C"}, stdout=file, stderr=file, check=True, timeout=60, **who,
            )  # fmt: skip

    def start(self) -> None:
        self._run("pg_ctl", "-D", "data", "-w", "-l", "server.log", "-o", f"{QUICK} -k {self.folder}", "start")

    def stop(self, how: str = "immediate") -> None:
        self._run("pg_ctl", "-D", "data", "-w", "-m", how, "stop")

    def database(self, name: str) -> str:
        """Return the URL of a new database."""
        self._run("createdb", "-U", "grader", "-h", str(self.folder), name)
        return f"postgresql://grader@/{name}?host={self.folder}"


@contextlib.contextmanager
def running() -> Iterator[Server]:
    """Give a running server; its folder's name is short, for the path of a socket may not be long."""
    with tempfile.TemporaryDirectory(prefix="pg", dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        server = Server(Path(folder))
        server.start()
        try:
            yield server
        finally:
            with contextlib.suppress(subprocess.CalledProcessError):
                server.stop()
