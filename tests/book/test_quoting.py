"""Numbers in prose reach the page as they were written."""

import pytest
from myst_nb.core.variables import format_plain_text

from book import quoting


@pytest.mark.parametrize("text", ["824,201", "857,097", "0.240", "97.3", "0.153 to 0.184", "not run"])
def test_a_number_is_shown_as_it_is_written(text, monkeypatch):
    outputs = []
    monkeypatch.setattr(quoting, "glue", lambda name, value, display: outputs.append((name, repr(value), display)))

    quoting.quote(score=text)
    [(name, plain, display)] = outputs
    assert (name, display) == ("score", False)
    assert format_plain_text(plain, "s") == text
