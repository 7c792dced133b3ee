"""The cover's cards have the chapters' pictures; each lesson leads to the next one and to its chapter's other pages."""

import re

import pytest

from book.contents import EVIDENCE, PROGRAM, all_chapters, chapters, further
from book.make import miniatures
from tests.book.test_book_pages import FULL, pages

ORDER = chapters()


def article(name: str) -> str:
    pages(FULL)
    return (FULL / f"{name}.html").read_text(encoding="utf8").partition("<article")[2]


@pytest.mark.parametrize("name", miniatures.DRAWN)
def test_a_picture_is_as_the_chapters_model_has_it(name: str) -> None:
    (file, text), *_ = miniatures.drawn([name]).items()
    assert file.read_text("utf-8") == text, "python -m book.make.miniatures draws it anew"


def test_weights_are_squares_as_opaque_as_they_are_large() -> None:
    import torch

    weights = torch.tensor([[0.5, 0.01, 0.25], [0.0, 1.0, 0.0]])
    squares = miniatures.cells(weights, 10, 20, 6, 8)
    assert [re.findall(r'(?:x|y|opacity)="([\d.]+)"', each) for each in squares] == [
        ["10", "20", "0.50"],
        ["22", "20", "0.25"],
        ["16", "28", "1.00"],
    ]


def test_each_chapter_has_a_card_with_its_picture_question_and_minutes() -> None:
    cards = re.search(r'<div class="cards[^>]*>.*?</ol>', article("index"), re.DOTALL)
    assert cards
    items = re.findall(r"<li>(.*?)</li>", cards[0], re.DOTALL)
    assert [re.search(r'href="(\w+)\.html"', item)[1] for item in items] == ORDER  # type: ignore[index]
    for name, item in zip(ORDER, items, strict=True):
        assert ("<svg" in item) == miniatures.file_of(name).is_file()
        assert all_chapters()[name]["question"] in item.replace("&#39;", "'")
        assert f"{all_chapters()[name]['reading']} min to read" in item


def test_one_gets_from_the_first_lesson_to_the_last() -> None:
    for name, after in zip(ORDER, [*ORDER[1:], None], strict=True):
        end = article(name).partition('<nav class="onward"')[2].partition("</nav>")[0]
        assert re.findall(r'class="next-lesson" href="(\w+)\.html"', end) == ([after] if after else [])
        small = re.findall(r'<li><a href="([^"]+)"', end)
        own = [*further(name), name + PROGRAM, name + EVIDENCE]
        assert small[:-1] == [f"{page}.html" for page in own if (FULL / f"{page}.html").is_file()]
        assert small[-1].endswith(f"{name}.ipynb") or small[-1] == "#exercises"


@pytest.mark.parametrize("name", ORDER)
def test_a_chapters_other_pages_lead_back_to_their_lesson(name: str) -> None:
    pages(FULL)
    for page in (*further(name), name + PROGRAM, name + EVIDENCE):
        if (FULL / f"{page}.html").is_file():
            text = (FULL / f"{page}.html").read_text(encoding="utf8")
            assert re.search(r'class="left-prev"\s*href="([^"]+)"', text)[1] == f"{name}.html"  # type: ignore[index]
            assert 'class="onward"' not in text
