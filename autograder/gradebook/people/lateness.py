"""Due dates and late penalties, by nbgrader's rule, computed anew whenever a class is graded."""

import json
import math
import re
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from dateutil.parser import parse as parse_date
from dateutil.tz import gettz
from nbgrader.plugins import BasePlugin, LateSubmissionPlugin
from nbgrader.preprocessors import AssignLatePenalties
from traitlets import TraitError
from traitlets.config import Config

from autograder.files import atomic_write
from autograder.settings import FILE, Late, demand_one_of, settings

EXAMPLE = "2026-12-01 12:00:00 UTC"
BY_STUDENT = "NAME/STUDENT=DATE"
EXAMPLES = {"NAME=DATE": f"NAME={EXAMPLE}", BY_STUDENT: "NAME/Ada Lovelace=2026-12-02 09:30:00 UTC"}
EXPECTED_ZONE = "expected one such as UTC, +01:00 or Europe/Berlin"
NEVER = "none"
ZONES = "zones.json"
CLASS_ZONE = ""  # in place of an assignment's name: of all dates without a zone
ZONE = r"[A-Za-z][\w+-]*(?:/[\w+-]+)*"
DATE_IN_ZONE = re.compile(rf"(?P<date>.*\d)\s+(?P<zone>{ZONE})")


def deadlines(written: Iterable[str], known: list[str], zone: tzinfo = UTC) -> dict[str, datetime | None]:
    """Return the due dates of course.toml and of `--due`; raise ValueError if both have one for an assignment."""
    here = {name: _moment(name, date, f"{FILE}, deadlines:", zone) for name, date in settings().deadlines.items()}
    demand_one_of(here, known, f"{FILE}, deadlines: ")
    typed = {name: date for (name, _), date in dates_of(written, known, "--due", zone, "NAME=DATE").items()}
    if both := sorted(here.keys() & typed.keys()):
        raise ValueError(f"--due {both[0]}: its deadline is in {FILE}. Change it there.")
    return here | typed


def due(name: str, date: datetime) -> str:
    """Return an assignment's due date in words."""
    return f"{name} is due {date:%Y-%m-%d %H:%M:%S} UTC"


def dates_of(
    written: Iterable[str], known: list[str], option: str, zone: tzinfo = UTC, form: str = BY_STUDENT
) -> dict[tuple[str, str], datetime | None]:
    """Return the dates of an option by assignment and student, in UTC, None for `none`; STUDENT/NAME is allowed, too.

    Raise ValueError for a date that cannot be read.
    """
    dates: dict[tuple[str, str], datetime | None] = {}
    for each in written:
        whose, is_set, date = (part.strip() for part in each.rpartition("="))
        name, _, student = (part.strip() for part in whose.partition("/"))
        if name not in known and student in known:
            name, student = student, name
        if not is_set or bool(student) != (form == BY_STUDENT):
            raise ValueError(f"{option}: expected {form}, such as '{EXAMPLES[form]}', got {each!r}.")
        if name not in known:
            raise ValueError(f"{option}: no assignment {name!r}: expected one of {', '.join(known)}.")
        if (name, student) in dates:
            raise ValueError(f"{option}: a date for '{whose}' is given twice.")
        dates[name, student] = _moment(whose, date, option, zone)
    return dates


def time_zone(written: str) -> tzinfo:
    """Return the time zone of `--zone`, by offset or name; raise ValueError where it is unknown."""
    try:
        zone = datetime.fromisoformat(f"2026-01-01T00:00{written}").tzinfo
    except ValueError:
        zone = gettz(written) if re.fullmatch(ZONE, written) else None
    if zone is None:
        raise ValueError(f"--zone: no time zone {written!r}: {EXPECTED_ZONE}.")
    return zone


