"""A stand-in for Gradescope's container: root with what Docker leaves it, in which namespaces are forbidden."""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from unittest.mock import patch

import pytest

from autograder.sandbox.bubblewrap import python_base
from autograder.sandbox.inside import seccomp

CAPABILITIES = """
CHOWN DAC_OVERRIDE FOWNER FSETID KILL SETGID SETUID SETPCAP NET_BIND_SERVICE NET_RAW SYS_CHROOT MKNOD AUDIT_WRITE
SETFCAP
""".split()  # Docker's
REFUSED = """
unshare setns mount umount2 pivot_root open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr bpf
perf_event_open keyctl add_key request_key userfaultfd init_module finit_module delete_module reboot swapon swapoff
"""
NAMESPACES = [("clone", [(0, 1 << bit, 1 << bit)]) for bit in range(32) if seccomp.NEW_NAMESPACES >> bit & 1]
IN_CONTAINER = "ATTENTION_IN_CONTAINER"  # set for the tests that run inside of it
PACKAGES = Path("/opt/attention/venv")


def demand_container() -> None:
    """Skip the test where this process cannot make such a container: only root can."""
    if os.geteuid() != 0 or shutil.which("bwrap") is None:
        pytest.skip("the stand-in for Gradescope's container needs root, and bubblewrap")


class Container:
    """An autograder's zip unpacked as Gradescope does it; on this system's programs, or in a root of its own."""

    def __init__(self, folder: Path, archive: Path, root: Path | None = None, more: tuple[str, ...] = ()) -> None:
        self.folder, self.root, self.more = folder, root, more  # more: arguments of bwrap's
        for name in ("source", "results", "submission"):
            (folder / "autograder" / name).mkdir(parents=True)
        (folder / "opt").mkdir()
        self.source = folder / "autograder" / "source"
        with zipfile.ZipFile(archive) as zipped:
            zipped.extractall(self.source)
        (folder / "autograder" / "submission_metadata.json").write_text('{"users": ["somebody"]}')
        for path in self.source.rglob("*"):
            path.chmod(0o755 if path.is_dir() or path.suffix == ".sh" else 0o644)

    def run(self, *command: str, seconds: float = 600, **settings: str) -> subprocess.CompletedProcess[str]:
        """Run a command as the container's root."""
        with tempfile.TemporaryFile() as rules:
            rules.write(_docker_filter())
            rules.seek(0)
            words = ["bwrap", *self._system(), "--proc", "/proc", "--dev", "/dev", "--unshare-pid", "--unshare-ipc"]
            words += ["--cap-drop", "ALL"]
            words += [word for name in CAPABILITIES for word in ("--cap-add", f"CAP_{name}")]
            words += ["--bind", str(self.folder / "autograder"), "/autograder", "--die-with-parent", "--new-session"]
            words += ["--seccomp", str(rules.fileno()), "--chdir", "/autograder", "--clearenv"]
            words += [word for name, value in settings.items() for word in ("--setenv", name, value)]
            words += ["--setenv", "PATH", "/usr/sbin:/usr/bin:/sbin:/bin", "--", *command]
            return subprocess.run(
                words, capture_output=True, text=True, pass_fds=[rules.fileno()], timeout=seconds, check=False
            )

    def _system(self) -> list[str]:
        opt = ["--bind", str(self.folder / "opt"), "/opt/attention"]
        if self.root:
            return ["--bind", str(self.root), "/", "--perms", "1777", "--tmpfs", "/tmp", *opt, *self.more]
        links = [word for name in ("bin", "lib", "lib64", "sbin") for word in ("--symlink", f"usr/{name}", f"/{name}")]
        shown = [word for path in ("/usr", "/etc", str(python_base())) for word in ("--ro-bind", path, path)]
        packages = ["--ro-bind", str(Path(sys.prefix).resolve()), str(PACKAGES)]
        above = ["/opt", "/autograder", *map(str, reversed(python_base().parents))]
        entered = [word for path in above if path != "/" for word in ("--perms", "0755", "--dir", path)]
        return [*entered, *shown, *links, "--perms", "1777", "--tmpfs", "/tmp", *opt, *packages]

    def hand_in(self, files: dict[str, bytes]) -> None:
        """Put files into the folder of the submission, in place of those there."""
        shutil.rmtree(self.folder / "autograder" / "submission")
        for name, content in files.items():
            path = self.folder / "autograder" / "submission" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        (self.folder / "autograder" / "submission").mkdir(exist_ok=True)


def _docker_filter() -> bytes:
    """Return a filter that refuses what Docker's default profile refuses a container's root."""
    with patch.multiple(seccomp, DENIED={"": REFUSED}, REFUSED_WITH=NAMESPACES):
        return seccomp.program.__wrapped__()
