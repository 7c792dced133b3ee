"""Outputs of a student's cells, looked through: only what can do no harm gets further."""

from typing import Any

from autograder.judge.pictures import picture
from autograder.kit.answer import clean_text


def error_output(name: str, text: str) -> dict[str, Any]:
    """Return an error as a notebook's cell shows it."""
    return {"output_type": "error", "ename": name, "evalue": text, "traceback": [f"{name}: {text}"]}


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
            "text": clean_text(item.get("text"), 1 << 20),
        }
    if kind == "error":
        lines = item.get("traceback")
        lines = [clean_text(line, 2000) for line in lines[:300]] if isinstance(lines, list) else []
        return {
            "output_type": "error",
            "ename": clean_text(item.get("ename"), 200),
            "evalue": clean_text(item.get("evalue"), 2000),
            "traceback": lines,
        }
    if kind in ("display_data", "execute_result") and isinstance(item.get("data"), dict):
        data = {mime: value for mime, value in item["data"].items() if isinstance(value, str) and _shown(mime, value)}
        output = {
            "output_type": kind,
            "data": {mime: clean_text(value, 2 << 20) for mime, value in data.items()},
            "metadata": {},
        }
        return output | ({"execution_count": None} if kind == "execute_result" else {})
    return None


def _shown(mime: str, value: str) -> bool:
    """Return whether an output can do no more than be looked at: plain text, or base64 and nothing else."""
    if mime == "text/plain":
        return True
    return mime in ("image/png", "image/jpeg") and value.isascii() and picture(mime, value.replace("\n", ""))
