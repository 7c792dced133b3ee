"""IMDB (Maas et al., 2011): 50,000 film reviews, positive or negative, at most 30 of one film, no film in both parts.

The reviews are IMDb users' and the data set has no licence; it is customary for research and teaching, so it is
fetched and never shipped. Models are selected on 5,000 of the 25,000 training reviews, those that the repository
below sets aside. Sentences are split and cut into words by syntok, once.
"""

import lzma
import re
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from lab.corpora import CorpusError, Document, Labelled
from lab.corpora.made_once import made_once
from lab.corpora.sources import Source, data_folder, fetch, unpacked
from lab.files import atomic_write
from lab.text.tokenizers import sentences

LABELS = ("negative", "positive")
NAMES = {"neg": "negative", "pos": "positive"}
COMMIT = "05fb2144cdac27a88f277b3969df58e2ae041af6"
# All reviews as separate files, with the validation part. The archive is not checked; the tables made from it are.
ARCHIVE = Source(f"https://codeload.github.com/dax44/AMLM/tar.gz/{COMMIT}", None, "imdb/AMLM.tar.gz")
# SHA-256 of the tables: label, id, stars, part (train, val or test), text; newlines and tabs of the text are spaces.
CONTENTS = {
    "train": "354b6f8cbb7523274bca892d6dc34954e5b29e975edd86fb6dc27854f91fe33d",
    "test": "94deb0f8e3a29aa9504f7e26ea8b33c80c82f2007881549f8a828f2b9c4b42df",
}


def table(name: str) -> bytes:
    """Return one of the two tables, checked; if it is missing, make it from the archive."""
    path = data_folder() / "imdb" / f"{name}.tsv.xz"
    if not path.exists():
        pack(fetch(ARCHIVE), path.parent)
    return unpacked(path, lzma.decompress, CONTENTS[name], ARCHIVE.url)


def pack(archive: Path, folder: Path) -> None:
    """Write the two tables, of the files data/aclImdb/{train,val,test}/{neg,pos}/ID_STARS.txt of the archive."""
    rows: dict[str, list[tuple[str, int, str]]] = {"train": [], "test": []}
    try:
        with tarfile.open(archive) as files:
            for member in files:
                match = re.search(r"/aclImdb/(train|val|test)/(neg|pos)/(\d+)_(\d+)\.txt$", member.name)
                content = files.extractfile(member) if match else None
                if match and content:
                    part, label, number, stars = match.groups()
                    text = re.sub(r"[\t\r\n]", " ", content.read().decode())
                    line = "\t".join([label, number, stars, part, text])
                    rows["test" if part == "test" else "train"].append((label, int(number), line))
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        raise CorpusError(f"{archive} cannot be unpacked ({error}). Delete it: it is fetched again.") from None
    for name, lines in rows.items():
        text = "".join(f"{line}\n" for *_, line in sorted(lines))
        atomic_write(folder / f"{name}.tsv.xz", lzma.compress(text.encode()))


def rows(name: str) -> Iterator[tuple[str, str, str]]:
    """Yield the label (neg or pos), the part and the text of each review of a table."""
    for line in table(name).decode().split("\n")[:-1]:
        label, _, _, part, text = line.split("\t")
        yield label, part, text


@made_once
def load() -> Labelled:
    """Return the splits: 20,000 reviews to train on, 5,000 to select by, 25,000 to test on."""
    print("cutting the reviews of IMDB into sentences, once (about two minutes)", flush=True)
    parts: dict[str, list[Document]] = {"train": [], "val": [], "test": []}
    for name in CONTENTS:
        for label, part, text in rows(name):
            parts[part].append(Document(read(text), NAMES[label]))
    return Labelled("imdb", LABELS, parts["train"], parts["val"], {"test": parts["test"]})


def read(text: str) -> tuple[str, ...]:
    """Return the sentences of a review written by people."""
    return sentences(unbroken(text))


def unbroken(text: str) -> str:
    """Return a review with a space for each line break (<br />)."""
    return re.sub(r"<br\s*/?>", " ", text)
