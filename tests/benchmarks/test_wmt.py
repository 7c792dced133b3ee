"""Laws of the served texts: they are read as WMT'14 is, and a training's cost is steps times tokens over speed."""

from pathlib import Path

import pytest

from benchmarks.wmt import SHARES, cost, served, texts, write_site
from lab import corpora
from lab.corpora import wmt14


def test_both_sides_have_as_many_lines_and_as_long_ones() -> None:
    german, english = (text.decode().splitlines() for text in texts(200, 1).values())
    assert len(german) == len(english) == 200
    sizes = [[len(line.split()) for line in side] for side in (german, english)]
    assert max(abs(a - b) for a, b in zip(*sizes, strict=True)) < 25
    assert texts(200, 1) == texts(200, 1) != texts(200, 2)


def test_what_is_served_is_read_as_the_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_site(tmp_path / "site", 100)
    monkeypatch.setenv("ATTENTION_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with served(tmp_path / "site") as address:
        monkeypatch.setattr(wmt14, "SITE", address)
        corpus = corpora.load("wmt14")
    assert len(corpus.train) == sum(round(100 * share) for share in SHARES.values())
    assert (len(corpus.validation), len(corpus.tests["newstest2014"])) == (300, 100)


def test_the_cost_is_steps_times_tokens_over_speed() -> None:
    # 100,000 steps of 25,000 tokens are 2.5 billion: at 250,000 a second 10,000 seconds, 2.78 hours.
    assert cost(250_000, price=3, watts=700).endswith("2.8 hours, 8 euros at 3 an hour, 1.9 kWh at 700 W")
