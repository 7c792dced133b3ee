"""A seccomp filter: system calls that no notebook needs and that kernel exploits use are refused, to children too."""

import ctypes
import errno
import os
import platform
import struct

DENIED = {  # name: its number on x86_64 and on aarch64; None: there is no such call
    # mounts and namespaces
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "unshare": (272, 97),
    "setns": (308, 268),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "statmount": (457, 457),
    "listmount": (458, 458),
    # memory that no process is charged for
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "vmsplice": (278, 75),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    # parts of the kernel with a history
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "fanotify_init": (300, 262),
    "lookup_dcookie": (212, 18),
    "modify_ldt": (154, None),
    "uselib": (134, None),
    # the machine
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "personality": (135, 92),
    "syslog": (103, 116),
    "vhangup": (153, 58),
    "iopl": (172, None),
    "ioperm": (173, None),
}
INSPECTED = {
    "clone": (56, 220),
    "clone3": (435, 435),
    "socket": (41, 198),
    "ioctl": (16, 29),
    "fcntl": (72, 25),
    "setsockopt": (54, 208),
    "mmap": (9, 222),
}
MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}  # the kernel's name for it, the table's column

NEW_NAMESPACES = 0x7E020080  # clone's flags: user, mnt, pid, net, ipc, uts, cgroup, time
FAMILIES = (1, 2, 10)  # Unix, IPv4, IPv6
TERMINAL_INPUT = (0x5412, 0x541C)  # TIOCSTI and TIOCLINUX inject input into a terminal
LARGER_PIPE = (1031,)  # F_SETPIPE_SZ
# What lets a socket hold more: its buffers' sizes (SO_SNDBUF, SO_RCVBUF, with force), filters and programs on it.
LARGER_SOCKET = (7, 8, 32, 33, 26, 50, 51, 52)
SOCKET_LEVEL = 1  # SOL_SOCKET
SHARED_ANONYMOUS = 0x21  # MAP_SHARED | MAP_ANONYMOUS: its pages stay when no process has them in its tables any more

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN, _AND = 0x20, 0x15, 0x35, 0x45, 0x06, 0x54
_NUMBER, _ARCHITECTURE = 0, 4  # offsets in struct seccomp_data
_FIRST, _SECOND, _THIRD, _FOURTH = 16, 24, 32, 40  # of arguments the low half
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_REFUSE = _ERROR | errno.EPERM
_X32 = 0x40000000  # x86_64's third set of calls begins here
_PR_SET_SECCOMP, _MODE_FILTER = 22, 2

Step = tuple[int, int, int, int]  # code, jump if true, jump if false, operand


def program(machine: str) -> bytes:
    """Return the filter for a machine as a BPF program in bytes; raise OSError for an unknown machine."""
    if machine not in MACHINES:
        raise OSError(f"no filter of system calls for {machine}; there is one for {', '.join(MACHINES)}")
    name, column = MACHINES[machine]
    steps: list[Step] = [(_LOAD, 0, 0, _ARCHITECTURE), (_EQUAL, 1, 0, name), _return(_KILL), (_LOAD, 0, 0, _NUMBER)]
    if machine == "x86_64":
        steps += [(_AT_LEAST, 0, 1, _X32), _return(_KILL)]
    for numbers in DENIED.values():
        if (number := numbers[column]) is not None:
            steps += _if_call(number, [_return(_REFUSE)])
    call = {name: numbers[column] for name, numbers in INSPECTED.items()}
    # clone3 takes its flags from memory, where no filter can look; without it libraries fall back to clone.
    steps += _if_call(call["clone3"], [_return(_ERROR | errno.ENOSYS)])
    namespaces: list[Step] = [
        (_LOAD, 0, 0, _FIRST),
        (_ANY_BIT, 0, 1, NEW_NAMESPACES),
        _return(_REFUSE),
        _return(_ALLOW),
    ]
    steps += _if_call(call["clone"], namespaces)
    allowed = [step for family in FAMILIES for step in ((_EQUAL, 0, 1, family), _return(_ALLOW))]
    steps += _if_call(call["socket"], [(_LOAD, 0, 0, _FIRST), *allowed, _return(_REFUSE)])
    steps += _if_call(call["ioctl"], [(_LOAD, 0, 0, _SECOND), *_refuse_values(TERMINAL_INPUT)])
    steps += _if_call(call["fcntl"], [(_LOAD, 0, 0, _SECOND), *_refuse_values(LARGER_PIPE)])
    larger: list[Step] = [(_LOAD, 0, 0, _SECOND), (_EQUAL, 1, 0, SOCKET_LEVEL), _return(_ALLOW), (_LOAD, 0, 0, _THIRD)]
    steps += _if_call(call["setsockopt"], [*larger, *_refuse_values(LARGER_SOCKET)])
    shared: list[Step] = [(_LOAD, 0, 0, _FOURTH), (_AND, 0, 0, SHARED_ANONYMOUS), (_EQUAL, 0, 1, SHARED_ANONYMOUS)]
    steps += _if_call(call["mmap"], [*shared, _return(_REFUSE), _return(_ALLOW)])
    return b"".join(struct.pack("<HBBI", *step) for step in [*steps, _return(_ALLOW)])


def _return(action: int) -> Step:
    return _RETURN, 0, 0, action


def _refuse_values(values: tuple[int, ...]) -> list[Step]:
    """Return steps that refuse the call where the loaded argument is one of these values, and allow it otherwise."""
    return [*(step for value in values for step in ((_EQUAL, 0, 1, value), _return(_REFUSE))), _return(_ALLOW)]


def _if_call(number: int | None, then: list[Step]) -> list[Step]:
    """Return steps that run for one call only; each way through `then` has to end in a return."""
    assert number is not None
    return [(_EQUAL, 0, len(then), number), *then]


FILTER = program(platform.machine())


def install() -> None:
    """Put this process and all that it will start under the filter, for good; raise OSError where that fails."""

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_char_p)]

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(Program(len(FILTER) // 8, FILTER)), 0, 0) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"filtering system calls: {os.strerror(code)}")