def moodle_time(written: str, zone: tzinfo, whose: str) -> datetime:
    """Return a date as Moodle writes it in English, "Friday, 20 November 2026, 9:30 AM", in UTC."""
    try:
        moment = parse_date(" ".join(written.split()), dayfirst=True).replace(tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(
            f"{whose}: expected a date such as 'Friday, 20 November 2026, 9:30 AM', got {written!r}. Set Moodle's "
            "language to English, and download the table again."
        ) from None
    return moment.replace(tzinfo=None)


def _moment(name: str, date: str, option: str, default: tzinfo) -> datetime | None:
    """Return a date in UTC, its time zone where it names none, None for `none`; a day ends at 23:59:59."""
    if date.lower() == NEVER:
        return None
    written, zone = date, default
    if match := DATE_IN_ZONE.fullmatch(date):
        written, zone = match["date"], gettz(match["zone"])
        if zone is None:
            raise ValueError(f"{option} {name}: no time zone {match['zone']!r}: {EXPECTED_ZONE}.")
    try:
        moment = datetime.fromisoformat(re.sub(r"\s+(?=[+-])", "", written))
        if len(written) == len("2026-12-01"):
            moment = moment.replace(hour=23, minute=59, second=59)
        utc = (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        utc = None
    if utc is None or not 1 < utc.year < 9999:  # the outermost years cannot be shown in every time zone
        forms = f"'{EXAMPLE}', '2026-12-01T13:00+01:00', '2026-12-01 13:00 Europe/Berlin' or '{NEVER}'"
        raise ValueError(f"{option} {name}: expected a date such as {forms}, got {date!r}.")
    return utc.replace(tzinfo=None)


@dataclass
class Revised:
    """The result of computing penalties again: how many changed, how many are 0 because no rule is set, failures.

    `undated` counts, by assignment with a due date, submissions of which nobody knows when they came.
    """

    changed: int = 0
    unpunished: int = 0
    undated: Counter[str] = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)


def seconds_late(
    handed: datetime | None, due: datetime | None, extension: timedelta | None, zone: tzinfo = UTC
) -> float:
    """Return the seconds by which a submission was late, by the clocks of a zone; 0 if a time is unknown.

    The same time on the next day is a day later, even if the clocks go back in between.
    """
    if handed is None or due is None:
        return 0.0
    deadline = due + (extension or timedelta())
    if handed <= deadline:
        return 0.0
    came_at, then = (moment.replace(tzinfo=UTC).astimezone(zone).replace(tzinfo=None) for moment in (handed, deadline))
    return (came_at - then if came_at > then else handed - deadline).total_seconds()


def duration(seconds: float) -> str:
    """Return a time in its two largest units."""
    minutes = int(seconds) // 60
    days, hours, minutes = minutes // 1440, minutes // 60 % 24, minutes % 60
    if days:
        return f"{days} d {hours} h"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def zones_of(written: Iterable[str], default: str) -> dict[str, str]:
    """Return the time zones of the due dates of course.toml and `--due`, by assignment, as `time_zone` takes them."""
    dates = [*settings().deadlines.items(), *(tuple(each.split("=", 1)) for each in written if "=" in each)]
    named = {name.strip(): DATE_IN_ZONE.fullmatch(date.strip()) for name, date in dates}
    return {name: match["zone"] if match else default for name, match in named.items()}


def keep_zones(out: Path, zones: dict[str, str], mode: int) -> None:
    """Keep the time zones of the due dates in DIR: the gradebook has the dates in UTC only."""
    kept = _kept_zones(out)
    if zones and kept | zones != kept:
        atomic_write(out / ZONES, json.dumps(kept | zones, indent=1).encode(), mode)


def class_zone(out: Path) -> str:
    """Return the zone that `--zone` named last, in which dates without one are read; UTC before that."""
    return _kept_zones(out).get(CLASS_ZONE, "UTC")


def zones(out: Path) -> dict[str, tzinfo]:
    """Return the time zones of due dates, by assignment."""
    return {name: time_zone(zone) for name, zone in _kept_zones(out).items()}


def _kept_zones(out: Path) -> dict[str, str]:
    path = out / ZONES
    try:
        return dict(json.loads(path.read_text("utf-8"))) if path.exists() else {}
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path} cannot be read ({error}): delete it, and grade again with the due dates.") from None


def is_same_number(one: float | None, other: float | None) -> bool:
    """Return whether two scores or penalties are the same; a server may keep fewer digits than we have."""
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9)


class EachDay(BasePlugin):
    """The rule of course.toml: after the free days, a share of the score for each day begun, at most all of it."""

    def late_submission_penalty(self, student_id: str, score: float, total_seconds_late: float) -> float:
        rule = settings().late or Late()
        days = math.ceil(total_seconds_late / 86400 - rule.free_days)
        return score * min(1.0, rule.a_day * max(0, days))


class Penalties:
    """The late penalties of a class, by nbgrader's plugin in its settings."""

    def __init__(self, config: Config) -> None:
        self.config = config

    @cached_property
    def rule(self) -> AssignLatePenalties:
        """Return nbgrader's step with its plugin, which may lie in the class's folder, as for nbgrader's commands."""
        folder = str(self.config.CourseDirectory.root)
        sys.path.append(folder)
        try:
            made = AssignLatePenalties(config=self.config)
            made.init_plugin()
        except (TraitError, ImportError, AttributeError, SyntaxError, TypeError) as error:
            raise ValueError(f"The rule for late penalties in {folder}/nbgrader_config.py fails: {error}") from error
        finally:
            sys.path.remove(folder)
        return made

    @cached_property
    def zones(self) -> dict[str, tzinfo]:
        """Return the time zones of due dates, by assignment."""
        return zones(Path(self.config.CourseDirectory.root))

    @property
    def is_unset(self) -> bool:
        """Return whether no rule is set: nbgrader's default takes no points."""
        plugin = self.rule.plugin_inst
        return type(plugin) is LateSubmissionPlugin and plugin.penalty_method == "none"

    def of(self, student: str, score: float, seconds: float) -> float | None:
        """Return the penalty of a submission: None, or a number between 0 and its score."""
        if seconds <= 0:
            return None
        plugin: Any = self.rule.plugin_inst
        penalty = plugin.late_submission_penalty(student, score, seconds)
        if penalty is None:
            return None
        if math.isnan(float(penalty)):
            raise ValueError("the penalty is not a number")
        scored: Any = SimpleNamespace(score=score)
        return float(self.rule._check_late_penalty(scored, float(penalty)))

    @property
    def name(self) -> str:
        return self.rule.plugin_class.__name__
