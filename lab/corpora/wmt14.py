"""WMT 2014 English–German: the text of Vaswani et al. (2017), section 5.1, about 4.5 million pairs.

Europarl v7, Common Crawl and News Commentary v9 to train on, newstest2013 for validation, newstest2014 as the test.
No file is known by its SHA-256 here: where this was written nobody could fetch them, so all sources are unverified.
Free for research; Europarl's and the crawl's rights stay with their authors.

The paper's training, which has not been run: `torchrun --nproc-per-node 8 -m solutions.transformer train --corpus wmt14
--recipe base`, in 100,000 steps of about 25,000 target tokens. Each process holds all pairs as numbers, some 12 GB.
"""

import html
import re
import tarfile
from dataclasses import dataclass
from pathlib import Path

from lab.corpora import CorpusError, Pair, Parallel
from lab.corpora.sources import Source, data_folder, fetch
from lab.files import atomic_write

DIRECTION = ("en", "de")
DIRECTIONS = (("en", "de"), ("de", "en"))
LONGEST = 250  # words of a training sentence; the paper names no limit

SITE = "https://www.statmt.org"


@dataclass(frozen=True)
class Part:
    """Files of an archive that go into one prepared file: the archive's address, and stems of names, by language."""

    archive: str
    stems: tuple[str, ...]  # the first that is there is taken; {role} is src or ref


PARTS = {
    "train": (
        Part("wmt13/training-parallel-europarl-v7.tgz", ("europarl-v7.de-en.{language}",)),
        Part("wmt13/training-parallel-commoncrawl.tgz", ("commoncrawl.de-en.{language}",)),
        Part("wmt14/training-parallel-nc-v9.tgz", ("news-commentary-v9.de-en.{language}",)),
    ),
    "newstest2013": (Part("wmt14/dev.tgz", ("newstest2013.{language}", "newstest2013-{role}.{language}.sgm")),),
    "newstest2014": (Part("wmt14/test-full.tgz", ("newstest2014-deen-{role}.{language}.sgm",)),),
}


def load(source: str, target: str) -> Parallel:
    """Return one direction."""
    train, validation, test = (split(name, source, target) for name in PARTS)
    return Parallel("wmt14", source, target, train, validation, {"newstest2014": test})


def split(name: str, source: str, target: str) -> list[Pair]:
    """Return a split: made from its archives the first time, later read from two files of plain lines."""
    files = {language: data_folder() / "wmt14" / f"{name}.{language}" for language in ("en", "de")}
    if not all(path.exists() for path in files.values()):
        both = [pair for part in PARTS[name] for pair in pairs(part) if name != "train" or is_usable(*pair)]
        for path, lines in zip(files.values(), zip(*both, strict=True), strict=True):
            atomic_write(path, "\n".join(lines).encode())
    sides = [plain(files[language].read_bytes()) for language in (source, target)]
    if len(sides[0]) != len(sides[1]):
        raise CorpusError(
            f"{files[source]} and {files[target]} must have as many lines; they have {len(sides[0])} and "
            f"{len(sides[1])}. Delete both: they are made anew."
        )
    return [Pair(*lines) for lines in zip(*sides, strict=True)]


def is_usable(en: str, de: str) -> bool:
    return all(0 < len(side.split()) <= LONGEST for side in (en, de))


def pairs(part: Part) -> list[tuple[str, str]]:
    """Return the pairs of an archive, English first, in their order."""
    archive = fetch(Source(f"{SITE}/{part.archive}", None, f"wmt14/{part.archive}"))
    try:
        with tarfile.open(archive) as files:
            members = {Path(member.name).name: member for member in files if member.isfile()}
            sides = [taken(files, members, part, *side) for side in (("en", "src"), ("de", "ref"))]
        return list(zip(*sides, strict=True))
    except (tarfile.TarError, EOFError, OSError, ValueError) as error:
        raise CorpusError(
            f"{archive} does not have the expected content ({str(error).splitlines()[0]}). Delete it: it is fetched "
            f"again; or put the two languages' plain lines into {data_folder() / 'wmt14'} by hand."
        ) from None


def taken(files: tarfile.TarFile, members: dict, part: Part, language: str, role: str) -> list[str]:
    """Return the sentences of one file of an archive, wherever it lies there; raise ValueError if it is not there."""
    names = [stem.format(language=language, role=role) for stem in part.stems]
    name = next((name for name in names if name in members), None)
    content = files.extractfile(members[name]) if name else None
    if name is None or content is None:
        raise ValueError(f"no file called {' or '.join(names)}")
    lines = [" ".join(line.split()) for line in plain(content.read())]
    if not name.endswith(".sgm"):
        return lines
    return [html.unescape(match[1]).strip() for line in lines if (match := re.search(r"<seg[^>]*>(.*)</seg>", line))]


def plain(content: bytes) -> list[str]:
    """Return the lines of a file; only a line feed ends a line, whatever else the crawl has in it."""
    return content.decode("utf-8", errors="replace").removesuffix("\n").split("\n")
