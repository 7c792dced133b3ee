"""One control group per job limits the memory and number of all its processes together, where cgroups are available.

Where the CPU is shared by groups too, a job of thirty processes gets no more of it than a job of one.
"""

import os
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

MAX_MEMORY = 1536 << 20  # bytes of one job beyond what it shares with the zygote
MAX_PROCESSES = 64  # and threads
PREFIX = "sandbox-"
JUDGE_GROUP = "sandbox-judges"  # cgroup 2 allows no processes in the group above the jobs: the judge moves to this one

V1_MEMORY = {"memory.limit_in_bytes": str(MAX_MEMORY), "memory.memsw.limit_in_bytes": str(MAX_MEMORY)}
V1_PIDS = {"pids.max": str(MAX_PROCESSES)}
V1_CPU: dict[str, str] = {}  # a new group has the share of one process
V2_LIMITS = {
    "memory.max": str(MAX_MEMORY),
    "memory.swap.max": "0",
    "memory.oom.group": "1",
    "pids.max": str(MAX_PROCESSES),
}


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
        """Remove the groups; return whether that worked: it does not while a dying process is still in one."""
        for folder in self.folders:
            with suppress(FileNotFoundError):
                try:
                    folder.rmdir()
                except OSError:
                    return False
        return True


class CgroupPool:
    """Makes groups for this process's jobs, and keeps those that could not be removed yet for another try."""

    def __init__(self, hierarchies: list[Hierarchy]) -> None:
        self.hierarchies = hierarchies
        self.count = 0
        self._not_removed: list[Group] = []

    def new_group(self) -> Group:
        """Return a new group with its limits set; raise OSError where the kernel refuses one."""
        self._not_removed = [group for group in self._not_removed if not group.remove()]
        self.count += 1
        group = Group([])
        try:
            for hierarchy in self.hierarchies:
                folder = hierarchy.folder / f"{PREFIX}{os.getpid()}-{_start_time(os.getpid())}-{self.count}"
                folder.mkdir()
                group.folders.append(folder)
                for name, limit in hierarchy.limits.items():
                    with suppress(FileNotFoundError):  # a kernel that does not count swap
                        (folder / name).write_text(limit)
        except OSError:
            group.remove()
            raise
        return group

    def release(self, group: Group) -> None:
        """Remove a group, now or when the next one is made."""
        if not group.remove():
            self._not_removed.append(group)


def cgroup_pool() -> CgroupPool | None:
    """Return this process's pool of groups that limit memory, None where it cannot make any."""
    return _cgroup_pool(os.getpid())


@cache
def _cgroup_pool(pid: int) -> CgroupPool | None:
    with suppress(OSError, ValueError):
        remove_stale()
        available = hierarchies(Path("/proc/self/mountinfo").read_text(), Path("/proc/self/cgroup").read_text())
        pool = CgroupPool(available)
        if any("memory" in name for hierarchy in available for name in hierarchy.limits):
            pool.new_group().remove()
            return pool
    return None


def hierarchies(mounts: str, memberships: str) -> list[Hierarchy]:
    """Return the hierarchies of this process's groups, from /proc/self/mountinfo and /proc/self/cgroup.

    They are those of cgroup 1, or that of cgroup 2 if it is the one that limits memory.
    """
    lines = [line.split(":", 2) for line in memberships.splitlines()]
    memberships_by_name = {name: path for _, names, path in lines for name in names.split(",")}
    limits_by_folder: dict[Path, dict[str, str]] = {}
    for line in mounts.splitlines():
        mount, _, filesystem = line.partition(" - ")
        root, mounted = mount.split()[3:5]
        kind, _, options = filesystem.split()[:3]
        for name, limits in (("memory", V1_MEMORY), ("pids", V1_PIDS), ("cpu", V1_CPU)):
            if kind == "cgroup" and name in options.split(",") and name in memberships_by_name:
                folder = _group_folder(mounted, root, memberships_by_name[name])
                if limits or folder in limits_by_folder or os.access(folder, os.W_OK):
                    limits_by_folder[folder] = limits_by_folder.get(folder, {}) | limits
        if kind == "cgroup2" and "" in memberships_by_name:
            folder = _group_folder(mounted, root, memberships_by_name[""])
            folder = folder.parent if folder.name == JUDGE_GROUP else folder
            if can_limit_memory(folder):
                limits_by_folder[folder] = V2_LIMITS
    return [Hierarchy(folder, limits) for folder, limits in limits_by_folder.items()]


def _group_folder(mounted: str, root: str, path: str) -> Path:
    relative = os.path.relpath(path, root)
    return Path(mounted) if relative.startswith("..") else Path(mounted, relative)


def can_limit_memory(folder: Path) -> bool:
    """Return whether cgroup-2 groups in this folder can limit memory; if need be, move this process to JUDGE_GROUP."""
    try:
        if "memory" not in (folder / "cgroup.controllers").read_text().split():
            return False
        control = folder / "cgroup.subtree_control"
        with suppress(OSError):  # CPU shares by group are welcome, not needed
            if "cpu" not in control.read_text().split():
                control.write_text("+cpu")
        if {"memory", "pids"} <= set(control.read_text().split()):
            return os.access(folder, os.W_OK)
        try:
            control.write_text("+memory +pids")
        except OSError:  # busy: a group with processes of its own has no groups with limits below it
            (folder / JUDGE_GROUP).mkdir(exist_ok=True)
            (folder / JUDGE_GROUP / "cgroup.procs").write_text(str(os.getpid()))
            control.write_text("+memory +pids")
            with suppress(OSError):
                control.write_text("+cpu")
    except OSError:
        return False
    return True


def _start_time(pid: int) -> str | None:
    """Return when a process started, in the kernel's clock ticks; None if there is no such process."""
    try:
        return Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return None


def remove_stale() -> None:
    """Remove the groups of judges that have ended, and kill what still runs in them."""
    for folder in Path("/sys/fs/cgroup").glob(f"**/{PREFIX}*-*-*"):
        _remove_dead(folder)


def _remove_dead(folder: Path) -> None:
    pid, start_time, _ = folder.name.removeprefix(PREFIX).split("-")
    if pid.isdigit() and _start_time(int(pid)) != start_time:
        with suppress(OSError):
            for running in (folder / "cgroup.procs").read_text().split():
                os.kill(int(running), 9)
            folder.rmdir()
