"""Pictures that students paste into text cells: shown on the feedback page and to the teacher, or named with why."""

import base64
import io
import re
import struct
import zlib
from pathlib import Path
from typing import Any

import nbformat
import pytest
from PIL import Image

from autograder.assignment import grade_id
from autograder.judge.assess import _written
from autograder.judge.judge import refused
from autograder.judge.markup import NOT_HERE
from autograder.judge.pictures import NO_PICTURE, TOO_LARGE
from autograder.submissions import normalise
from tests.attacks.cases import notebook
from tests.autograder.gradebook.test_feedback_pages import exporter, formgrader
from tests.support.classes import page, summary
from tests.support.notebooks import NAME, RIGHT, as_bytes, cells, form, markdown, tree
from tests.support.points import by_checks

ALL = by_checks("bahdanau")

WRITTEN = 4  # the place of the written answer among the cells


def chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">L", len(content)) + name + content + struct.pack(">L", zlib.crc32(name + content))


def png(side: int = 2, padding: int = 0) -> str:
    """Return a black square as base64, with so many bytes more in it."""
    head = struct.pack(">LLBBBBB", side, side, 1, 0, 0, 0, 0)
    pixels = zlib.compress(bytes(side // 8 + 2) * min(side, 100))
    more = chunk(b"teXt", bytes(padding)) if padding else b""
    made = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + more + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    return base64.b64encode(made).decode()


def made(kind: str, side: int = 2) -> str:
    """Return a black square of another kind as base64."""
    buffer = io.BytesIO()
    Image.new("1", (side, side)).save(buffer, kind)
    return base64.b64encode(buffer.getvalue()).decode()


WEBP_OF_7100 = "UklGRhoAAABXRUJQVlA4TA4AAAAvu9vuBgcQEf0PRET/Aw=="
GIF_OF_65000 = base64.b64encode(b"GIF89a" + struct.pack("<HHBBB", 65000, 65000, 0, 0, 0) + b"\x3b").decode()


def answered(source: str, attachments: Any = None, more: tuple[dict, ...] = ()) -> bytes:
    """Return a notebook with this written answer."""
    made = cells(RIGHT)
    made[WRITTEN] |= {"source": source} | ({"attachments": attachments} if attachments is not None else {})
    return as_bytes(tree([*made, *more]))


def graded(content: bytes) -> bytes:
    """Return the notebook that is kept of a submission, as if it had got no points."""
    template = form()
    return _written(normalise.submission(content, template, [NAME]), refused(template, ""))


def shown(content: bytes) -> str:
    """Return the body of the feedback page of a submission."""
    notebook = nbformat.v4.reads(graded(content).decode())
    for cell in notebook.cells:
        if "nbgrader" in cell.metadata:
            cell.metadata.nbgrader["score"] = 0
    about = {"notebook": NAME, "score": 0, "max_score": 14, "late_penalty": 0}
    return exporter().rendered(notebook, about).partition("<body")[2]


def pictures(html: str) -> list[str]:
    return re.findall(r'<img[^>]*\bsrc="data:([^"]*)"', html)


PNG = f"image/png;base64,{png()}"


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("![x](attachment:my%20picture%20(1).png)", "my picture (1).png"),
        ("![x](<attachment:my picture.png>)", "my picture.png"),
        ("![x](attachment:Gr%C3%BC%C3%9Fe.png)", "Grüße.png"),
        ("![x](attachment:Gru\u0308ße.png)", "Gr\u00fcße.png"),
        ("![x](attachment:50%25.png)", "50%.png"),
        ("![x][1]\n\n[1]: attachment:a.png", "a.png"),
        ("[![x](attachment:a.png)](https://a.example)", "a.png"),
        ("<IMG width=400 alt='x' src='attachment:my picture.png'/>", "my picture.png"),
        ("a <img src=attachment:a.png> b", "a.png"),
        ('![x](attachment:a.png "the title")', "a.png"),
        ("![x](attachment:)", ""),
        ("![x](attachment:image.png)", "image.png"),
    ],
)
def test_a_picture_is_found_however_its_name_is_written(written: str, key: str) -> None:
    assert pictures(shown(answered(written, {key: {"image/png": png()}}))) == [PNG]


@pytest.mark.parametrize(
    "written",
    [
        "![i](data:image/png;base64,{})",
        '<img src="data:image/png;base64,{}" width=3>',
        "![i][p]\n\n[p]: data:image/PNG;base64,{}",
    ],
)
def test_a_picture_pasted_in_colab_lies_in_the_text_itself(written: str) -> None:
    large = png(padding=1 << 20)
    assert pictures(shown(answered(written.format(png())))) == [PNG]
    assert pictures(shown(answered(written.format(large)))) == [f"image/png;base64,{large}"]


def test_gif_webp_and_jpeg_are_shown_too() -> None:
    for kind in ("gif", "webp", "jpeg"):
        mime, content = f"image/{kind}", made(kind)
        assert pictures(shown(answered("![x](attachment:x)", {"x": {mime: content}}))) == [f"{mime};base64,{content}"]


