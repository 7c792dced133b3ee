"""The reviews of IMDB as text to continue, without their labels."""

import functools

from lab.corpora import Text, imdb

UNIT = "subword"


@functools.cache
def load() -> Text:
    """Return the reviews in the splits of `imdb`, as people wrote them; a line break (<br />) is a space."""
    parts: dict[str, list[str]] = {"train": [], "val": [], "test": []}
    for name in imdb.CONTENTS:
        for _, part, text in imdb.rows(name):
            parts[part].append(imdb.unbroken(text))
    return Text("imdb_text", UNIT, parts["train"], parts["val"], {"test": parts["test"]})
