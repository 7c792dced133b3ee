"""Tiny Shakespeare (Karpathy, 2015): a million characters of the plays, which are in the public domain.

The last tenth is for validation, as in nanoGPT, where the published losses on this text come from.
"""

import functools

from lab.corpora import Text
from lab.corpora.sources import Source, fetch

UNIT = "character"
COMMIT = "d1d7aa34fdb3626174bce1d753e6cc6845ce7087"
SOURCE = Source(
    f"https://raw.githubusercontent.com/karpathy/char-rnn/{COMMIT}/data/tinyshakespeare/input.txt",
    "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
    "tinyshakespeare/input.txt",
)


@functools.cache
def load() -> Text:
    """Return nine tenths to train on, and one to select by and to test on."""
    text = fetch(SOURCE).read_text(encoding="utf-8")
    cut = len(text) * 9 // 10
    return Text("shakespeare", UNIT, [text[:cut]], [text[cut:]], {"validation": [text[cut:]]})
