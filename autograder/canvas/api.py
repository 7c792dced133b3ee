"""Requests to Canvas: pages of lists, waiting at its rate limit, jobs in the background, files in three steps."""

import time
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import requests

SECONDS = 60  # for one answer
MOST_SECONDS = 60  # that Canvas may ask to wait
TRIES = 6  # of a request that Canvas puts off; the wait doubles each time
JOB_SECONDS = 600  # for a job that Canvas does later
LARGEST = 64 << 20  # bytes of a hand-in: `grade` takes no larger one
PUT_OFF = (429, 502, 503, 504)
MEANINGS = {
    401: "the token is wrong or has expired: make a new one in Account, Settings",
    403: "the token's owner may not do this in this course",
    404: "there is no such course or assignment, or the token's owner cannot see it",
}
Fields = Mapping[str, Any] | list[tuple[str, Any]]


class CanvasError(ValueError):
    """Canvas refused, or could not be reached; the message never holds the token."""


class Canvas:
    """One Canvas, by its address and a teacher's token, which goes to that address alone."""

    def __init__(self, url: str, token: str) -> None:
        where = urlsplit(url)
        is_here = where.hostname in ("localhost", "127.0.0.1")
        if not where.hostname or where.scheme not in ("https", "http") or (where.scheme == "http" and not is_here):
            raise CanvasError(f"expected Canvas's address, such as https://canvas.example.edu, as --url, got {url!r}")
        if not token:
            raise CanvasError("set CANVAS_TOKEN to your token: make one in Canvas, Account, Settings, New Access Token")
        self.base = f"{where.scheme}://{where.netloc}"
        self._session = requests.Session()
        self._token = token
        self.first_wait = 1.0  # seconds

    def get(self, path: str, **query: Any) -> Any:
        """Return one answer of the API as JSON."""
        return self._json(self._request("GET", self._api(path), params=query))

    def all(self, path: str, **query: Any) -> Iterator[dict[str, Any]]:
        """Yield the items of a list, page by page."""
        url, params = self._api(path), {"per_page": 100, **query}
        while url:
            answer = self._request("GET", url, params=params)
            yield from self._json(answer)
            url, params = answer.links.get("next", {}).get("url", ""), {}
            if url and not self._is_ours(url):
                raise CanvasError(f"{self.base} links to a page at {urlsplit(url).netloc}: the token is not sent there")

    def post(self, path: str, fields: Fields) -> Any:
        return self._json(self._request("POST", self._api(path), data=fields))

    def finish(self, progress: dict[str, Any]) -> None:
        """Wait until Canvas has done a job; raise CanvasError where it fails or takes too long."""
        until = time.monotonic() + JOB_SECONDS
        wait = self.first_wait
        while (state := progress.get("workflow_state")) not in ("completed", "failed"):
            if time.monotonic() > until:
                raise CanvasError(
                    f"Canvas has not finished after {JOB_SECONDS} seconds ({state}): look in its gradebook"
                )
            time.sleep(wait)
            wait = min(2 * wait, 10)
            progress = self.get(f"progress/{progress['id']}")
        if state == "failed":
            raise CanvasError(f"Canvas could not finish: {progress.get('message') or 'it gives no reason'}")

    def upload(self, path: str, name: str, content: bytes) -> int:
        """Upload a file to where `path` takes one; return its number."""
        ticket = self.post(path, {"name": name, "size": len(content), "content_type": "text/html"})
        files = {"file": (name, content, "text/html")}  # last, behind all fields that Canvas names
        # The storage is another host, which knows the upload by its fields.
        answer = self._request(
            "POST", ticket["upload_url"], data=ticket["upload_params"], files=files, allow_redirects=False
        )
        if location := answer.headers.get("Location"):
            return int(self._json(self._request("GET", location))["id"])
        return int(self._json(answer)["id"])

    def download(self, url: str) -> bytes:
        """Return a submitted file; raise CanvasError above LARGEST."""
        with self._request("GET", url, stream=True) as answer:
            content = b""
            for block in answer.iter_content(1 << 20):
                content += block
                if len(content) > LARGEST:
                    raise CanvasError(f"it has more than {LARGEST >> 20} MB")
            return content

    def _api(self, path: str) -> str:
        return f"{self.base}/api/v1/{path}"

    def _is_ours(self, url: str) -> bool:
        where = urlsplit(url)
        return f"{where.scheme}://{where.netloc}" == self.base

    def _request(self, method: str, url: str, **more: Any) -> requests.Response:
        """Return the answer to a request; retry while Canvas puts it off, and raise CanvasError for an error."""
        answer = self._once(method, url, more)
        for attempt in range(TRIES - 1):
            if not _is_put_off(answer):
                break
            wait = answer.headers.get("Retry-After", "")
            time.sleep(min(float(wait), MOST_SECONDS) if wait.isdigit() else self.first_wait * 2**attempt)
            answer = self._once(method, url, more)
        if answer.status_code < 400:
            return answer
        meaning = MEANINGS.get(answer.status_code, answer.text[:200].replace(self._token, "…"))
        if _is_put_off(answer):
            meaning = "Canvas is too busy, also after several tries: try again later"
        raise CanvasError(f"{_shown(method, url)}: {answer.status_code}, {meaning}")

    def _once(self, method: str, url: str, more: dict[str, Any]) -> requests.Response:
        headers = {"Authorization": f"Bearer {self._token}"} if self._is_ours(url) else {}
        try:
            return self._session.request(method, url, headers=headers, timeout=SECONDS, **more)
        except requests.RequestException as error:
            raise CanvasError(f"{_shown(method, url)}: no answer ({type(error).__name__})") from None

    @staticmethod
    def _json(answer: requests.Response) -> Any:
        try:
            return answer.json()
        except ValueError:
            raise CanvasError(f"{answer.url.partition('?')[0]}: expected JSON, got {answer.text[:60]!r}") from None


def _shown(method: str, url: str) -> str:
    """Return a request for messages, without the part behind "?", which may let others in."""
    return f"{method} {url.partition('?')[0]}"


def _is_put_off(answer: requests.Response) -> bool:
    limited = answer.status_code == 403 and "Rate Limit Exceeded" in answer.text
    return limited or answer.status_code in PUT_OFF
