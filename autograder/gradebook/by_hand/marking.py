"""The requests of formgrader's page of a submission beside nbgrader's own: rubrics and regrade requests."""

import json
import math
from functools import lru_cache
from pathlib import Path
from typing import Any

from nbgrader.api import MissingEntry
from nbgrader.server_extensions.formgrader import apihandlers
from nbgrader.server_extensions.formgrader.base import BaseApiHandler, check_notebook_dir, check_xsrf
from tornado import web

from autograder.gradebook.by_hand import regrade, rubric

LONGEST = 2000  # characters of an item, or of an answer to a request


class Marking(BaseApiHandler):
    """GET: a submission's rubrics and regrade requests; PUT: items for an answer, an item, an answer to a request."""

    @web.authenticated
    @check_xsrf
    @check_notebook_dir
    def get(self, submission_id: str) -> None:
        self._begin(submission_id)
        rubric.seed(self.session, self.assignment, rubric.of_course(self.assignment))
        self.session.commit()
        self._answer()

    @web.authenticated
    @check_xsrf
    @check_notebook_dir
    def put(self, submission_id: str) -> None:
        self._begin(submission_id)
        try:
            typed = self._change(self.get_json_body() or {})
            self.session.commit()
        except (ValueError, KeyError, TypeError) as error:
            self.session.rollback()
            raise web.HTTPError(400, f"{type(error).__name__}: {error}") from None
        except BaseException:
            self.session.rollback()
            raise
        self._answer(typed)

    def _begin(self, submission_id: str) -> None:
        self.session = self.gradebook.db()
        self.session.expire_all()  # another program may have written since
        try:
            self.notebook: Any = self.gradebook.find_submission_notebook_by_id(submission_id)
        except MissingEntry:
            raise web.HTTPError(404) from None
        self.assignment, self.student = self.notebook.assignment.assignment.name, self.notebook.student.id

    def _change(self, body: dict[str, Any]) -> list[str]:
        """Carry out the page's request; return the students who keep points typed by a person."""
        if "request" in body:
            regrade.answer(self.session, self.assignment, self.student, body["request"], str(body["answer"])[:LONGEST])
            return []
        question, about = body["question"], (self.assignment, body["question"])
        if question not in {grade.name for grade in self.notebook.grades}:
            raise ValueError(f"{self.assignment} has no question {question}")
        if "chosen" in body:
            students = {self.student, *(self._equal(question) if body.get("equal") else ())}
            rubric.choose(self.session, *about, students, set(body["chosen"]))
            return []
        text, points = str(body["text"]).strip()[:LONGEST], float(body["points"])
        if not math.isfinite(points):
            raise ValueError(f"expected points, got {points}")
        if body.get("id"):
            [item] = [each for each in rubric.items(self.session, *about) if each.id == body["id"]]
            return rubric.change(self.session, item, text, points)
        if text:
            rubric.add(self.session, *about, text, points)
        return []

    def _answer(self, typed: list[str] | tuple[()] = ()) -> None:
        chosen = rubric.marks(self.session, self.assignment, self.student)
        questions = {}
        for grade in self.notebook.grades:
            if grade.cell.cell_type != "markdown":
                continue
            items = [item for item in rubric.items(self.session, self.assignment, grade.name) if item.text]
            questions[grade.name] = {
                "items": [{"id": item.id, "text": item.text, "points": item.points} for item in items],
                "chosen": [item.id for item in chosen[self.student, grade.name]],
                "equal": len(self._equal(grade.name)),
                "next": self._next(grade),
            }
        rows = regrade.requests(self.session, self.assignment, self.student)
        requests = [{"id": row.id, "part": row.part, "note": row.note, "answer": row.answer or ""} for row in rows]
        self.write(json.dumps({"questions": questions, "requests": requests, "typed": len(typed)}))

    def _equal(self, question: str) -> list[str]:
        """Return the other students with the same answer to a question, spaces aside."""
        own = self._answers(self.student).get(question)
        students = [str(each.student_id) for each in self.gradebook.assignment_submissions(self.assignment)]
        return [each for each in students if own and each != self.student and self._answers(each).get(question) == own]

    def _answers(self, student: str) -> dict[str, str]:
        folder = self.coursedir.format_path(self.coursedir.autograded_directory, student, self.assignment)
        path = Path(folder).absolute() / f"{self.assignment}.ipynb"
        try:
            return answers(path, path.stat().st_mtime_ns)
        except (OSError, ValueError):
            return {}

    def _next(self, grade: Any) -> str | None:
        """Return the next submission with an ungraded answer to a question, in formgrader's order."""
        waiting = sorted(each.notebook_id for each in grade.cell.grades if each.needs_manual_grade)
        others = [each for each in waiting if each != self.notebook.id]
        return next((each for each in others if each > self.notebook.id), others[0] if others else None)


@lru_cache(maxsize=4096)
def answers(path: Path, _: int) -> dict[str, str]:
    """Return the answers in words of a graded notebook, with single spaces."""
    cells = json.loads(path.read_bytes())["cells"]
    texts = [cell for cell in cells if cell["cell_type"] == "markdown" and cell["metadata"].get("nbgrader")]
    return {cell["metadata"]["nbgrader"]["grade_id"]: " ".join("".join(cell["source"]).split()) for cell in texts}


HANDLERS = [*apihandlers.default_handlers, (r"/formgrader/api/marking/([^/]+)", Marking)]
