"""Corpora by name, and files that are there whole and right or not at all."""

import gzip
import hashlib
from pathlib import Path
from types import SimpleNamespace

import pytest

from lab import corpora
from lab.corpora import CorpusError, made_once, multi30k, sources
from lab.corpora.sources import Source, fetch
from tests.support.sites import Quiet, answered_by

CONTENT = b"ein mann\n" * 200
RIGHT = hashlib.sha256(CONTENT).hexdigest()
NOWHERE = "http://127.0.0.1:9"  # the discard port: nobody listens, so the connection is refused at once


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("ATTENTION_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return tmp_path / "data"


@pytest.fixture
def server():
    """Serve CONTENT at /whole, half of it at /cut, something else at /other; note each request."""

    asked = []

    class Handler(Quiet):
        def do_GET(self):
            asked.append(self.path)
            body = {"/whole": CONTENT, "/cut": CONTENT, "/other": b"not found, but politely"}.get(self.path)
            self.send_response(200 if body else 404)
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write((body or b"")[: len(CONTENT) // 2 if self.path == "/cut" else None])

    with answered_by(Handler) as url:
        yield SimpleNamespace(url=url, asked=asked)


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_missing_file_is_fetched_once_and_then_used_without_the_network(folder, server):
    source = Source(f"{server.url}/whole", RIGHT, "small/train.de")
    assert [fetch(source).read_bytes() for _ in range(2)] == [CONTENT, CONTENT]
    assert server.asked == ["/whole"]
    assert files(folder) == [folder / "small/train.de"]


@pytest.mark.parametrize("place", ["cut", "other", "missing", ""])
def test_a_bad_download_is_named_and_leaves_nothing_behind(folder, server, place):
    source = Source(f"{server.url}/{place}" if place else f"{NOWHERE}/train.de", RIGHT, "small/train.de")
    with pytest.raises(CorpusError) as error:
        fetch(source)
    assert source.url in str(error.value)
    assert source.path in str(error.value)
    assert files(folder) == []
    assert error.value.__context__ is None or error.value.__suppress_context__, (
        "the reader would see a traceback of the download library"
    )


def test_a_wrong_file_in_the_folder_is_an_error_and_is_left_alone(folder, server):
    path = folder / "small/train.de"
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT[:100])
    with pytest.raises(CorpusError) as error:
        fetch(Source(f"{server.url}/whole", RIGHT, "small/train.de"))
    for part in (str(path), RIGHT, hashlib.sha256(CONTENT[:100]).hexdigest(), "Delete the file", server.url):
        assert part in str(error.value)
    assert path.read_bytes() == CONTENT[:100]
    assert server.asked == []
    assert fetch(Source(NOWHERE, None, "small/train.de")) == path  # one that nobody could verify


def test_a_folder_that_cannot_be_written_to_is_named(folder, server):
    folder.write_text("a file where a folder is needed: not even root can write into it")
    with pytest.raises(CorpusError, match=r"cannot be stored.*\n.*small/train.de"):
        fetch(Source(f"{server.url}/whole", RIGHT, "small/train.de"))


@pytest.fixture
def little(folder, monkeypatch) -> Path:
    """A data folder with a Multi30k of three sentences a file, in German and English only."""
    for name in list(multi30k.SHA256):
        text = gzip.compress(f"{name} 1 \n\n{name}\u2028 3\n".encode(), mtime=0)
        monkeypatch.setitem(multi30k.SHA256, name, hashlib.sha256(text).hexdigest())
        if ".fr." not in name:
            (folder / "multi30k").mkdir(parents=True, exist_ok=True)
            (folder / "multi30k" / name).write_bytes(text)
    monkeypatch.setattr(multi30k, "TASK", NOWHERE)
    return folder


def test_a_direction_reads_the_files_of_its_two_languages_only(little):
    corpus = corpora.load("multi30k", "en", "de")
    assert (corpus.source, corpus.target) == ("en", "de")
    assert list(corpus.tests) == ["test2016", "test2017", "mscoco", "test2018"]
    assert [pair.source for pair in corpus.train] == ["train.en.gz 1 ", "", "train.en.gz\u2028 3"]
    assert corpus.tests["mscoco"][0].target == "test_2017_mscoco.de.gz 1 "
    with pytest.raises(CorpusError, match=r"train\.fr\.gz is missing"):
        corpora.load("multi30k", "fr", "de")


def test_a_misspelt_corpus_names_the_nearest_and_all_others():
    with pytest.raises(CorpusError) as error:
        corpora.load("Multi30")
    assert "Did you mean multi30k?" in str(error.value)
    assert all(name in str(error.value) for name in corpora.names())


@pytest.mark.parametrize("name", ["sources", "", "lab.corpora.multi30k", "../multi30k"])
def test_what_is_no_corpus_is_not_loaded(name):
    with pytest.raises(CorpusError, match="There is no corpus called"):
        corpora.load(name)


@pytest.mark.parametrize("direction", [("de", "it"), ("en", "en"), ("en", None)])
def test_an_unknown_direction_names_the_known_ones(direction):
    with pytest.raises(CorpusError, match=r"no direction .*de→en"):
        corpora.load("multi30k", *direction)


def test_the_real_multi30k_has_the_published_sizes():
    if not (sources.data_folder() / "multi30k" / "train.de.gz").is_file():
        pytest.skip("Multi30k is not in the data folder (ATTENTION_DATA)")
    corpus = corpora.load("multi30k", "de", "fr")
    sizes = [len(corpus.train), len(corpus.validation), *map(len, corpus.tests.values())]
    assert sizes == [29000, 1014, 1000, 1000, 461, 1071]
    assert len(corpora.references("multi30k", "mscoco", "fr")) == 461


def test_what_rules_make_is_made_once_and_anew_when_their_code_or_the_file_is_another(tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr(made_once, "STORE", tmp_path / "store")

    def corpus():
        made.append(len(made))
        return made[:]

    assert [made_once.made_once(corpus)() for _ in range(3)] == [[0]] * 3
    [kept] = (tmp_path / "store").iterdir()
    kept.write_bytes(b"half of a")
    assert made_once.made_once(corpus)() == [0, 1]
    (tmp_path / "code.py").write_text("another")
    monkeypatch.setattr(made_once, "digest_of", lambda *_: "another")
    assert made_once.made_once(corpus)() == [0, 1, 2]
    monkeypatch.setattr(made_once, "STORE", tmp_path / "code.py" / "store")  # nothing can be written there
    assert made_once.made_once(corpus)() == [0, 1, 2, 3]
