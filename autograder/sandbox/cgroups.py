"""One control group per job: the kernel's own limit on what all its processes take together, where one can be had.

Where the processor is shared out by groups too, a job of thirty processes gets no more of it than a job of one.
"""

import os
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

MEMORY = 1536 << 20  # bytes of one job beyond what it shares with the warm process
PROCESSES = 64  # and threads
PREFIX = "wall-"
JUDGES = "wall-judges"  # where cgroup 2 wants a group without processes above the jobs', the judge moves in here

OLD_MEMORY = {"memory.limit_in_bytes": str(MEMORY), "memory.memsw.limit_in_bytes": str(MEMORY)}
OLD_PIDS = {"pids.max": str(PROCESSES)}
OLD_SHARE: dict[str, str] = {}  # a group begins with the share that one process has
NEW = {"memory.max": str(MEMORY), "memory.swap.max": "0", "memory.oom.group": "1", "pids.max": str(PROCESSES)}


@dataclass(frozen=True)
class Hierarchy:
    """A folder in which groups can be made, and the limits that each gets."""

    folder: Path
    limits: dict[str, str]


@dataclass
class Group:
    """The groups of one job, one in each hierarchy."""

    folders: list[Path]

    def add(self, pid: int) -> None:
        for folder in self.folders:
            (folder / "cgroup.procs").write_text(str(pid))

    def remove(self) -> bool:
        """Remove the groups; False while a dying process is still in one."""
        for folder in self.folders:
            with suppress(FileNotFoundError):
                try:
                    folder.rmdir()
                except OSError:
                    return False
        return True


class CgroupPool:
    """Makes groups for this process's jobs, and remembers those that could not be removed yet."""

    def __init__(self, hierarchies: list[Hierarchy]) -> None:
        self.hierarchies = hierarchies
        self.count = 0
        self._left: list[Group] = []

    def group(self) -> Group:
        """Return a new group with its limits set."""
        self._left = [group for group in self._left if not group.remove()]
        self.count += 1
        made = Group([])
        try:
            for hierarchy in self.hierarchies:
                folder = hierarchy.folder / f"{PREFIX}{os.getpid()}-{_born(os.getpid())}-{self.count}"
                folder.mkdir()
                made.folders.append(folder)
                for name, limit in hierarchy.limits.items():
                    with suppress(FileNotFoundError):  # a kernel that does not count swap
                        (folder / name).write_text(limit)
        except OSError:
            made.remove()
            raise
        return made

    def release(self, group: Group) -> None:
        """Remove a group, now or when the next one is made."""
        if not group.remove():
            self._left.append(group)


def nursery() -> CgroupPool | None:
    """Return where this process can make groups that limit memory, None where it cannot."""
    return _nursery(os.getpid())


@cache
def _nursery(pid: int) -> CgroupPool | None:
    with suppress(OSError, ValueError):
        sweep()
        found = hierarchies(Path("/proc/self/mountinfo").read_text(), Path("/proc/self/cgroup").read_text())
        made = CgroupPool(found)
        if any("memory" in name for hierarchy in found for name in hierarchy.limits):
            made.group().remove()
            return made
    return None


def hierarchies(mounts: str, memberships: str) -> list[Hierarchy]:
    """Return the hierarchies in which our own groups lie: cgroup 1's, or cgroup 2's if that is the one with memory."""
    split = [line.split(":", 2) for line in memberships.splitlines()]
    ours = {name: path for _, names, path in split for name in names.split(",")}
    found: dict[Path, dict[str, str]] = {}
    for line in mounts.splitlines():
        place, _, what = line.partition(" - ")
        root, mounted = place.split()[3:5]
        kind, _, options = what.split()[:3]
        for name, limits in (("memory", OLD_MEMORY), ("pids", OLD_PIDS), ("cpu", OLD_SHARE)):
            if kind == "cgroup" and name in options.split(",") and name in ours:
                folder = _inside(mounted, root, ours[name])
                if limits or folder in found or os.access(folder, os.W_OK):
                    found[folder] = found.get(folder, {}) | limits
        if kind == "cgroup2" and "" in ours:
            folder = _inside(mounted, root, ours[""])
            folder = folder.parent if folder.name == JUDGES else folder
            if delegated(folder):
                found[folder] = NEW
    return [Hierarchy(folder, limits) for folder, limits in found.items()]


def _inside(mounted: str, root: str, path: str) -> Path:
    relative = os.path.relpath(path, root)
    return Path(mounted) if relative.startswith("..") else Path(mounted, relative)


def delegated(folder: Path) -> bool:
    """Return whether groups of cgroup 2 in this folder can limit memory; moves this process away if need be."""
    try:
        if "memory" not in (folder / "cgroup.controllers").read_text().split():
            return False
        control = folder / "cgroup.subtree_control"
        with suppress(OSError):  # the processor by groups, where that may be had
            if "cpu" not in control.read_text().split():
                control.write_text("+cpu")
        if {"memory", "pids"} <= set(control.read_text().split()):
            return os.access(folder, os.W_OK)
        try:
            control.write_text("+memory +pids")
        except OSError:  # busy: a group with processes of its own has no groups with limits below it
            (folder / JUDGES).mkdir(exist_ok=True)
            (folder / JUDGES / "cgroup.procs").write_text(str(os.getpid()))
            control.write_text("+memory +pids")
            with suppress(OSError):
                control.write_text("+cpu")
    except OSError:
        return False
    return True


def _born(pid: int) -> str | None:
    """Return when a process started, in the kernel's clock ticks; None if there is no such process."""
    try:
        return Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return None


def sweep() -> None:
    """Remove the groups of judges that are no more, and kill what is left in them."""
    for folder in Path("/sys/fs/cgroup").glob(f"**/{PREFIX}*-*-*"):
        _clear(folder)


def _clear(folder: Path) -> None:
    pid, born, _ = folder.name.removeprefix(PREFIX).split("-")
    if pid.isdigit() and _born(int(pid)) != born:
        with suppress(OSError):
            for left in (folder / "cgroup.procs").read_text().split():
                os.kill(int(left), 9)
            folder.rmdir()