@pytest.mark.parametrize(
    ("forms", "reason"),
    [
        (None, NO_PICTURE),
        ({}, NO_PICTURE),
        ("image/png", NO_PICTURE),
        ({"image/png": 7}, NO_PICTURE),
        ({"image/png": [None, 7, {}]}, NO_PICTURE),
        ({"image/png": "no base64!"}, NO_PICTURE),
        ({"image/png": "aGVsbG8="}, NO_PICTURE),
        ({"image/png": '"><script>document.title=1</script>'}, NO_PICTURE),
        ({"image/svg+xml": "<svg/>", "text/html": "<b>"}, NO_PICTURE),
        ({'image/png;x="><script>': png()}, NO_PICTURE),
        ({"image/png": png(64000)}, NO_PICTURE),
        ({"image/png": made("gif")}, NO_PICTURE),
        ({"image/gif": GIF_OF_65000}, NO_PICTURE),
        ({"image/webp": WEBP_OF_7100}, NO_PICTURE),
        ({"image/jpeg": made("jpeg", 8) + "/9oA" * 101}, NO_PICTURE),
        ({"image/png": png(padding=20 << 20)}, TOO_LARGE),
    ],
)
def test_a_picture_that_cannot_be_shown_is_named_with_the_reason(forms: Any, reason: str) -> None:
    html = shown(answered("Before ![x](attachment:x.png) after", {"x.png": forms}))
    assert pictures(html) == []
    assert "Before" in html
    assert "after" in html
    assert re.search(rf"x\.png[^<]*{re.escape(reason)}", html)
    assert "<script>document" not in html


@pytest.mark.parametrize("attachments", [None, [], "attachments", {"y.png": {"image/png": png()}}])
def test_a_picture_that_is_not_there_is_named(attachments: Any) -> None:
    assert NOT_HERE in shown(answered("![x](attachment:x.png)", attachments))


def test_a_picture_that_lies_elsewhere_is_named() -> None:
    for url in ("https://a.example/pixel.png", "//a.example/b.png", "../../bo/plot.png", "file:///etc/passwd"):
        html = shown(answered(f"![x]({url})"))
        assert pictures(html) == []
        assert "src=" not in html
        assert "is not in the notebook" in html


def test_what_is_written_of_a_picture_is_no_markup() -> None:
    name = "\"><script>document.title='ran'</script>.png"
    for key in (name, "other.png"):
        html = shown(answered(f"![{name}](<attachment:{name}>)", {key: {"image/png": png()}}))
        assert "<script>document" not in html
        assert "onerror" not in html


def test_many_and_large_pictures_stay_within_the_limit_and_the_answer_goes_first() -> None:
    large = png(padding=1 << 20)
    own = markdown("![a](attachment:a.png)") | {"attachments": {"a.png": {"image/png": large}}}
    made = cells(RIGHT)
    made[WRITTEN] |= {"source": "![b](attachment:b.png)", "attachments": {"b.png": {"image/png": png()}}}
    content = as_bytes(tree([*[own] * 8, *made]))
    html = shown(content)
    assert PNG in pictures(html)
    assert 2 <= len(pictures(html)) < 8
    assert "a.png" in html
    assert "is too large" in html
    assert len(graded(content)) < 5 << 20
    assert len(html) < 5 << 20


def test_one_picture_shown_hundreds_of_times_is_there_once() -> None:
    large = png(padding=1 << 20)
    html = shown(answered("![a](attachment:a.png)\n" * 800, {"a.png": {"image/png": large}}))
    assert len(pictures(html)) == 1
    assert len(html) < 3 << 20


def test_brackets_before_a_large_picture_take_no_hours() -> None:
    large = png(padding=1 << 20)
    html = shown(answered("[" * 9000 + "![a](attachment:a.png)", {"a.png": {"image/png": large}}))
    assert len(pictures(html)) == 1


def test_pictures_in_cells_of_code_and_raw_text_are_left_out_and_the_notebook_is_valid() -> None:
    picture = {"attachments": {"a.png": {"image/png": png()}}}
    code = {"cell_type": "code", "source": "1", "metadata": {}, "outputs": [], "execution_count": None}
    raw = {"cell_type": "raw", "source": "![a](attachment:a.png)", "metadata": {}}
    content = graded(answered("x", {}, (code | picture, raw | picture, markdown("unused") | picture)))
    kept = nbformat.reads(content.decode(), as_version=4)
    nbformat.validate(kept)
    assert [cell for cell in kept.cells if cell.get("attachments")] == []


def test_a_picture_pasted_into_an_answer_reaches_the_student_and_the_teacher(run, tmp_path: Path) -> None:
    """The whole way: no feedback, no record, and formgrader's error 500 were what came of it."""
    made = notebook()
    answer = next(cell for cell in made.cells if grade_id(cell) == "reading_a_matrix")
    answer.source = "My answer: ![image.png](attachment:image.png)"
    answer.attachments = {"image.png": {"image/png": png()}}
    own = nbformat.v4.new_markdown_cell("![image.png](attachment:image.png)")
    own.attachments = {"image.png": {"image/png": png(3)}}
    made.cells.append(own)
    path = tmp_path / "in" / "ada" / "bahdanau" / "bahdanau.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(nbformat.writes(made))
    assert run(tmp_path / "in", tmp_path / "out") == 0
    assert summary(tmp_path / "out")["ada", "bahdanau"]["score"] == str(ALL)
    assert (tmp_path / "out/records/ada/bahdanau.json").exists()
    expected = [PNG, f"image/png;base64,{png(3)}"]
    assert pictures(page(tmp_path / "out", "ada")) == expected
    assert pictures(formgrader(tmp_path / "out/autograded/ada/bahdanau/bahdanau.ipynb")) == expected
