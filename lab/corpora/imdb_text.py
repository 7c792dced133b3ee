"""The reviews of IMDB as text to go on with: what they say, not what they are labelled."""

import functools
import re

from lab.corpora import Text, imdb

UNIT = "subword"


@functools.cache
def load() -> Text:
    """Return the reviews in the splits of `imdb`, as people wrote them; a line break (<br />) is a space."""
    parts: dict[str, list[str]] = {"train": [], "val": [], "test": []}
    for name in imdb.CONTENTS:
        for line in imdb.table(name).decode().split("\n")[:-1]:
            *_, part, text = line.split("\t")
            parts[part].append(re.sub(r"<br\s*/?>", " ", text))
    return Text("imdb_text", UNIT, parts["train"], parts["val"], {"test": parts["test"]})
