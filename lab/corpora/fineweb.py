"""FineWeb (Penedo et al., 2024): ten billion tokens of English web pages, in GPT-2's subwords, as shards.

A hundred million tokens, 200 MB, are a file, which is fetched when a training comes to it. No shard is known by its
SHA-256 here: where this was written nobody could fetch them. The text is under ODC-By 1.0.

The training of GPT-2's smallest model, which has not been run: `torchrun --nproc-per-node 8 -m solutions.language_model
train --corpus fineweb --micro-tokens 65536`.
"""

from lab.corpora import Text
from lab.corpora.shards import Shard
from lab.corpora.sources import Source, fetch
from lab.text.tokenizers import BytePairs

UNIT = "subword"
SITE = "https://huggingface.co/datasets/kjj0/fineweb10B-gpt2/resolve/main"
SHARDS = 103
VALIDATION = 10_485_760  # tokens, the first of their shard: all would take as long as a third of an epoch
PIECES = "https://openaipublic.blob.core.windows.net/gpt-2/encodings/main"
SHA256 = {  # as published in tiktoken, which reads the same files
    "encoder.json": "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783",
    "vocab.bpe": "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5",
}


def load() -> Text:
    """Return the shards, of which none has been fetched, and the tokenizer that they were made with."""
    files = [fetch(Source(f"{PIECES}/{name}", sha256, f"gpt2/{name}")) for name, sha256 in SHA256.items()]
    pieces = BytePairs(*(file.read_text(encoding="utf-8") for file in files))
    train = [shard(f"fineweb_train_{number:06}.bin", pieces) for number in range(1, SHARDS + 1)]
    validation = [shard("fineweb_val_000000.bin", pieces, VALIDATION)]
    return Text("fineweb", UNIT, train, validation, {"validation": validation}, tokenizer=pieces)


def shard(name: str, pieces: BytePairs, most: int | None = None) -> Shard:
    return Shard(Source(f"{SITE}/{name}", None, f"fineweb10B-gpt2/{name}"), pieces.end, most)
