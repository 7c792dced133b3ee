"""A small Canvas: the answers that its API's documentation shows, for one course with one assignment."""

import email
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

TOKEN = "7~a-token-that-nobody-may-read"
ASSIGNMENT = "/api/v1/courses/7/assignments/4711"
PAGE = 2  # items of a list in one answer, whatever is asked for
DUE = "2026-11-20T23:00:00Z"


def user(number: int, name: str) -> dict[str, Any]:
    last, first = name.split(", ")
    return {
        "id": number,
        "name": f"{first} {last}",
        "sortable_name": name,
        "sis_user_id": None,
        "login_id": f"u{number}",
    }


@dataclass
class State:
    """What this Canvas holds, what it was asked, and what it is told to do wrong."""

    people: dict[int, dict[str, Any]] = field(default_factory=dict)
    submissions: dict[int, dict[str, Any]] = field(default_factory=dict)
    files: dict[int, bytes] = field(default_factory=dict)
    pages: dict[int, bytes] = field(default_factory=dict)  # beside comments, by student
    overrides: list[dict[str, Any]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)  # requests that brought the token where it must not go
    put_off: list[int] = field(default_factory=list)  # the statuses of the next answers
    late_policy: float = 0.0  # points that Canvas takes from who is late
    job_fails: bool = False
    next_page: str = ""  # where a list's next page lies, in place of here
    _jobs: dict[int, int] = field(default_factory=dict)

    def hands_in(self, number: int, name: str, at: str | None = None, *, late: bool = False, **files: bytes) -> None:
        self.people[number] = user(number, name)
        attachments = []
        for title, content in files.items():
            self.files[file := 1000 + len(self.files)] = content
            attachments.append({"id": file, "display_name": title.replace("_ipynb", ".ipynb"), "size": len(content)})
        about = {"user_id": number, "submitted_at": at, "late": late, "score": None, "submission_comments": []}
        self.submissions[number] = about | {"attachments": attachments}

    def job(self, number: int) -> str:
        """Return how far a job is, which is asked for twice."""
        self._jobs[number] += 1
        return "running" if self._jobs[number] == 1 else "failed" if self.job_fails else "completed"

    def grade(self, fields: list[tuple[str, str]]) -> None:
        for key, value in fields:
            words = key.replace("]", "").split("[")
            of = self.submissions[int(words[1])]
            if words[2] == "posted_grade":
                of["score"] = float(value) - (self.late_policy if of["late"] else 0)
            elif words[2] == "text_comment":
                of["submission_comments"].append({"comment": value})
            elif words[2:] == ["file_ids", ""]:
                self.pages[int(words[1])] = self.files[int(value)]
            else:
                raise AssertionError(key)


class Handler(BaseHTTPRequestHandler):
    state: State

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    @property
    def here(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        where, has_token = urlsplit(self.path), f"Bearer {TOKEN}" in self.headers.get("Authorization", "")
        self.state.asked.append(f"{self.command} {where.path}")
        if self.headers.get("Host", "").startswith("localhost"):  # the storage: this server by its other name
            self.state.strangers += [self.path] if has_token else []
        elif where.path.startswith("/api") and not has_token:
            return self._send({"errors": [{"message": "Invalid access token."}]}, 401)
        if self.state.put_off:
            status = self.state.put_off.pop(0)
            return self._send("403 Forbidden (Rate Limit Exceeded)" if status == 403 else "wait", status)
        query = dict(parse_qsl(where.query))
        return self._get(where.path, query) if self.command == "GET" else self._post(where.path, body)

    def _get(self, path: str, query: dict[str, str]) -> None:
        state = self.state
        name = path.rsplit("/", 1)[1]
        if path == ASSIGNMENT:
            return self._send({"id": 4711, "name": "Additive attention", "due_at": DUE})
        if path.startswith("/files/"):
            return self._send(state.files[int(name)])
        if path.startswith("/api/v1/files/"):
            return self._send({"id": int(name)})
        if path.startswith("/api/v1/progress/"):
            return self._send(self._progress(int(name), state.job(int(name))))
        return self._list(path, query)

    def _list(self, path: str, query: dict[str, str]) -> None:
        state = self.state
        if path == f"{ASSIGNMENT}/submissions":
            return self._page([self._submission(number, query) for number in state.submissions], path, query)
        if path == f"{ASSIGNMENT}/overrides":
            return self._page(state.overrides, path, query)
        if path == "/api/v1/courses/7/sections/3":
            return self._send({"id": 3, "students": [{"id": number} for number in state.people if number % 2]})
        if path == "/api/v1/groups/5/users":
            return self._page([{"id": number} for number in state.people], path, query)
        return self._send({"errors": [{"message": "The specified resource does not exist."}]}, 404)

    def _submission(self, number: int, query: dict[str, str]) -> dict[str, Any]:
        of = self.state.submissions[number]
        files = [each | {"url": f"{self.here}/files/{each['id']}?verifier=secret"} for each in of["attachments"]]
        made = of | {"attachments": files}
        if query.get("include[]") != "submission_comments":
            del made["submission_comments"]
        return made | ({"user": self.state.people[number]} if query.get("include[]") == "user" else {})

    def _post(self, path: str, body: bytes) -> None:
        state = self.state
        if path == f"{ASSIGNMENT}/submissions/update_grades":
            state._jobs[len(state._jobs)] = 0
            if not state.job_fails:
                state.grade(parse_qsl(body.decode(), keep_blank_values=True))
            return self._send(self._progress(len(state._jobs) - 1, "queued"))
        if path.endswith("/comments/files"):
            fields = dict(parse_qsl(body.decode()))
            upload = self.here.replace("127.0.0.1", "localhost") + "/storage"
            params = {"key": path.split("/")[-3], "filename": fields["name"], "size": fields["size"]}
            return self._send({"upload_url": upload, "upload_params": params})
        parts = email.message_from_bytes(b"Content-Type: " + self.headers["Content-Type"].encode() + b"\r\n\r\n" + body)
        content = {
            part.get_param("name", header="content-disposition"): part.get_payload(decode=True)
            for part in parts.get_payload()
        }
        assert list(content)[-1] == "file", "Canvas asks for the file behind all other fields"
        assert int(content["size"]) == len(content["file"])
        state.files[number := 1000 + len(state.files)] = content["file"]
        return self._send({}, 301, Location=f"{self.here}/api/v1/files/{number}")

    def _progress(self, number: int, state: str) -> dict[str, Any]:
        message = "the grader had no permission" if state == "failed" else None
        return {
            "id": number,
            "workflow_state": state,
            "message": message,
            "url": f"{self.here}/api/v1/progress/{number}",
        }

    def _page(self, items: list[dict[str, Any]], path: str, query: dict[str, str]) -> None:
        page = int(query.get("page", 1))
        links = {}
        if page * PAGE < len(items):
            more = f"&include[]={query['include[]']}" if "include[]" in query else ""
            after = self.state.next_page or self.here
            links["Link"] = (
                f'<{after}{path}?page={page + 1}{more}>; rel="next", <{self.here}{path}?page=1>; rel="first"'
            )
        self._send(items[(page - 1) * PAGE : page * PAGE], **links)

    def _send(self, content: Any, status: int = 200, **headers: str) -> None:
        body = (
            content
            if isinstance(content, bytes)
            else (content if isinstance(content, str) else json.dumps(content)).encode()
        )
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def canvas() -> Iterator[tuple[str, State]]:
    """Yield the address of a small Canvas, and its state."""
    state = State()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Mine", (Handler,), {"state": state}))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
