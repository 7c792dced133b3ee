"""The programs of one page run as they stand: two learn and translate, one learns and writes."""

import inspect
import re

import pytest

from book.contents import page_file
from book.show.long_sentence import long_sentence
from examples import whole_encoder_decoder, whole_language_model, whole_program

PROGRAMS = whole_encoder_decoder, whole_program, whole_language_model
MOST_LINES = 110


def losses(output: str) -> list[float]:
    return [float(loss) for loss in re.findall(r"loss (\d+\.\d+)", output)]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_the_page_shows_a_short_program_as_it_is(program):
    name = program.__name__.rpartition(".")[2]
    assert f"```{{literalinclude}} ../../examples/{name}.py\n" in page_file("whole_program").read_text("utf-8")
    assert len(inspect.getsource(program).splitlines()) <= MOST_LINES


def test_one_vector_is_learned_with_the_functions_of_the_chapter(capsys, monkeypatch):
    called = set()

    def seen(name):
        taught = getattr(whole_encoder_decoder, name)
        return lambda *given, **named: (called.add(name), taught(*given, **named))[1]

    names = "last_states", "gru_step", "shift", "sequence_loss", "greedy_decode"
    for name in names:
        monkeypatch.setattr(whole_encoder_decoder, name, seen(name))
    whole_encoder_decoder.main(epochs=0.33)
    output = capsys.readouterr().out
    assert called == set(names)
    first, *_, last = losses(output)
    assert last < first - 2
    assert len(re.findall(r"^(?:il m' a entarté|la semaine .* la rue) → \w+", output, re.MULTILINE)) == 2


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
def test_three_epochs_of_one_vector_are_enough_for_four_words_and_too_few_for_eighteen(capsys):
    whole_encoder_decoder.main()
    output = capsys.readouterr().out
    assert "il m' a entarté → he hit me with a pie\n" in output
    assert long_sentence().target not in output


@pytest.mark.slow
def test_three_epochs_are_enough_for_the_sentence_of_the_book(capsys):
    whole_program.main()
    assert "il m' a entarté → he hit me with a pie" in capsys.readouterr().out
