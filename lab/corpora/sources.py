"""Files from their official places: fetched once, checked by their SHA-256, kept in one data folder."""

import hashlib
import lzma
import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lab.corpora import CorpusError

if TYPE_CHECKING:
    import requests


@dataclass(frozen=True)
class Source:
    """One file of a corpus: its address, its SHA-256 (None: nobody could verify it), its place in the data folder."""

    url: str
    sha256: str | None
    path: str  # relative to the data folder


def data_folder() -> Path:
    """Return $ATTENTION_DATA, or the user's cache folder."""
    if folder := os.environ.get("ATTENTION_DATA"):
        return Path(folder).expanduser()
    import pooch  # late, as all that a bare machine with a GPU may lack

    return Path(pooch.os_cache("attention-workbook")).expanduser()


def fetch(source: Source) -> Path:
    """Return the path of the verified file; download it if it is missing, and never change it."""
    path = data_folder() / source.path
    if not path.exists():
        _download(source, path)
    elif source.sha256 is not None:
        _demand(path, _sha256(path), source.sha256, source.url)
    return path


def unpacked(path: Path, unpack: Callable[[bytes], bytes], sha256: str, url: str) -> bytes:
    """Return the content of a packed file, checked by its SHA-256."""
    try:
        content = unpack(path.read_bytes())
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise CorpusError(
            f"{path} cannot be unpacked: {error}. Delete the file: it is then made again from {url}."
        ) from None
    _demand(path, hashlib.sha256(content).hexdigest(), sha256, url, " of the unpacked content")
    return content


def _demand(path: Path, got: str, expected: str, url: str, of: str = "") -> None:
    if got != expected:
        raise CorpusError(
            f"{path} does not have the expected content (a truncated download, or an edited file).\n"
            f"  expected SHA-256{of} {expected}\n"
            f"  got      SHA-256{of} {got} (the file has {path.stat().st_size} bytes)\n"
            f"Delete the file: it is then fetched again from {url}."
        )


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise CorpusError(
            f"{path} cannot be read: {error.strerror}. Make it readable, or set ATTENTION_DATA."
        ) from None


def _download(source: Source, path: Path) -> None:
    """Download beside the place, verify, rename: the file is there whole and right, or not at all."""
    import pooch  # late, as all that a bare machine with a GPU may lack
    import requests

    pooch.get_logger().setLevel("WARNING")
    try:
        pooch.retrieve(source.url, source.sha256, path.name, path.parent, progressbar=True)
        path.chmod(0o644)
    except requests.RequestException as error:
        raise CorpusError(
            f"{source.path} is missing and could not be downloaded ({_reason(error)}).\n"
            f"  looked for  {path}\n"
            f"  tried       {source.url}\n"
            "Connect to the network and run the command again, or put the file there by hand, or set ATTENTION_DATA to "
            f"a folder that has {source.path}."
        ) from None
    except ValueError as error:  # pooch names both checksums
        raise CorpusError(
            f"The download of {source.path} is not the expected file (cut short, or changed at its source); "
            f"it was deleted.\n  from  {source.url}\n  {error}\n"
            "Run the command again; if this happens once more, put the right file into the data folder by hand."
        ) from None
    except OSError as error:
        raise CorpusError(
            f"{source.path} is missing and cannot be stored: {error.strerror or error}.\n"
            f"  looked for  {path}\n"
            "Set ATTENTION_DATA to a folder that has the file, or to one that may be written to."
        ) from None


def _reason(error: "requests.RequestException") -> str:
    if error.response is not None:
        error.response.close()  # pooch leaves the connection open
        return f"the server answered with status {error.response.status_code}"
    return f"no network, or cut off: {type(error).__name__}"
