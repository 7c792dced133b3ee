"""Speed of grading as ratios within one run: the same class through `grade` and plain `nbgrader autograde`.

Both start from nothing, in processes of their own, and CPU is that of their whole process trees. Plain nbgrader runs
the released notebooks with its stock Execute and a kernel each; their check cells call the kit, as on a student's
machine.
"""

import json
import shutil
import sys
import tempfile
from itertools import cycle, islice
from pathlib import Path

from autograder.assignment import CHECK, template
from autograder.checks import checks
from autograder.places import KIT, ROOT
from autograder.submissions.parse_untrusted import TRAIN
from benchmarks.cost import Cost, cost
from examples import make_class
from tests.support.outcomes import rows

# No time-out, no broken file, no error that only `grade` carries forward, so that both give the same points.
ORDINARY = ["ada", "bela", "chen", "dora", "emil", "gil", "hana", "ivan", "jo"]
ASSIGNMENTS = ["bahdanau", "encoder_decoder"]
SUBMISSIONS = 100  # of the comparison
FEW, FURTHER, RUNS = 4, 40, 3  # submissions of the shorter run, which pays for what is made once, and beyond these
MOST_FURTHER = 0.15  # CPU s
ASKED = 20  # times what plain nbgrader takes
PLAIN = """\
c = get_config()
c.CourseDirectory.root = {root!r}
c.CourseDirectory.course_id = ""
"""


def submit(folder: Path, count: int) -> None:
    """Write `count` ordinary submissions: right, partly right and wrong ones, no two files alike."""
    people = [student for student in make_class.students() if student.name in ORDINARY]
    pairs = [(student, name) for student in people for name in student.assignments]
    for number, (student, name) in enumerate(islice(cycle(pairs), count)):
        variant = make_class.Student(
            student.name, student.functions, f"{student.imports}\nNUMBER = {number}".strip(), student.settings
        )
        path = folder / f"{student.name}-{number:03}" / name / f"{name}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(_without_training(variant.submission(name)))


def _without_training(content: bytes) -> bytes:
    """Return a submission without the cells that train: `grade` skips them, plain nbgrader would train for minutes."""
    tree = json.loads(content)
    tree["cells"] = [cell for cell in tree["cells"] if TRAIN not in cell["metadata"].get("tags", [])]
    return json.dumps(tree).encode()


def course(root: Path, submitted: Path) -> None:
    """Make a plain nbgrader course with these submissions; the released notebooks' cells are entered already."""
    from nbconvert.exporters.exporter import ResourcesDict
    from nbgrader.preprocessors import SaveCells

    from autograder.gradebook.store.database import opened, quiet

    shutil.copytree(submitted, root / "submitted")
    (root / "nbgrader_config.py").write_text(PLAIN.format(root=str(root)))
    url = f"sqlite:///{root}/gradebook.db"
    with quiet():
        for name in ASSIGNMENTS:
            with opened(url, "") as gradebook:
                gradebook.update_or_create_assignment(name)
            about = {"notebook": name, "assignment": name, "db_url": url}
            SaveCells().preprocess(template(name).notebook, ResourcesDict(nbgrader=about))


def plain(root: Path) -> Cost:
    """Run nbgrader's own autograde, a command per assignment; the kernels find the kit as on a student's machine."""
    parts = []
    for name in ASSIGNMENTS:
        if list((root / "submitted").glob(f"*/{name}")):
            command = [str(Path(sys.executable).with_name("nbgrader")), "autograde", name]
            parts.append(cost(command, str(KIT), root / "log"))
    cpu, wall = sum(part.cpu for part in parts), sum(part.wall for part in parts)
    return Cost(cpu, wall, max(part.memory for part in parts), parts[0].meter)


def scores(root: Path) -> dict[tuple[str, str, str], float]:
    """Return the points of every check in a gradebook that both can give.

    Plain nbgrader has no bonus points, and what a diagnosis is worth only the trusted side can say.
    """
    both = {
        (name, f"{CHECK}{function}")
        for name in ASSIGNMENTS
        for function, check in checks(name).items()
        if not check.stars and not check.is_secret
    }
    grades = rows(f"sqlite:///{root}/gradebook.db", ["grade"])["grade"]
    return {tuple(row[:3]): row[3] for row in grades if tuple(row[1:3]) in both}  # pyright: ignore[reportReturnType]


