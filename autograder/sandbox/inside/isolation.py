"""Isolation of a forked worker before it runs student code: namespaces, mounts, limits, privileges."""

import contextlib
import ctypes
import os
import resource
import select
import shutil
import signal
import tempfile
from functools import cache
from pathlib import Path

LIMITS = {
    resource.RLIMIT_AS: 3 << 30,  # of each process; torch alone takes 0.7
    resource.RLIMIT_NPROC: 32,  # and threads: a DataLoader with four workers takes some twenty
    resource.RLIMIT_FSIZE: 256 << 20,
    resource.RLIMIT_NOFILE: 256,
    resource.RLIMIT_CORE: 0,
}
TMP_SIZE = "256m"
SHARED_FOLDERS = ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run/lock")  # those of a container that all may write
HUGE = 2 << 20  # bytes of a huge page, on x86_64 and on aarch64 with pages of 4 kB
COLLAPSE = 25  # of madvise, since Linux 6.1

_LIBC = ctypes.CDLL(None, use_errno=True)
_NEW_NAMESPACES = (
    0x10000000 | 0x00020000 | 0x20000000 | 0x08000000 | 0x40000000 | 0x04000000
)  # user mnt pid ipc net uts
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REMOUNT = 1, 2, 4, 8, 32
_MS_BIND, _MS_REC, _MS_PRIVATE = 0x1000, 0x4000, 1 << 18
_PR_SET_PDEATHSIG, _PR_CAPBSET_DROP, _PR_SET_CHILD_SUBREAPER = 1, 24, 36
_PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL = 38, 47, 4
_CAPABILITY_VERSION_3 = 0x20080522


def _checked(result: int, action: str) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{action}: {os.strerror(code)}")


def new_namespaces() -> None:
    """Enter new namespaces as user 1000 of them; the next child of this process is their pid 1. Raise OSError."""
    uid, gid = os.getuid(), os.getgid()
    _checked(_LIBC.unshare(_NEW_NAMESPACES), "new namespaces")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"1000 {uid} 1")
    Path("/proc/self/gid_map").write_text(f"1000 {gid} 1")


def mount_private_folders() -> None:
    """Mount this job's own /tmp, /dev/shm and terminals; called by pid 1 of the new namespaces. Raise OSError."""
    _checked(_LIBC.mount(None, b"/", None, _MS_REC | _MS_PRIVATE, None), "private mounts")
    _mount(b"devpts", b"/dev/pts", b"devpts", _MS_NOSUID | _MS_NOEXEC, b"newinstance,ptmxmode=0666,max=16")
    # A shared mapping of /dev/zero is memory that no process is charged for once it has let go of the pages.
    _checked(_LIBC.mount(b"/dev/null", b"/dev/zero", None, _MS_BIND, None), "covering /dev/zero")
    for place, size in ((b"/tmp", TMP_SIZE), (b"/dev/shm", "64m")):
        _mount(b"tmpfs", place, b"tmpfs", _MS_NOSUID | _MS_NODEV, f"size={size},mode=1777,nr_inodes=20000".encode())
    Path("/proc/sys/user/max_user_namespaces").write_text("0")
    Path("/tmp/home").mkdir()
    os.chdir("/tmp")


@cache
def machine_files() -> dict[str, bytes]:
    """Return the files of /proc by which programs learn about the machine, {name: content}, read once."""
    return {name: Path("/proc", name).read_bytes() for name in ("cpuinfo", "meminfo", "stat", "version")}


def cover_proc() -> None:
    """Cover /proc with a few plain files: a process's tables of mounts in it name folders of the host."""
    _mount(b"tmpfs", b"/proc", b"tmpfs", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC, b"size=8m,nr_inodes=16,mode=755")
    for name, content in machine_files().items():
        Path("/proc", name).write_bytes(content)
    _mount(b"tmpfs", b"/proc", b"tmpfs", _MS_REMOUNT | _MS_RDONLY | _MS_NOSUID | _MS_NODEV | _MS_NOEXEC, None)


def _mount(source: bytes, target: bytes, kind: bytes, flags: int, options: bytes | None) -> None:
    _checked(_LIBC.mount(source, target, kind, flags, options), f"mounting {kind.decode()} on {target.decode()}")


