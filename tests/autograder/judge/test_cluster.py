"""Many machines: Dask's workers judge, this process records; a lost worker or scheduler loses nothing."""

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import LocalCluster

from autograder.grade.run import grade
from autograder.judge.assess import Outcome
from autograder.judge.cluster import Cluster
from autograder.judge.pool import NoJudges
from autograder.judge.process import JudgeSettings
from tests.autograder.judge.test_pool import tasks
from tests.support import fake_judge
from tests.support.classes import QUICK, run_here, submit, totals
from tests.support.sandboxed import course_judge, demand_sandbox

__all__ = ["course_judge"]

SECRET = b"the secret of this test's course"
TERMS = JudgeSettings(SECRET, hard_seconds=20)

pytestmark = [
    pytest.mark.usefixtures("released"),
    pytest.mark.filterwarnings("ignore"),  # Dask's own, of its threads and sockets
]


@pytest.fixture(scope="module")
def local(released: Path) -> Iterator[LocalCluster]:
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        yield cluster


def killing(came: Iterator[tuple[int, Outcome]], cluster: Cluster, after: int) -> Iterator[tuple[int, Outcome]]:
    """Kill a worker once so many outcomes have come."""
    for count, each in enumerate(came, start=1):
        yield each
        if count == after:
            pids = cluster.client.run(os.getpid)
            os.kill(next(iter(pids.values())), signal.SIGKILL)


@pytest.mark.slow
def test_one_that_kills_every_worker_has_0_and_the_others_their_points(local: LocalCluster, capfd) -> None:
    names = ["ada", "killer", "bob", "cleo", "dan"]
    with Cluster(local.scheduler_address, TERMS, fake_judge.judged) as cluster:
        lines = {names[number]: outcome.line for number, outcome in cluster.outcomes(tasks(names))}
    assert "the processes that judged it died" in lines["killer"]["error"]
    assert lines["killer"]["failed"]
    assert all(lines[name]["score"] > 0 for name in names if name != "killer")


def test_another_grader_is_refused(local: LocalCluster) -> None:
    other = JudgeSettings(SECRET, grader="another")
    with (
        pytest.raises(NoJudges, match="its grader, kit or notebooks differ: expected another, got"),
        Cluster(local.scheduler_address, other),
    ):
        pass


def test_no_scheduler_no_workers_and_threads_are_said(monkeypatch) -> None:
    monkeypatch.setattr("autograder.judge.cluster.CONNECT_SECONDS", 1)
    with pytest.raises(NoJudges, match="No Dask scheduler answers at tcp"):
        Cluster("tcp://127.0.0.1:9", TERMS)
    with pytest.raises(NoJudges, match=r"set distributed\.comm\.tls\.ca-file"):
        Cluster("tls://127.0.0.1:9", TERMS)
    gc.collect()  # a client without a scheduler closes when it is collected: never, if a cluster starts just then
    with (
        LocalCluster(n_workers=0, dashboard_address=None) as empty,
        pytest.raises(NoJudges, match="has no workers"),
        Cluster(empty.scheduler_address, TERMS),
    ):
        pass


@pytest.mark.slow
def test_a_class_on_a_cluster_is_the_class_of_this_machine(local, course_judge, tmp_path: Path) -> None:
    demand_sandbox()
    submit(tmp_path / "in", QUICK)
    assert run_here(course_judge, tmp_path / "in", tmp_path / "here") == 0
    settings = JudgeSettings(course_judge.secret)

    class Shaken(Cluster):
        def outcomes(self, given):
            return killing(super().outcomes(given), self, 2)

    assert grade(tmp_path / "in", tmp_path / "there", lambda _: Shaken(local.scheduler_address, settings)) == 0
    assert totals(tmp_path / "there") == totals(tmp_path / "here")
    assert len(totals(tmp_path / "there")) == len(list((tmp_path / "there/records").glob("*/*.json")))


@pytest.mark.slow
def test_a_scheduler_that_dies_is_said_and_nothing_is_lost() -> None:
    scheduler = LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None)
    with Cluster(scheduler.scheduler_address, TERMS, fake_judge.judged) as cluster:
        came = cluster.outcomes(tasks([f"student {number}" for number in range(50)]))
        assert next(came)[1].line["score"] > 0
        scheduler.close()
        with pytest.raises(NoJudges, match="The cluster stopped"):
            list(came)


def test_workers_that_all_vanish_are_missed_aloud_and_not_for_ever(released, monkeypatch, capfd) -> None:
    monkeypatch.setattr("autograder.judge.cluster.LOOK_SECONDS", 0.2)
    monkeypatch.setattr("autograder.judge.cluster.WAIT_SECONDS", 1)
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as emptied,
        Cluster(emptied.scheduler_address, TERMS, fake_judge.sleeping) as cluster,
    ):
        came = cluster.outcomes(tasks(["ada", "bob"]))
        cluster.client.retire_workers(close_workers=True, remove=True)
        with pytest.raises(NoJudges, match=r"no workers for 1 s\. All grades are kept"):
            list(came)
    assert "lost all its workers. Waiting 1 s" in capfd.readouterr().err
