"""What all processes of a job take together: bounded by a control group where one can be had, watched where not."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from autograder.judge.session import Limits, Session
from autograder.sandbox import cgroups, memory_watchdog
from autograder.sandbox.cgroups import CgroupPool, Hierarchy
from autograder.sandbox.sandbox import Sandbox
from tests.support.sandboxed import QUICK, says

SPREAD = """
import os, time
def hog():
    block = bytearray(os.urandom(1 << 20) * 400)
    time.sleep(20)
for _ in range(8):
    if os.fork() == 0:
        hog()
        os._exit(0)
time.sleep(20)
"""  # 3.2 GB, 0.4 in each: no limit of a single process is near


def groups() -> bool:
    return cgroups.cgroup_pool() is not None


@pytest.fixture(params=["control group", "watched"])
def memory_limit(request, monkeypatch: pytest.MonkeyPatch) -> str:
    """Bound memory by one way and by the other."""
    if request.param == "watched":
        monkeypatch.setattr(cgroups, "cgroup_pool", lambda: None)
    elif not groups():
        pytest.skip("no control group can be made here")
    return request.param


# The number of sockets past which they could hold more than the limit, in processes that have 250 each at most.
SOCKETS = """
import os, socket, time
def hold():
    kept = [socket.socketpair() for _ in range(120)]
    for one, _ in kept if {fill} else []:
        one.setblocking(False)
        try:
            while True: one.send(bytes(1 << 16))
        except BlockingIOError: pass
    time.sleep(20)
for _ in range(28):
    if os.fork() == 0:
        hold()
        os._exit(0)