def row(name: str, cost: Cost, count: int) -> str:
    return f"  {name:<36} {cost.cpu:9.1f} {cost.cpu / count:12.3f} {cost.wall:9.1f} {cost.memory / 2**20:11.0f}"


def verdict(name: str, ours: float, theirs: float) -> str:
    ratio = theirs / ours
    return f"  {name:<36} {ratio:9.1f}   asked ≥ {ASKED}: {'reached' if ratio >= ASKED else 'MISSED'}"


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="bench-grading-") as folder:
        for jobs in (1, 2):
            further(Path(folder), FURTHER, jobs)
        compare(Path(folder), SUBMISSIONS)


def alone(folder: Path) -> Cost:
    """Return the cost of one submission from the command to its page."""
    submit(folder / "alone", 1)
    command = [sys.executable, "-m", "autograder", "grade", str(folder / "alone"), "--out", str(folder / "page")]
    return cost(command, str(ROOT), folder / "alone.log")


def further(folder: Path, count: int, jobs: int) -> float:
    """Print and return what each submission beyond the first costs: (FEW + count − FEW) / count, in three runs."""
    costs = []
    for run in range(RUNS):
        used = []
        for number in (FEW, FEW + count):
            submitted, out = (folder / f"{kind}-{jobs}-{run}-{number}" for kind in ("submitted", "graded"))
            submit(submitted, number)
            command = [sys.executable, "-m", "autograder", "grade", str(submitted), "--out", str(out)]
            used.append(cost([*command, "--jobs", str(jobs)], str(ROOT), folder / "further.log").cpu)
        costs.append((used[1] - used[0]) / count)
    median, all_runs = sorted(costs)[RUNS // 2], ", ".join(f"{each:.3f}" for each in costs)
    print(
        f"each submission beyond the first, --jobs {jobs}: {median:.3f} CPU s, asked ≤ {MOST_FURTHER}: "
        f"{'reached' if median <= MOST_FURTHER else 'MISSED'}; {RUNS} runs: {all_runs}"
    )
    return median


def compare(folder: Path, count: int) -> tuple[Cost, Cost]:
    """Run both commands, print their costs and ratios, and return the costs."""
    submit(folder / "submitted", count)
    course(folder / "plain", folder / "submitted")
    grade = [sys.executable, "-m", "autograder", "grade", str(folder / "submitted"), "--out", str(folder / "ours")]
    ours, theirs = cost(grade, str(ROOT), folder / "ours.log"), plain(folder / "plain")
    actual, expected = scores(folder / "ours"), scores(folder / "plain")
    differ = {
        key: (actual.get(key), expected.get(key)) for key in actual | expected if actual.get(key) != expected.get(key)
    }
    if differ or not actual:
        sys.exit(f"no ratio: of {len(expected)} checks' scores {len(differ)} differ (ours, plain): {differ}")
    meters = " / ".join(sorted({each.meter for each in (ours, theirs)}))
    print(f"{count} submissions, {len(actual)} checks, the same scores in both gradebooks. CPU by {meters}.")
    print(f"  {'':<36} {'CPU s':>9} {'a submission':>12} {'wall s':>9} {'peak MiB':>11}")
    print(row("grade, with feedback pages", ours, count))
    print(row("nbgrader autograde, without feedback", theirs, count))
    print("nbgrader / grade")
    print(verdict("CPU, into the gradebook", ours.cpu, theirs.cpu))
    print(verdict("wall, into the gradebook", ours.wall, theirs.wall))
    print(
        f"  peak memory, sum of PSS: {ours.memory / 2**20:.0f} MiB, asked ≤ 500: "
        f"{'reached' if 0 < ours.memory <= 500 * 2**20 else 'MISSED'}"
    )
    return ours, theirs


if __name__ == "__main__":
    main()
