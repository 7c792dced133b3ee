"""The programs of one page run as they stand: one learns and translates, one learns and writes."""

import re

import pytest

from examples import whole_language_model, whole_program


def losses(output: str) -> list[float]:
    return [float(loss) for loss in re.findall(r"loss (\d+\.\d+)", output)]


def test_it_trains_and_translates(capsys):
    whole_program.main(epochs=0.26)
    output = capsys.readouterr().out
    first, *_, last = losses(output)
    assert last < first - 2
    assert re.search(r"^il m' a entarté → \w+", output, re.MULTILINE)


def test_it_reads_a_text_and_writes_more_of_it(capsys, tmp_path):
    (tmp_path / "text").write_text("the cat sat on the mat\n" * 200, encoding="utf-8")
    whole_language_model.main(str(tmp_path / "text"), steps=101, start="the cat")
    output = capsys.readouterr().out
    first, last = losses(output)
    assert last < first - 2
    assert "the cat sat on the mat\nthe cat" in output.partition("nats a letter")[2]


@pytest.mark.slow
def test_three_epochs_are_enough_for_the_sentence_of_the_book(capsys):
    whole_program.main()
    assert "il m' a entarté → he hit me with a pie" in capsys.readouterr().out
