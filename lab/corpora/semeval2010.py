"""SemEval-2010 Task 8 (Hendrickx et al., 2010): the relation of two marked nominals, nine with a direction, or Other.

CC BY 3.0, the organisers' release of 16 July 2010. The official score is the macro-F1 of the nine relations, a wrong
direction being an error. The task has no validation part: every tenth training sentence is one here.
"""

import functools
import zipfile
from pathlib import Path

from lab.corpora import CorpusError, Document, Labelled
from lab.corpora.markers import with_markers
from lab.corpora.sources import Source, data_folder, fetch
from lab.files import atomic_write

RELATIONS = (
    "Cause-Effect Component-Whole Content-Container Entity-Destination Entity-Origin Instrument-Agency "
    "Member-Collection Message-Topic Product-Producer"
).split()
OTHER = "Other"
LABELS = (*(f"{name}({way})" for name in RELATIONS for way in ("e1,e2", "e2,e1")), OTHER)
CLASSES = {label: None if label == OTHER else label.split("(")[0] for label in LABELS}
VALIDATION = 10  # one training sentence of so many

COMMIT = "8eebbf2727013aaaa5ecd18b1f4732bd848e1e1c"
ARCHIVE = Source(
    f"https://raw.githubusercontent.com/sahitya0000/Relation-Classification/{COMMIT}/corpus/"
    "SemEval2010_task8_all_data.zip",
    "3bfd3ed634d844c9f95d1e4a1bb042b1c6d498ed7b4182dcadecde9bb95a8e71",
    "semeval2010/SemEval2010_task8_all_data.zip",
)
FILES = {
    "TRAIN_FILE.TXT": "c22fee88957d245a4b1650c6743eb8c594dcdeffc6a2aa1fa6cced059eebf0e3",
    "TEST_FILE_FULL.TXT": "9ec7a35d5582b4da0fb72aa55a6121bc414ade573459e1dcf68bf189f8c18ae8",
}


def path_of(name: str) -> Path:
    """Return the path of one of the two files, taken out of the organisers' archive if it is not there."""
    path = data_folder() / "semeval2010" / name
    if not path.exists():
        with zipfile.ZipFile(fetch(ARCHIVE)) as archive:
            member = next(member for member in archive.namelist() if member.endswith(f"/{name}"))
            atomic_write(path, archive.read(member))
    return fetch(Source(ARCHIVE.url, FILES[name], f"semeval2010/{name}"))


def documents(name: str) -> list[Document]:
    """Return the sentences of a file: blocks of a number and a quoted sentence, the label, and a comment."""
    labelled = []
    for block in path_of(name).read_text(encoding="utf8").split("\n\n"):
        lines = block.strip().split("\n")
        if len(lines) < 2:
            continue
        sentence, label = lines[0].split("\t", 1)[1].strip().removeprefix('"').removesuffix('"'), lines[1].strip()
        if label not in LABELS:
            raise CorpusError(f"semeval2010/{name}: expected one of {len(LABELS)} labels, got {label!r}.")
        labelled.append(Document((with_markers(sentence),), label))
    return labelled


@functools.cache
def load() -> Labelled:
    """Return 7,200 sentences to train on, 800 to select by, and the official 2,717 to test on."""
    learnt = documents("TRAIN_FILE.TXT")
    train = [document for number, document in enumerate(learnt) if number % VALIDATION]
    tests = {"test": documents("TEST_FILE_FULL.TXT")}
    return Labelled("semeval2010", LABELS, train, learnt[::VALIDATION], tests, "macro_f1", CLASSES)


def read(text: str) -> tuple[str, ...]:
    """Return a sentence written by people, its two nominals between <e1> </e1> and <e2> </e2>, cut into words."""
    return (with_markers(text),)