def set_limits(cpu_seconds: int) -> None:
    """Limit memory, CPU time, processes, the size of a file, open files and core dumps of each process, for good."""
    for kind, limit in {**LIMITS, resource.RLIMIT_CPU: cpu_seconds}.items():
        resource.setrlimit(kind, (limit, limit))
    with contextlib.suppress(OSError):  # where memory runs out, the worker goes, not the grader
        Path("/proc/self/oom_score_adj").write_text("1000")


def drop_privileges() -> None:
    """Drop every capability for good: bounding set, ambient set, own sets; set-uid files give no new ones."""
    drop_bounding_set()
    _checked(_LIBC.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0), "dropping ambient capabilities")
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    _checked(_LIBC.capset(header, (ctypes.c_uint32 * 6)()), "dropping capabilities")
    _checked(_LIBC.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new privileges")


def drop_bounding_set() -> None:
    """Drop the capabilities that this process and its children may ever get."""
    for capability in range(64):
        if _LIBC.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            break  # past the kernel's last capability


def become_user(user: int) -> None:
    """Become, for good, a user who owns only an empty home: for containers that forbid namespaces.

    The request of `die_with_parent` is forgotten with the old user.
    """
    home = tempfile.mkdtemp(prefix="home-", dir="/tmp")
    os.chown(home, user, user)
    os.chdir(home)
    folders = {"MPLCONFIGDIR": "matplotlib", "IPYTHONDIR": "ipython", "TMPDIR": "", "HOME": ""}
    os.environ.update({name: str(Path(home, folder)) for name, folder in folders.items()})
    drop_bounding_set()
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def end_processes(user: int) -> None:
    """End every process of a user at once: none that starts meanwhile is missed."""
    is_done = False
    while not is_done:  # a process to be killed may kill the killer first
        if killer := os.fork():
            is_done = os.waitpid(killer, 0)[1] == 0
            continue
        try:
            os.setresuid(user, user, user)
            os.kill(-1, signal.SIGKILL)  # all that this user may signal, itself excepted
        except ProcessLookupError:
            pass  # there are none
        finally:
            os._exit(0)


def delete_files(user: int) -> None:
    """Delete all files that a user left in folders where everybody may write."""
    for folder in filter(os.path.isdir, SHARED_FOLDERS):
        for entry in os.scandir(folder):
            with contextlib.suppress(OSError):
                if entry.stat(follow_symlinks=False).st_uid != user:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path)
                else:
                    Path(entry.path).unlink()


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends."""
    _checked(_LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0), "dying with the parent")


def become_subreaper() -> None:
    """Become the parent of the orphans among our descendants."""
    _checked(_LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "adopting orphans")


def guard(worker: int, link: int, user: int = 0) -> None:
    """Wait until the worker ends or the judge closes its end of the link; then kill all processes of the job.

    The judge may be killed at any moment, and a worker in a loop would not notice. If the job runs as
    another user, delete the files that this user leaves.
    """
    keep_only(link)
    watched = select.poll()
    watched.register(3, select.POLLHUP)
    watched.register(os.pidfd_open(worker), select.POLLIN)
    watched.poll()
    if user:
        end_processes(user)
    with contextlib.suppress(ChildProcessError):  # raised once nobody is left
        while True:
            for child in Path("/proc/thread-self/children").read_text().split():
                os.kill(int(child), signal.SIGKILL)
            os.waitpid(-1, 0)
    if user:
        delete_files(user)


def keep_only(link: int) -> int:
    """Close every file descriptor but 0, 1, 2 and the link, which becomes 3; return 3."""
    if link != 3:
        os.dup2(link, 3, inheritable=False)
    os.closerange(4, 1 << 20)
    for stream in (
        1,
        2,
    ):  # the zygote's file: what one student writes there, the next could read
        os.dup2(0, stream)
    return 3


def collapse() -> None:
    """Put this process's own memory into huge pages; do nothing where the kernel has none.

    A fork then copies one entry for 2 MB in place of 512 for 4 kB each; a write to such a page copies 4 kB of it.
    """
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    for line in Path("/proc/self/maps").read_text().splitlines():
        addresses, rights, _, _, inode, *name = line.split()
        first, last = (int(address, 16) for address in addresses.split("-"))
        first, last = -(-first // HUGE) * HUGE, last // HUGE * HUGE
        if rights == "rw-p" and inode == "0" and name != ["[stack]"] and first < last:
            madvise(first, last - first, COLLAPSE)
