"""The program of a translator that reads with self-attention runs as it stands."""

import inspect
import re

from examples import whole_self_attention


def test_it_is_short():
    assert len(inspect.getsource(whole_self_attention).splitlines()) <= 100


def test_it_learns_with_the_functions_of_the_chapters(capsys, monkeypatch):
    called = set()

    def seen(name):
        taught = getattr(whole_self_attention, name)
        return lambda *given, **named: (called.add(name), taught(*given, **named))[1]

    names = "self_attention", "rnnsearch_step", "shift", "sequence_loss", "greedy_decode"
    for name in names:
        monkeypatch.setattr(whole_self_attention, name, seen(name))
    whole_self_attention.main(epochs=0.33)
    output = capsys.readouterr().out
    assert called == set(names)
    first, *_, last = (float(loss) for loss in re.findall(r"loss (\d+\.\d+)", output))
    assert last < first - 2
    assert len(re.findall(r"^(?:il m' a entarté|la semaine .* la rue) → \w+", output, re.MULTILINE)) == 2
