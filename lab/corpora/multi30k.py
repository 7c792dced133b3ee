"""Multi30k (Elliott et al., 2016 and 2017): image captions in German, English and French, from the official repository.

Derived from Flickr30K; for non-commercial research and education only, so it is fetched and never shipped.
"""

import gzip
from itertools import permutations

from lab.corpora import Pair, Parallel
from lab.corpora.sources import Source, fetch

DIRECTION = ("de", "en")
LANGUAGES = ("de", "en", "fr")
DIRECTIONS = tuple(permutations(LANGUAGES, 2))
TESTS = {
    "test2016": "test_2016_flickr",
    "test2017": "test_2017_flickr",
    "mscoco": "test_2017_mscoco",
    "test2018": "test_2018_flickr",
}
FILES = {"train": "train", "validation": "val"} | TESTS

COMMIT = "a3d2e0d26b56f3846f66a952536ffed4e401d05a"
TASK = f"https://raw.githubusercontent.com/multi30k/dataset/{COMMIT}/data/task1"

# SHA-256 by file; the text as it was written.
RAW = {
    "train.de.gz": "726e39b2fa9eb9ffb6dc763fb35a179f80fae06ffc5d28b6ace5faa883de28a6",
    "train.en.gz": "d79cfa999dd4c51d2cb42499b6796d5a882c3a8a961923c25a898c90f8bbd56f",
    "train.fr.gz": "622e75069e9f4c577425c4f277116ce66e63a2401c0a2312d90073cb12379a3c",
    "val.de.gz": "f0cba2f995189cf5770f29a8a9a537a3ad3f51657ad873405082ff6863a5e75a",
    "val.en.gz": "14f7d25ddd868909a9213e361768460edcacdd6ab9d1e77b92560dc10c10dc28",
    "val.fr.gz": "ca3106f1a72390591d25f6c45cb4cd39dec4cd3f123e099748a3ce5256c160e9",
    "test_2016_flickr.de.gz": "9204244e408ccb38d2a55cfcd344df15005fc42a07a6e55ca6c52b6ababb8cc8",
    "test_2016_flickr.en.gz": "611d361c6334bc7246101d48097c13cf5c4413c5befc793cc629934359d532d9",
    "test_2016_flickr.fr.gz": "6d326e188d259fb1d04ac19eae3af956559b3a0b93d7635e56c90987c40c8b90",
    "test_2017_flickr.de.gz": "a2c89666db00c495cd8513b9d708d5a3acc205d7de312ef2bf5fb7ebc1540aee",
    "test_2017_flickr.en.gz": "76a444ee25172e72695cddb13ae4a3bda59430617be88e0bb46b60504f054074",
    "test_2017_flickr.fr.gz": "3ba671ceb2299f3304ffafefea7a833d08632fbaf0ba18546f8a2ec2391af496",
    "test_2017_mscoco.de.gz": "799e4854c25d601cb6cb6be29eabe5667734c61ace2f495e03e429031a0bc338",
    "test_2017_mscoco.en.gz": "aab300bfb4427697987e02cd0aacd44bfe8aa50456231b6474c08038bbed2b58",
    "test_2017_mscoco.fr.gz": "754f3072ba9f124569ba5258b32730fc1d214bbf8e0c6dfb2b74401676220db0",
    "test_2018_flickr.de.gz": "ddd0130c7d97482dc5197a02141dae8dd79f20f03586c480d675c09a32daf608",
    "test_2018_flickr.en.gz": "ef4f4844037d4c5dea75c9a8ed5fd78905967a26f67c255e230cc9780032654d",
    "test_2018_flickr.fr.gz": "fb2b83fcceb937a4f7e3e93c1c51c22aba92f1e342391e6b5ba392b16a920501",
}
# Lower-cased, normalised and tokenised by the organisers: the scale on which the literature reports BLEU.
TOKENISED = {
    "val.lc.norm.tok.de": "97232bd273eceb7207f689527386a97e4be2616b18ada47576bdaf96c8ae1f00",
    "val.lc.norm.tok.en": "46573ce391ae227f1c72f873392436a20ef18e0a6d518098cfbd70b77c8572ec",
    "val.lc.norm.tok.fr": "b303e301aa21fe7822a846b2b3fb2d5a1121ec807cd5b1d006fb7b2b5507168a",
    "test_2016_flickr.lc.norm.tok.de": "c6a33d39d48f9f510de147651316cd9d918e09ad0219df734a2f16b6baccacc4",
    "test_2016_flickr.lc.norm.tok.en": "5b7f32627cf99eced828311b955dae9800bb52bc8b91cf8b6526829e605b29d2",
    "test_2016_flickr.lc.norm.tok.fr": "1463bd5960f9bfe098ec3cd752d3df0c49c84dc646fb518964a29232658cd836",
    "test_2017_flickr.lc.norm.tok.de": "02067e4a9402786a4fcb8c1b6f4307e4a5073ced64800abead5273b54f5f31f6",
    "test_2017_flickr.lc.norm.tok.en": "c9d1dfd7a26add989382e534af235af9f0f658b2a30e7eb0efdaf142496ee54f",
    "test_2017_flickr.lc.norm.tok.fr": "c0583117a47b31e8a6c6a97cfe8de153e462074668f4e994764fcc80b21d33b4",
    "test_2017_mscoco.lc.norm.tok.de": "e2825990b8a4e5289d2cdba801d57c187810bab9b4f5d87a30c35800a0d871b6",
    "test_2017_mscoco.lc.norm.tok.en": "fe69ae004d71c42ead0301e70c57de5b1b6b5fb7f52210d42b22801e98e656f3",
    "test_2017_mscoco.lc.norm.tok.fr": "0b6a4620f02b6b9acf7811fda23f90fed9c6baa0b96aa224db50a273078c84d1",
    "test_2018_flickr.lc.norm.tok.de": "45ce6b121708adf538d3a8c71dc1acbcb1e0f2bca74ace8e58652f9ea5b96335",
    "test_2018_flickr.lc.norm.tok.en": "a66e25cbb8323d74a40873dcd222659f39e30ee7687a6ed5445833aed0673239",
    "test_2018_flickr.lc.norm.tok.fr": "22d44a4ba21e050f218399f2c4f9e1a36875f209820c1f1c9af5b76a2947a71c",
}


def load(source: str, target: str) -> Parallel:
    """Return one direction; only the files of its two languages are fetched."""
    splits = {
        split: [Pair(*pair) for pair in zip(lines(split, source), lines(split, target), strict=True)] for split in FILES
    }
    train, validation = splits.pop("train"), splits.pop("validation")
    return Parallel("multi30k", source, target, train, validation, splits)


def lines(split: str, language: str) -> list[str]:
    """Return the sentences of a split in one language, cased and not tokenised."""
    name = f"{FILES[split]}.{language}.gz"
    path = fetch(Source(f"{TASK}/raw/{name}", RAW[name], f"multi30k/{name}"))
    return _split(gzip.decompress(path.read_bytes()))


def references(split: str, language: str) -> list[str]:
    """Return the organisers' lower-cased and tokenised sentences of a split: the literature's references."""
    name = f"{FILES[split]}.lc.norm.tok.{language}"
    path = fetch(Source(f"{TASK}/tok/{name}", TOKENISED[name], f"multi30k/tok/{name}"))
    return _split(path.read_bytes())


def _split(text: bytes) -> list[str]:
    # Not splitlines: it also cuts at characters that may stand inside a sentence.
    return text.decode("utf-8").removesuffix("\n").split("\n")
