"""Fixtures that several test files share."""

import gc
import os
import signal

gc.disable()  # until all tests are collected: what is imported stays, and looking through it took a fifth of the time

import pytest
import torch
from xdist.scheduler import LoadGroupScheduling

from autograder.assignment import assignments
from autograder.places import released_notebook
from autograder.settings import ONLY_CHAPTERS
from tests.support.browsers import browser
from tests.support.classes import graded, run
from tests.support.sandboxed import built, course_judge, released, session
from tests.support.teacher import out, teacher

__all__ = ["browser", "built", "course_judge", "graded", "out", "released", "run", "session", "teacher"]


LONG = """
test_release test_mistakes test_in_a_container test_checks test_whole_program test_pinned_models test_student_runs
test_own_exercise test_second_course test_carried_forward test_recognition test_grade test_given_graded test_attacks
test_export test_nbgrader_road test_score test_on_windows test_publish test_golden test_shared_sandbox test_gradescope
test_visible_files test_points_for_nothing test_pool
""".split()  # the longest first


class ByFile(LoadGroupScheduling):
    """A file's tests go to one worker, which makes its fixtures once; those of a group too, one after the other."""

    def _split_scope(self, nodeid: str) -> str:
        return super()._split_scope(nodeid).partition("::")[0]


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> ByFile:
    config.option.loadscopereorder = False  # which begins with the files of most tests: those are quick
    return ByFile(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest: one that is begun last keeps a single worker busy at the end."""
    place = {stem: number for number, stem in enumerate(LONG)}
    items.sort(key=lambda item: place.get(item.path.stem, len(LONG)))


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_configure() -> None:
    """Make the notebooks where there are none: some tests are collected from them. One thread, as in the grader."""
    # A shell starts what runs in the background without Ctrl-C, nohup without SIGHUP: what is started here has both.
    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, usual)
    os.environ[ONLY_CHAPTERS] = "1"  # the tests are about the course, whatever a class has for points and dates
    torch.set_num_threads(1)  # tensors are tiny: on a busy machine a softmax waits milliseconds for a second thread
    if not all(released_notebook(name).exists() for name in assignments()):
        from autograder.release.build import release

        release()
