"""WMT'14 from download to score on texts of its shape, served on this machine: python -m benchmarks.wmt.

What is served has the corpus's archives, sentences as long, and a vocabulary as large; its words are drawn by chance,
so that no score means anything. What is measured is the way: time and memory of each stage, the commands of the
chapter, and what a whole training would cost at a speed that was measured.
"""

import argparse
import io
import os
import resource
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np

from lab.runs import ROOT

WORDS = 400_000  # of each language: WMT'14 has more, most of them once
MEAN_LENGTH = 25.0
SHARES = {"europarl-v7": 0.43, "commoncrawl": 0.53, "news-commentary-v9": 0.04}  # of the pairs, as in WMT'14
STEPS, TOKENS = 100_000, 25_000  # Vaswani et al. (2017), section 5.1 and 5.2: of the base model


@cache
def lexicon(language: str) -> np.ndarray:
    """Return made-up words, the frequent ones short."""
    rng = np.random.default_rng(len(language) + ord(language[0]))
    letters = np.array(list("enisratdhulcgmobwfkzpvjyxq"))
    share = 1 / np.arange(2, len(letters) + 2)
    lengths = np.clip((2 + np.log2(1 + np.arange(WORDS)) * 0.6 + rng.normal(0, 1, WORDS)).astype(int), 1, 18)
    drawn = rng.choice(letters, int(lengths.sum()), p=share / share.sum())
    ends = np.cumsum(lengths)
    return np.array(["".join(drawn[end - size : end]) for end, size in zip(ends, lengths, strict=True)])


def texts(pairs: int, seed: int) -> dict[str, bytes]:
    """Return sentence pairs as two files: lengths like WMT's, words by Zipf's law."""
    rng = np.random.default_rng(seed)
    lengths = np.clip(rng.gamma(2.5, MEAN_LENGTH / 2.5, pairs), 1, 120).astype(int)
    share = 1 / np.arange(1, WORDS + 1)
    files = {}
    for language in ("de", "en"):
        sizes = np.clip(lengths + rng.normal(0, 3, pairs), 1, 130).astype(int)
        words = lexicon(language)[rng.choice(WORDS, int(sizes.sum()), p=share / share.sum())]
        ends = np.cumsum(sizes)
        rows = (" ".join(words[end - size : end]) for end, size in zip(ends, sizes, strict=True))
        files[language] = ("\n".join(rows) + "\n").encode()
    return files


