"""A published model's file, written by the tests: Llama's parts, and sizes of which no two are equal but two."""

import math
from pathlib import Path

import numpy as np
from gguf import GGUFWriter
from tokenizers.pre_tokenizers import ByteLevel

LAYERS, HEADS, KV_HEADS, WIDTH, INNER = 2, 6, 2, 4, 30
D_MODEL, BASE, EPS = HEADS * WIDTH, 500.0, 3e-2
MERGES = ["t h", "th e", "Ġ c"]
MARKS = ["<|im_start|>", "<|im_end|>"]
PIECES = [*MARKS, *sorted(ByteLevel.alphabet()), *(merge.replace(" ", "") for merge in MERGES)]
END = PIECES.index("<|im_end|>")


def weights() -> dict[str, np.ndarray]:
    """Return weights by the file's names, in half precision; no two axes are equal but d_model by d_model."""
    rng = np.random.default_rng(1)
    sizes = {"token_embd": (len(PIECES), D_MODEL), "output_norm": (D_MODEL,)}
    for number in range(LAYERS):
        block = {
            "attn_norm": (D_MODEL,),
            "attn_q": (D_MODEL, D_MODEL),
            "attn_k": (KV_HEADS * WIDTH, D_MODEL),
            "attn_v": (KV_HEADS * WIDTH, D_MODEL),
            "attn_output": (D_MODEL, D_MODEL),
            "ffn_norm": (D_MODEL,),
            "ffn_up": (INNER, D_MODEL),
            "ffn_gate": (INNER, D_MODEL),
            "ffn_down": (D_MODEL, INNER),
        }
        sizes |= {f"blk.{number}.{name}": size for name, size in block.items()}
    return {
        f"{name}.weight": (rng.normal(size=size) / math.sqrt(size[-1]) + (len(size) == 1))
        .astype(np.float16)
        .astype(np.float32)
        for name, size in sizes.items()
    }


def written(path: Path) -> Path:
    """Write the file, and return its place."""
    writer = GGUFWriter(path, "llama")
    writer.add_block_count(LAYERS)
    writer.add_context_length(64)
    writer.add_embedding_length(D_MODEL)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_rope_freq_base(BASE)
    writer.add_layer_norm_rms_eps(EPS)
    writer.add_token_list(PIECES)
    writer.add_token_types([3 if piece in MARKS else 1 for piece in PIECES])
    writer.add_token_merges(MERGES)
    writer.add_eos_token_id(END)
    for name, weight in weights().items():
        writer.add_tensor(name, weight)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
