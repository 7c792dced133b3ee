"""A guess before the answer: the first screen of a lesson asks for it, the place that answers it says what was guessed.

`_static/guess.js` remembers the guess while the page is open.
"""

import json
from collections.abc import Sequence
from html import escape

from IPython.display import HTML


def guess(name: str, ask: str, options: Sequence[str], answered: str) -> HTML:
    """Return a question with its options as buttons; `answered` says where on the page it is answered."""
    data = escape(json.dumps({"name": name, "answered": answered}))
    choices = " ".join(f"<span>{escape(option)}</span>" for option in options)
    named = f"guess-{escape(name)}"
    return HTML(
        f'<div class="moved guess" data-guess="{data}"><p id="{named}"><strong>Guess first.</strong> {escape(ask)}</p>'
        f'<div class="choices" role="group" aria-labelledby="{named}">{choices}</div><p role="status"></p></div>'
    )


def paid(name: str, right: str, says: str) -> HTML:
    """Return the answer to a guess: `right` is one of its options, `says` the sentence for readers without a guess."""
    return HTML(
        f'<div class="moved paid" data-of="{escape(name)}" data-right="{escape(right)}"><p>{escape(says)}</p></div>'
    )
