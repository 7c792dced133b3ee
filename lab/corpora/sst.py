"""SST-2 (Socher et al., 2013): sentences of film reviews, positive or negative, cut into words as in Kim (2014).

The original has no licence (research use, to be cited): fetched and never shipped. Sentences only: the labelled
phrases, with which the literature often trains, are not here. A sentence is a document of one sentence.
"""

import functools
import gzip

from lab.corpora import Document, Labelled
from lab.corpora.sources import Source, data_folder, fetch, unpacked
from lab.text.tokenizers import sentences

LABELS = ("negative", "positive")
COMMIT = "23c72429de5fb3d2f3da87bf2efb5559c15b78f7"
REPOSITORY = f"https://raw.githubusercontent.com/AcademiaSinicaNLPLab/sentiment_dataset/{COMMIT}/data"
CONTENTS = {  # SHA-256 of the text, which may lie in the data folder as it is or packed (.gz)
    "train": "71c04bcc41291fa47454dd670df701b14ee9249156babeaac404cfe2c8d74338",
    "dev": "02fedc82855dbdcabe82c65ed1af6c6570788eaac51073cdb35ee8c7784426d1",
    "test": "6a80dc9b9a0db2d3b37f2f809304febad31c90ab67a5b4157b7d9f881c53ef5b",
}


def documents(name: str) -> list[Document]:
    """Return the sentences of one file, in which each line is 0 or 1 and a sentence."""
    source = Source(f"{REPOSITORY}/stsa.binary.{name}", CONTENTS[name], f"sst/stsa.binary.{name}")
    packed = data_folder() / f"{source.path}.gz"
    if packed.exists():
        content = unpacked(packed, gzip.decompress, CONTENTS[name], source.url)
    else:
        content = fetch(source).read_bytes()
    lines = (line.split(" ", 1) for line in content.decode().split("\n") if line)
    return [Document((text.strip(),), LABELS[int(label)]) for label, text in lines]


@functools.cache
def load() -> Labelled:
    """Return the official splits: 6,920 sentences to train on, 872 to select by, 1,821 to test on."""
    return Labelled("sst", LABELS, documents("train"), documents("dev"), {"test": documents("test")})


def read(text: str) -> tuple[str, ...]:
    """Return a text written by people as the words of this corpus, which are lower-cased."""
    return (" ".join(sentences(text.lower())),)