def archive(path: Path, files: dict[str, bytes]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz", compresslevel=1) as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))


def write_site(folder: Path, pairs: int) -> None:
    """Write the archives that the corpus is made of."""
    places = {
        "europarl-v7": "wmt13/training-parallel-europarl-v7.tgz",
        "commoncrawl": "wmt13/training-parallel-commoncrawl.tgz",
        "news-commentary-v9": "wmt14/training-parallel-nc-v9.tgz",
    }
    for seed, (stem, place) in enumerate(places.items()):
        of_part = texts(max(1, round(pairs * SHARES[stem])), seed)
        archive(folder / place, {f"training/{stem}.de-en.{language}": text for language, text in of_part.items()})
    of_part = texts(300, 7)
    archive(folder / "wmt14/dev.tgz", {f"dev/newstest2013.{language}": text for language, text in of_part.items()})
    of_part = texts(100, 8)
    marked = {
        f"test-full/newstest2014-deen-{role}.{language}.sgm": sgml(text)
        for language, text in of_part.items()
        for role in ("src", "ref")
    }
    archive(folder / "wmt14/test-full.tgz", marked)


def sgml(text: bytes) -> bytes:
    lines = text.decode().splitlines()
    segments = "\n".join(f'<seg id="{number}">{line}</seg>' for number, line in enumerate(lines, 1))
    return f'<refset setid="newstest2014">\n<doc>\n{segments}\n</doc>\n</refset>\n'.encode()


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine; yield its address."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as http:
        thread = threading.Thread(target=http.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{http.server_port}"
        finally:
            http.shutdown()
            thread.join()


def stages(address: str, folder: str, name: str) -> None:
    """Go through the stages before training in this process; print the seconds and the memory of each."""
    from lab import corpora, translation
    from lab.corpora import wmt14
    from solutions.transformer.recipe import RECIPES

    wmt14.SITE, translation.SHARDS = address, Path(folder, "shards")
    recipe = RECIPES[name]
    started = time.perf_counter()

    def line(name: str, more: str = "") -> None:
        nonlocal started
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(f"  {name:<34} {time.perf_counter() - started:8.1f} s   {most:5.2f} GB at most   {more}", flush=True)
        started = time.perf_counter()

    corpus = corpora.load("wmt14")
    line("download and unpack", f"{len(corpus.train):,} pairs")
    source, target = translation.vocabularies(corpus, recipe)
    line("subwords of both languages", f"{len(source):,}")
    examples = translation.read(corpus, source, target)
    line("shards of numbers", f"{len(examples):,} pairs")
    groups = translation.Translating(examples, recipe.training).groups(1)
    tokens = sum(len(pair[1]) + 1 for pair in groups[0])
    line("plan of an epoch", f"{len(groups):,} batches, {tokens:,} target tokens in the first")


def command(words: list[str], address: str, folder: Path, environment: dict[str, str]) -> tuple[str, float]:
    """Run a command of the chapter against the served corpus; return what it printed and its seconds.

    Checkpoints, shards and results are written into the folder.
    """
    start = (
        "import runpy, sys; from pathlib import Path; from lab import runs, translation; "
        "from lab.corpora import wmt14; from lab.evaluation import result_files; "
        "address, folder = sys.argv[1:3]; del sys.argv[1:3]; "
        "wmt14.SITE = address; runs.RUNS = Path(folder, 'runs'); translation.SHARDS = Path(folder, 'shards'); "
        "result_files.results_folder = lambda _: Path(folder, 'results'); "
        "runpy.run_module('solutions.transformer', run_name='__main__')"
    )
    began = time.perf_counter()
    call = [sys.executable, "-c", start, address, str(folder), *words]
    done = subprocess.run(call, cwd=ROOT, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(words)} ended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-3000:]}")
    return done.stdout, time.perf_counter() - began


def cost(tokens_per_second: float, price: float, watts: float) -> str:
    """Return what the base model's training costs at this speed, at a price of an hour and the watts of the card."""
    hours = STEPS * TOKENS / tokens_per_second / 3600
    return (
        f"{STEPS:,} steps of {TOKENS:,} target tokens at {tokens_per_second:,.0f}/s: {hours:,.1f} hours, "
        f"{hours * price:,.0f} euros at {price:g} an hour, {hours * watts / 1000:,.1f} kWh at {watts:g} W"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.wmt", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=1_200_000, help="above a million they lie on the disk in shards")
    parser.add_argument("--recipe", default="base")
    parser.add_argument("--minutes", type=float, default=3.0, help="of each of the two trainings")
    parser.add_argument("--micro-tokens", type=int, default=2500, help="tokens at a time, %(default)s")
    parser.add_argument("--price", type=float, default=3.0, help="euros for an hour of the card, an assumption")
    parser.add_argument("--watts", type=float, default=700.0, help="of the card at work, an assumption")
    parser.add_argument("--tokens-per-second", type=float, help="target tokens/s that was measured: print the cost")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_site(folder / "site", options.pairs)
        environment = os.environ | {"ATTENTION_DATA": str(folder / "data"), "NO_PROXY": "127.0.0.1"}
        with served(folder / "site") as address:
            print(f"stages, {options.pairs:,} pairs", flush=True)
            code = f"from benchmarks.wmt import stages; stages({address!r}, {name!r}, {options.recipe!r})"
            subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True)
            where = ["--corpus", "wmt14", "--recipe", options.recipe]
            train = ["train", *where, "--minutes", str(options.minutes), "--micro-tokens", str(options.micro_tokens)]
            for words in (train, train, ["evaluate", *where, "--beam", "4"]):
                printed, seconds = command(words, address, folder, environment)
                lines = [line for line in printed.splitlines() if "epoch" in line or "BLEU" in line or "wrote" in line]
                print("\n  ".join([f"{' '.join(words)}: {seconds:.0f} s", *lines]), flush=True)
    if options.tokens_per_second:
        print(cost(options.tokens_per_second, options.price, options.watts))


if __name__ == "__main__":
    main()
