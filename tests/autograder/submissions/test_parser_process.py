"""The parser process: it dies alone, holds nothing of its client's, ends with it, and its answers are data."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from autograder.submissions import parser_client
from autograder.submissions.parse_untrusted import Unreadable
from autograder.submissions.parser_client import ParserClient
from tests.attacks.cases import NAME, written

SOLVED = written([], "solved")
LONG = b'{"cells": [' + b"[]," * (4 << 20) + b"0]}"  # a second or more to read

pytestmark = pytest.mark.usefixtures("released")


@contextmanager
def killing(client: ParserClient, most: int) -> Iterator[list[int]]:
    """Kill so many of the client's processes, one after the other, while a request is under way; yield their ids."""
    killed: list[int] = []
    ended = threading.Event()

    def kill() -> None:
        while len(killed) < most and not ended.wait(0.1):
            process = client._process
            if process and process.pid not in killed and process.poll() is None:
                killed.append(process.pid)
                os.kill(process.pid, signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield killed
    finally:
        ended.set()
        thread.join()


@pytest.fixture
def client() -> ParserClient:
    """Return this process's client, whose process has answered."""
    assert parser_client.assignment(SOLVED, [NAME]) == NAME
    return parser_client.client()


def test_a_notebook_that_its_process_dies_of_once_is_read_by_the_next(client: ParserClient) -> None:
    with killing(client, most=1) as killed, pytest.raises(Unreadable, match="the notebook has 4194305 cells"):
        parser_client.assignment(LONG, [NAME])
    assert len(killed) == 1


def test_a_notebook_that_two_processes_die_of_is_refused_and_harms_no_other(client: ParserClient) -> None:
    with killing(client, most=9) as killed, pytest.raises(Unreadable, match=parser_client.TOO_COSTLY):
        parser_client.assignment(LONG, [NAME])
    assert len(killed) == 2
    assert parser_client.assignment(SOLVED, [NAME]) == NAME


def test_after_an_interrupt_the_late_answer_is_not_taken_for_the_next(client: ParserClient, monkeypatch) -> None:
    def interrupted() -> bytes:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(client._connection, "recv_bytes", interrupted)
        with pytest.raises(KeyboardInterrupt):
            parser_client.assignment(SOLVED, [])  # to which the answer is None
    assert parser_client.assignment(SOLVED, [NAME]) == NAME


class Folder:
    """Makes a folder where it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)

    def __reduce__(self):
        return os.mkdir, (self.path,)


def test_whatever_has_become_of_the_process_its_answer_runs_nothing(tmp_path: Path, monkeypatch) -> None:
    answer = pickle.dumps(Folder(tmp_path / "made"))
    program = f"from multiprocessing.connection import Connection; c = Connection(0); c.recv(); c.send_bytes({answer})"
    monkeypatch.setattr(parser_client, "PROGRAM", program)
    with pytest.raises(ValueError, match=r"decode|Expecting value"):
        ParserClient().ask("assignment", 1, content=SOLVED, known=[NAME])
    assert not (tmp_path / "made").exists()


def test_the_process_holds_no_variable_and_no_file_of_its_client_s(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("TOKEN", "of this test")
    with (tmp_path / "secret").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        client = ParserClient()
        assert client.ask("assignment", 10, content=SOLVED, known=[NAME]) == NAME
        assert client._process
        process = psutil.Process(client._process.pid)
        files = [str(link.readlink()) for link in Path("/proc", str(process.pid), "fd").iterdir()]
        assert sorted(name.partition(":")[0] for name in files) == ["/dev/null", "/dev/null", "socket"]
        assert (process.environ(), process.cwd(), os.getsid(process.pid)) == ({}, "/", process.pid)
        client.stop()
    assert not process.is_running()


CLIENT = """
import sys, time
from autograder.submissions import parser_client
client = parser_client.client()
client.ask("assignment", 10, content=b'{"cells": []}', known=[])
print(client._process.pid, flush=True)
if sys.argv[1] == "reads":
    client.ask("assignment", 10, content=sys.stdin.buffer.read(), known=[])
time.sleep(60)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
@pytest.mark.parametrize("state", ["waits", "reads"])
def test_the_process_goes_with_its_client(tmp_path: Path, state: str, number: signal.Signals) -> None:
    (tmp_path / "long").write_bytes(LONG)
    command = [sys.executable, "-c", CLIENT, state]
    with (
        (tmp_path / "long").open() as file,
        subprocess.Popen(command, stdin=file, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as client,
    ):
        assert client.stdout
        process = psutil.Process(int(client.stdout.readline()))
        before = process.cpu_times().user
        while state == "reads" and process.cpu_times().user < before + 0.1:
            time.sleep(0.02)
        client.send_signal(number)
        client.wait(20)
        assert psutil.wait_procs([process], timeout=40)[1] == []
