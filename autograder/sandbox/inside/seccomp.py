"""A seccomp filter: system calls that no notebook needs and that kernel exploits use are refused, to children too."""

import ctypes
import errno
import os
import tempfile
from functools import cache

DENIED = {
    "mounts and namespaces": "mount umount2 pivot_root chroot open_by_handle_at name_to_handle_at unshare setns "
    "open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr statmount listmount",
    "memory that no process is charged for": "memfd_create memfd_secret vmsplice shmget msgget semget mq_open "
    "inotify_init inotify_init1",
    "other processes": "ptrace process_vm_readv process_vm_writev process_madvise pidfd_getfd kcmp move_pages "
    "migrate_pages",
    "parts of the kernel with a history": "bpf perf_event_open keyctl add_key request_key userfaultfd io_uring_setup "
    "io_uring_enter io_uring_register fanotify_init lookup_dcookie modify_ldt uselib",
    "the machine": "kexec_load kexec_file_load init_module finit_module delete_module reboot swapon swapoff acct "
    "quotactl quotactl_fd sethostname setdomainname settimeofday clock_settime clock_adjtime adjtimex personality "
    "syslog vhangup iopl ioperm",
}
NEWER = {"statmount": 457, "listmount": 458}  # on every machine; what libseccomp does not know before 2.6

NEW_NAMESPACES = 0x7E020080  # clone's flags: user, mnt, pid, net, ipc, uts, cgroup, time
INTERNET = (2, 10)  # IPv4, IPv6
FAMILIES = (1, *INTERNET)  # and Unix
TERMINAL_INPUT = (0x5412, 0x541C)  # TIOCSTI and TIOCLINUX inject input into a terminal
LARGER_PIPE = 1031  # F_SETPIPE_SZ
# Options by which a socket holds more: its buffers' sizes (SO_SNDBUF, SO_RCVBUF, with force), filters and programs.
LARGER_SOCKET = (7, 8, 32, 33, 26, 50, 51, 52)
SOCKET_LEVEL = 1  # SOL_SOCKET
SHARED_ANONYMOUS = 0x21  # MAP_SHARED | MAP_ANONYMOUS: its pages stay when no process has them in its tables any more

_INT = 0xFFFFFFFF  # the bits of an int: the kernel ignores the others, which code may set
REFUSED_WITH = [  # calls with arguments of which these bits (number, mask, value) are so
    *(("clone", [(0, 1 << bit, 1 << bit)]) for bit in range(32) if NEW_NAMESPACES >> bit & 1),
    *(("socket", [(0, _INT, family)]) for family in range(64) if family not in FAMILIES),
    *(("socket", [(0, 1 << bit, 1 << bit)]) for bit in range(6, 32)),  # and all above
    *(("ioctl", [(1, _INT, request)]) for request in TERMINAL_INPUT),
    ("fcntl", [(1, _INT, LARGER_PIPE)]),
    *(("setsockopt", [(1, _INT, SOCKET_LEVEL), (2, _INT, option)]) for option in LARGER_SOCKET),
    ("mmap", [(3, SHARED_ANONYMOUS, SHARED_ANONYMOUS)]),
]

LIBRARY = "libseccomp.so.2"
_ALLOW, _KILL_PROCESS, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_BAD_ARCHITECTURE, _MASKED_EQUAL = 2, 7  # of seccomp_attr_set and of a comparison: seccomp.h
_PR_SET_SECCOMP, _MODE_FILTER = 22, 2
_BITS = ctypes.c_uint64


class _Comparison(ctypes.Structure):
    _fields_ = [("at", ctypes.c_uint), ("operator", ctypes.c_int), ("mask", _BITS), ("value", _BITS)]


def number(call: str) -> int:
    """Return a call's number on this machine, a negative one where it has no such call."""
    return NEWER.get(call) or ctypes.CDLL(LIBRARY).seccomp_syscall_resolve_name(call.encode())


@cache
def program(offline: bool = False) -> bytes:
    """Return the filter as a BPF program in bytes; raise OSError without libseccomp, or where it refuses a rule.

    With `offline` it refuses internet sockets too, which a network namespace would isolate. A call of another
    architecture, or of x86_64's third set, kills the process.
    """
    library = ctypes.CDLL(LIBRARY)
    library.seccomp_init.restype = ctypes.c_void_p
    rules = ctypes.c_void_p(library.seccomp_init(_ALLOW))

    def refuse(call: str, code: int, *compared: tuple[int, int, int]) -> None:
        comparisons = [_Comparison(at, _MASKED_EQUAL, mask, value) for at, mask, value in compared]
        array = (_Comparison * len(comparisons))(*comparisons)
        result = library.seccomp_rule_add_array(rules, _ERROR | code, number(call), len(comparisons), array)
        if result != 0:
            raise OSError(-result, f"refusing {call}: {os.strerror(-result)}")

    library.seccomp_attr_set(rules, _BAD_ARCHITECTURE, _KILL_PROCESS)
    for call in " ".join(DENIED.values()).split():
        refuse(call, errno.EPERM)
    refuse("clone3", errno.ENOSYS)  # its flags lie in memory, where no filter looks; libraries fall back to clone
    sockets = [("socket", [(0, _INT, family)]) for family in INTERNET if offline]
    for call, compared in REFUSED_WITH + sockets:
        refuse(call, errno.EPERM, *compared)
    with tempfile.TemporaryFile() as file:
        library.seccomp_export_bpf(rules, file.fileno())
        library.seccomp_release(rules)
        file.seek(0)
        return file.read()


def install(offline: bool = False) -> None:
    """Put this process and all that it will start under the filter, for good; raise OSError where that fails."""

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_char_p)]

    libc, steps = ctypes.CDLL(None, use_errno=True), program(offline)
    if libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(Program(len(steps) // 8, steps)), 0, 0) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"filtering system calls: {os.strerror(code)}")
