"""Tests of WMT'14: its archives are unpacked, cleaned and read, or refused with the reason.

The real files are 4.5 million pairs; these are a few dozen.
"""

import io
import tarfile
from pathlib import Path

import numpy as np
import pytest

from lab import corpora
from lab.corpora import CorpusError, wmt14

WORDS = "der die das ein haus baum hund sieht mag den alten neuen".split()


def lines(count: int, language: str) -> list[str]:
    rng = np.random.default_rng(5)
    return [" ".join([language, *rng.choice(WORDS, rng.integers(1, 8)), f"{n}"]) for n in range(count)]


def archive(path: Path, files: dict[str, str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as tar:
        for name, text in files.items():
            member, content = tarfile.TarInfo(name), text.encode()
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))


def plain(stem: str, count: int) -> dict[str, str]:
    return {f"{stem}.{language}": "\n".join(lines(count, language)) + "\n" for language in ("de", "en")}


def sgml(stem: str, count: int) -> dict[str, str]:
    def file(role: str, language: str) -> str:
        segments = [f'<seg id="{n + 1}">{line} &amp; mehr</seg>' for n, line in enumerate(lines(count, language))]
        return '<refset setid="newstest2014">\n<doc>\n' + "\n".join(segments) + "\n</doc>\n</refset>\n"

    return {
        f"{stem}-{role}.{language}.sgm": file(role, language) for role in ("src", "ref") for language in ("de", "en")
    }


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with small archives."""
    folder = tmp_path / "data" / "wmt14"
    long = "wort " * 251
    crawl = plain("commoncrawl.de-en", 30)
    for language, odd in (("de", f"leer links\u2028hier\r\n\n\n{long}\n"), ("en", "no line break\n\none side\nlong\n")):
        crawl[f"commoncrawl.de-en.{language}"] += odd
    archive(folder / "wmt13/training-parallel-europarl-v7.tgz", plain("training/europarl-v7.de-en", 40))
    archive(folder / "wmt13/training-parallel-commoncrawl.tgz", crawl)
    archive(folder / "wmt14/training-parallel-nc-v9.tgz", plain("training/news-commentary-v9.de-en", 20))
    archive(folder / "wmt14/dev.tgz", plain("dev/newstest2013", 6))
    archive(folder / "wmt14/test-full.tgz", sgml("test-full/newstest2014-deen", 5))
    monkeypatch.setenv("ATTENTION_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(wmt14, "SITE", "http://127.0.0.1:9")
    return folder


def test_the_corpus_is_unpacked_and_then_used_without_the_archives(
    data: Path,
) -> None:
    corpus = corpora.load("wmt14")
    assert (corpus.source, corpus.target) == ("en", "de")
    assert [len(corpus.train), len(corpus.validation), len(corpus.tests["newstest2014"])] == [40 + 30 + 1 + 20, 6, 5]
    assert [pair.source for pair in corpus.train[:40]] == lines(40, "en")
    assert [pair.target for pair in corpus.train[71:]] == lines(20, "de")
    assert corpus.train[70].target == "leer links hier"
    assert corpus.tests["newstest2014"][0].target == f"{lines(5, 'de')[0]} & mehr"
    assert not list(data.glob(".*"))
    for file in data.glob("wmt1*/*"):
        file.unlink()
    turned = corpora.load("wmt14", "de", "en")
    assert turned.train[-1].source == corpus.train[-1].target


def test_an_archive_that_is_not_what_it_should_be_is_named_and_leaves_nothing_behind(data: Path) -> None:
    path = data / "wmt14" / "dev.tgz"
    unequal = plain("dev/newstest2013", 3) | {"dev/newstest2013.en": "one line\n"}
    for files, fault in ((plain("dev/newstest2012", 3), "no file called newstest2013.en"), (unequal, "longer")):
        archive(path, files)
        with pytest.raises(CorpusError, match=rf"dev\.tgz does not have the expected content.*{fault}.*Delete it"):
            wmt14.split("newstest2013", "en", "de")
    assert [file.name for file in data.iterdir() if file.is_file()] == []
