"""The program of one page runs as it stands: it learns, and translates."""

import re

import pytest

from examples import whole_program


def losses(output: str) -> list[float]:
    return [float(loss) for loss in re.findall(r"loss (\d+\.\d+)", output)]


def test_it_trains_and_translates(capsys):
    whole_program.main(epochs=0.26)
    output = capsys.readouterr().out
    first, *_, last = losses(output)
    assert last < first - 2
    assert re.search(r"^il m' a entarté → \w+", output, re.MULTILINE)


@pytest.mark.slow
def test_three_epochs_are_enough_for_the_sentence_of_the_book(capsys):
    whole_program.main()
    assert "il m' a entarté → he hit me with a pie" in capsys.readouterr().out
