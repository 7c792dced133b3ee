"""What came from behind the wall, looked through: only what can do no harm gets further."""

from typing import Any

import numpy as np

from autograder.judge.pictures import picture
from autograder.kit.call import Answer

LONGEST_TEXT = 20_000


def failure(name: str, why: str) -> dict[str, Any]:
    """Return an error as a notebook's cell shows it."""
    return {"output_type": "error", "ename": name, "evalue": why, "traceback": [f"{name}: {why}"]}


def text(value: Any, longest: int = LONGEST_TEXT) -> str:
    """Return text that can be written to a file, whatever came."""
    return value[:longest].encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""


def clean_answer(reply: Any) -> Answer:
    """Return an Answer whose fields have their declared types; anything else is the student's error."""
    if not isinstance(reply, Answer):
        return Answer(error="the answer was no answer")
    if reply.error is not None:
        return Answer(error=text(reply.error, 2000) or "an error without a text")
    gradients, after = reply.gradients, reply.inputs_after
    shaped = (
        _arrays(reply.outputs)
        and isinstance(reply.several, bool)
        and (gradients is None or (isinstance(gradients, list) and _arrays([g for g in gradients if g is not None])))
        and (after is None or isinstance(after, list))
    )
    return reply if shaped else Answer(error="the answer held other things than arrays")


def _arrays(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, np.ndarray) for item in value)


def clean_outputs(outputs: Any) -> list[dict[str, Any]]:
    """Return the outputs that a notebook may hold: text and pictures, no HTML, no scripts."""
    cleaned = [_clean_output(item) for item in outputs] if isinstance(outputs, list) else []
    return [item for item in cleaned if item is not None]


def _clean_output(item: Any) -> dict[str, Any] | None:
    kind = item.get("output_type") if isinstance(item, dict) else None
    if kind == "stream":
        return {
            "output_type": "stream",
            "name": "stdout" if item.get("name") == "stdout" else "stderr",
            "text": text(item.get("text"), 1 << 20),
        }
    if kind == "error":
        lines = item.get("traceback")
        lines = [text(line, 2000) for line in lines[:300]] if isinstance(lines, list) else []
        return {
            "output_type": "error",
            "ename": text(item.get("ename"), 200),
            "evalue": text(item.get("evalue"), 2000),
            "traceback": lines,
        }
    if kind in ("display_data", "execute_result") and isinstance(item.get("data"), dict):
        data = {mime: value for mime, value in item["data"].items() if isinstance(value, str) and _shown(mime, value)}
        output = {
            "output_type": kind,
            "data": {mime: text(value, 2 << 20) for mime, value in data.items()},
            "metadata": {},
        }
        return output | ({"execution_count": None} if kind == "execute_result" else {})
    return None


def _shown(mime: str, value: str) -> bool:
    """Return whether an output can do no more than be looked at: plain text, or base64 and nothing else."""
    if mime == "text/plain":
        return True
    return mime in ("image/png", "image/jpeg") and value.isascii() and picture(mime, value.replace("\n", ""))
