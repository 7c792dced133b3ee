"""A guess before the answer: the first screen of a lesson asks for it, the place that answers it says what was guessed.

`_static/guess.js` remembers the guess while the page is open.
"""

import json
from collections.abc import Sequence
from html import escape

from IPython.display import HTML


def guess(name: str, ask: str, options: Sequence[str], answered: str) -> HTML:
    """Return a question with its options as buttons; `answered` says where on the page it is answered."""
    data = escape(json.dumps({"name": name, "ask": ask, "options": list(options), "answered": answered}))
    listed = "; ".join(map(escape, options))
    plain = f"<p><strong>Guess first.</strong> {escape(ask)} {listed}?</p>"
    return HTML(f'<div class="moved guess" data-guess="{data}">{plain}</div>')


def paid(name: str, right: str, says: str) -> HTML:
    """Return the answer to a guess: `right` is one of its options, `says` the sentence for readers without a guess."""
    return HTML(
        f'<div class="moved paid" data-of="{escape(name)}" data-right="{escape(right)}"><p>{escape(says)}</p></div>'
    )
