"""WMT 2014 English–German: the text of Vaswani et al. (2017), section 5.1, about 4.5 million pairs.

Europarl v7, Common Crawl and News Commentary v9 to train on, newstest2013 for validation, newstest2014 as the test.
No file is known by its SHA-256 here: where this was written nobody could fetch them, so all sources are unverified.
Free for research; Europarl's and the crawl's rights stay with their authors.

The paper's training, which has not been run: `torchrun --nproc-per-node 8 -m solutions.transformer train --corpus wmt14
--recipe base`, in 100,000 steps of about 25,000 target tokens. Each process holds all pairs as numbers, some 12 GB.
"""

import html
import re
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.corpora import CorpusError, Pair, Parallel
from lab.corpora.sources import Source, data_folder, fetch
from lab.files import aside

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
    for name in PARTS:
        prepare(name)
    train, validation, test = (both(prepared(name, source), prepared(name, target)) for name in PARTS)
    return Parallel("wmt14", source, target, train, validation, {"newstest2014": test})


def both(source: Path, target: Path) -> list[Pair]:
    """Return two files side by side; only a line feed ends a line, whatever else the crawl has in it."""
    sides = [path.read_bytes().decode().removesuffix("\n").split("\n") for path in (source, target)]
    if len(sides[0]) != len(sides[1]):
        raise CorpusError(
            f"{source} and {target} must have as many lines; they have {len(sides[0])} and {len(sides[1])}."
        )
    return [Pair(*lines) for lines in zip(*sides, strict=True)]


def prepared(name: str, language: str) -> Path:
    return data_folder() / "wmt14" / f"{name}.{language}"


def prepare(name: str) -> None:
    """Write a split as two files of plain lines, if they are not there; the archives are fetched for that."""
    final = [prepared(name, language) for language in ("en", "de")]
    if all(path.exists() for path in final):
        return
    archives = [fetch(Source(f"{SITE}/{part.archive}", None, f"wmt14/{part.archive}")) for part in PARTS[name]]
    with (
        aside(final[0]) as first,
        aside(final[1]) as second,
        first.open("wb") as english,
        second.open("wb") as german,
        tempfile.TemporaryDirectory(dir=final[0].parent, prefix=".preparing") as folder,
    ):
        for archive, part in zip(archives, PARTS[name], strict=True):
            for en, de in pairs(archive, part, Path(folder)):
                if name != "train" or usable(en, de):
                    english.write(en.encode() + b"\n")
                    german.write(de.encode() + b"\n")


def usable(en: str, de: str) -> bool:
    return all(0 < len(side.split()) <= LONGEST for side in (en, de))


def pairs(archive: Path, part: Part, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the pairs of an archive in their order; a different number of lines in the two languages is an error."""
    english = unpacked(archive, part, "en", "src", folder)
    german = unpacked(archive, part, "de", "ref", folder)
    try:
        yield from zip(sentences(english), sentences(german), strict=True)
    except ValueError:
        raise CorpusError(
            f"{archive}: {english.name} and {german.name} have not the same number of lines. "
            "Delete the archive: it is fetched again."
        ) from None
    english.unlink()
    german.unlink()


def unpacked(archive: Path, part: Part, language: str, role: str, folder: Path) -> Path:
    """Copy one file out of an archive, wherever it lies there."""
    names = [stem.format(language=language, role=role) for stem in part.stems]
    try:
        with tarfile.open(archive) as files:
            members = {Path(member.name).name: member for member in files if member.isfile()}
            for name in names:
                if name in members and (content := files.extractfile(members[name])) is not None:
                    path = folder / f"unpacked-{name}"
                    with path.open("wb") as out:
                        shutil.copyfileobj(content, out)
                    return path
    except (tarfile.TarError, EOFError, OSError) as error:
        raise CorpusError(
            f"{archive} cannot be unpacked ({str(error).splitlines()[0]}). Delete it: it is fetched again."
        ) from None
    raise CorpusError(
        f"{archive} has no file called {' or '.join(names)}. The archive may have changed at its source: put the two "
        f"languages' plain lines into {data_folder() / 'wmt14'} by hand."
    )


def sentences(path: Path) -> Iterator[str]:
    """Yield the sentences of a file of plain lines, or of an SGML file with a <seg> a line."""
    with path.open("rb") as lines:  # bytes: only a line feed ends a line, whatever else stands in the crawl
        for line in lines:
            text = " ".join(line.decode("utf-8", errors="replace").split())
            if path.suffix != ".sgm":
                yield text
            elif match := re.search(r"<seg[^>]*>(.*)</seg>", text):
                yield html.unescape(match[1]).strip()