time.sleep(20)
"""


class TestTogether:
    @pytest.mark.parametrize("fill", [False, pytest.param(True, marks=pytest.mark.slow)])
    def test_memory_hidden_in_sockets_counts(self, built: Sandbox, monkeypatch: pytest.MonkeyPatch, fill: bool) -> None:
        monkeypatch.setattr(cgroups, "cgroup_pool", lambda: None)
        with Session(built, Limits(cell=20, notebook=60)) as session:
            session.run("def double(x):\n    return 2 * x")
            session.run(SOCKETS.format(fill=fill))
            assert session.stopped is not None
            assert session.stopped.kind == "died"
            assert says(session, "double(21)") == "{'text/plain': '42'}"

    def test_files_in_memory_count(self, built: Sandbox) -> None:
        with Session(built, QUICK) as session:
            session.run("for n in range(2): open(f'/tmp/{n}', 'wb').write(bytes(50 << 20))")
            assert session._worker is not None
            held = memory_watchdog.uncharged_bytes(session._worker.job.process.pid)
            session.run(
                "import os\nf = open('/dev/shm/a', 'wb'); f.write(bytes(20 << 20)); f.flush(); os.unlink('/dev/shm/a')"
            )
            more = memory_watchdog.uncharged_bytes(session._worker.job.process.pid) - held
        assert 100 << 20 <= held < 110 << 20
        assert 20 << 20 <= more < 25 << 20

    def test_many_processes_may_not_take_more_than_one(self, built: Sandbox, memory_limit: str) -> None:
        """The kernel kills some of them, or the watch kills all: the sum stays below the limit."""
        taken, over = [0], threading.Event()
        with Session(built, QUICK) as session:
            session.run("def double(x):\n    return 2 * x")
            worker = session._worker
            assert worker is not None

            def sample() -> None:
                while not over.wait(0.02):
                    taken.append(memory_watchdog.memory_of(memory_watchdog.process_tree(worker.job.process.pid), 0))

            sampler = threading.Thread(target=sample)
            sampler.start()
            output = says(session, SPREAD)
            over.set()
            sampler.join()
            assert "Stopped" in output
            assert 500 << 20 < max(taken) < cgroups.MAX_MEMORY + (1000 << 20)
            assert says(session, "double(21)") == "{'text/plain': '42'}"

    def test_what_is_shared_with_the_zygote_is_not_the_jobs(self, session: Session) -> None:
        session.run("1")
        assert session._worker is not None
        assert memory_watchdog.memory_of([session._worker.job.process.pid], 0) < 200 << 20

    def test_a_loader_with_four_workers_is_no_hog(self, built: Sandbox, memory_limit: str) -> None:
        with Session(built, QUICK) as session:
            output = says(
                session,
                "import torch\nfrom torch.utils.data import DataLoader, TensorDataset\n"
                "data = TensorDataset(torch.randn(2000, 100))\n"
                "n = sum(len(x) for [x] in DataLoader(data, batch_size=50, num_workers=4))\nprint(n)",
            )
            assert output.strip().endswith("2000")  # after a warning of torch's on few processors


class TestGroups:
    def test_a_job_is_in_its_own_and_leaves_none_behind(self, built: Sandbox) -> None:
        if not groups():
            pytest.skip("no control group can be made here")
        with Session(built, QUICK) as session:
            session.run("1")
            assert session._worker is not None
            memory_limit = session._worker.job.memory_limit
            assert isinstance(memory_limit, cgroups.Group)
            for folder in memory_limit.folders:
                assert str(session._worker.job.process.pid) in (folder / "cgroup.procs").read_text().split()
        cgroup_pool = cgroups.cgroup_pool()
        assert cgroup_pool is not None
        cgroup_pool.new_group().remove()
        assert not any(folder.exists() for folder in memory_limit.folders)

    def test_those_of_a_killed_judge_are_swept(self, built: Sandbox) -> None:
        if not groups():
            pytest.skip("no control group can be made here")
        program = (
            "import os, sys; from pathlib import Path; from autograder.sandbox.sandbox import Sandbox\n"
            "from autograder.kit import frames; job = Sandbox.join(sys.argv[1]).start_worker()\n"
            "frames.send(job.link, {'id': 1, 'op': 'cell', 'source': 'while True: pass'})\n"
            "print(*job.memory_limit.folders, job.process.pid, flush=True)\n"
            "os.kill(os.getpid(), 9)"
        )
        built.start()
        command = [sys.executable, "-c", program, built.address]
        *folders, pid = subprocess.run(command, capture_output=True, text=True).stdout.split()
        assert folders
        deadline = time.monotonic() + 5
        while Path("/proc", pid).exists() and time.monotonic() < deadline:
            time.sleep(0.02)  # its guard saw that the judge let go, though the sandbox stands
        assert not Path("/proc", pid).exists()
        cgroups.remove_stale()
        assert not any(Path(folder).exists() for folder in folders)

    def test_another_judges_are_left_alone(self, tmp_path: Path) -> None:
        mine = tmp_path / f"{cgroups.PREFIX}{os.getpid()}-{cgroups._start_time(os.getpid())}-1"
        dead = tmp_path / f"{cgroups.PREFIX}{os.getpid()}-1-1"
        for folder in (mine, dead):
            folder.mkdir()
            (tmp_path / "cgroup.procs").touch()
            cgroups._remove_dead(folder)
        assert mine.exists()


MOUNTS_1 = """30 23 0:28 / /sys/fs/cgroup ro - tmpfs tmpfs rw
31 30 0:29 /box /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
32 30 0:30 / /sys/fs/cgroup/cpu,pids rw - cgroup cgroup rw,cpu,pids"""
MOUNTS_2 = "31 23 0:29 / {} rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate"


class TestHierarchies:
    def test_cgroup_1(self) -> None:
        hierarchies = cgroups.hierarchies(MOUNTS_1, "4:memory:/box/a\n3:cpu,pids:/b\n1:name=systemd:/c\n0::/d\n")
        assert hierarchies == [
            Hierarchy(Path("/sys/fs/cgroup/memory/a"), cgroups.V1_MEMORY),
            Hierarchy(Path("/sys/fs/cgroup/cpu,pids/b"), cgroups.V1_PIDS),
        ]

    @pytest.fixture
    def delegated(self, tmp_path: Path) -> Path:
        """Return a folder that looks as a delegated group of cgroup 2 does."""
        ours = tmp_path / "user.slice" / "ours"
        ours.mkdir(parents=True)
        (ours / "cgroup.controllers").write_text("cpu memory pids\n")
        (ours / "cgroup.subtree_control").write_text("memory pids\n")
        return ours

    def test_cgroup_2(self, tmp_path: Path, delegated: Path) -> None:
        hierarchies = cgroups.hierarchies(MOUNTS_2.format(tmp_path), "0::/user.slice/ours\n")
        assert hierarchies == [Hierarchy(delegated, cgroups.V2_LIMITS)]
        group = CgroupPool(hierarchies).new_group()
        [folder] = group.folders
        assert {path.name: path.read_text() for path in folder.iterdir()} == {
            "memory.max": str(1536 << 20),
            "memory.swap.max": "0",
            "memory.oom.group": "1",
            "pids.max": "64",
        }
        group.add(7)
        assert (folder / "cgroup.procs").read_text() == "7"

    def test_cgroup_2_that_is_not_ours(self, tmp_path: Path, delegated: Path) -> None:
        (delegated / "cgroup.controllers").write_text("cpu\n")
        assert cgroups.hierarchies(MOUNTS_2.format(tmp_path), "0::/user.slice/ours\n") == []
        (delegated / "cgroup.controllers").unlink()
        assert cgroups.hierarchies(MOUNTS_2.format(tmp_path), "0::/user.slice/ours\n") == []


def test_without_a_right_to_groups_the_job_is_watched(monkeypatch: pytest.MonkeyPatch, built: Sandbox) -> None:
    def refuses(self, pid: int) -> None:
        raise PermissionError

    monkeypatch.setattr(cgroups.Group, "add", refuses)
    job = built.start_worker()
    assert isinstance(job.memory_limit, memory_watchdog.MemoryWatchdog)
    job.end()
