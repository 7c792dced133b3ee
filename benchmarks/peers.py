"""Models of others in the shape of ours, where their packages are installed: JoeyNMT's and Hugging Face's Transformer.

Neither is required, and neither is in requirements.txt: joeynmt asks for an old protobuf. Installed into a folder of
their own (`pip install --target FOLDER …`), they are taken from there when it is in PYTHONPATH.
"""

from torch import Tensor, nn

from lab.tokenizers import BOS, EOS, PAD, UNK


class JoeyTransformer(nn.Module):
    """JoeyNMT's Transformer, layers of width `width`, feed-forward four times as wide, LayerNorm behind the sum."""

    def __init__(self, width: int, vocabulary: int, layers: int = 3, heads: int = 8) -> None:
        from joeynmt.model import build_model  # pyright: ignore[reportMissingImports]
        from joeynmt.vocabulary import Vocabulary  # pyright: ignore[reportMissingImports]

        super().__init__()
        names = {"pad": PAD, "bos": BOS, "eos": EOS, "unk": UNK}
        words = Vocabulary.__new__(Vocabulary)  # its own __init__ reads settings for files of text
        vars(words).update(
            specials=[f"<{name}>" for name in names],
            lang_tags=[],
            sep_index=None,
            _itos=[*(f"<{name}>" for name in names), *map(str, range(vocabulary - 4))],
            **{f"{name}_index": number for name, number in names.items()},
        )
        vars(words)["_stoi"] = {word: number for number, word in enumerate(words._itos)}
        side = {
            "type": "transformer",
            "num_layers": layers,
            "num_heads": heads,
            "embeddings": {"embedding_dim": width, "scale": True, "dropout": 0.0},
            "hidden_size": width,
            "ff_size": 4 * width,
            "dropout": 0.0,
            "layer_norm": "post",
        }
        settings = {"initializer": "xavier_uniform", "encoder": side, "decoder": side}
        self.model = build_model(settings, words, words)

    def forward(self, source: Tensor, mask: Tensor, inputs: Tensor, real: Tensor) -> Tensor:
        given = {
            "src": source,
            "src_mask": mask[:, None],
            "src_length": mask.sum(dim=1),
            "trg_input": inputs,
            "trg_mask": real[:, None],
        }
        return self.model._encode_decode(**given)[0][real]


class MarianTransformer(nn.Module):
    """Hugging Face's MarianMTModel in the same shape."""

    def __init__(self, width: int, vocabulary: int, layers: int = 3, heads: int = 8) -> None:
        from transformers import MarianConfig, MarianMTModel  # pyright: ignore[reportMissingImports]

        super().__init__()
        sides = {f"{side}_layers": layers for side in ("encoder", "decoder")}
        sides |= {f"{side}_attention_heads": heads for side in ("encoder", "decoder")}
        sides |= {f"{side}_ffn_dim": 4 * width for side in ("encoder", "decoder")}
        settings = MarianConfig(
            vocab_size=vocabulary,
            decoder_vocab_size=vocabulary,
            d_model=width,
            dropout=0.0,
            pad_token_id=PAD,
            eos_token_id=EOS,
            decoder_start_token_id=BOS,
            forced_eos_token_id=None,
            activation_function="relu",
            share_encoder_decoder_embeddings=False,
            tie_word_embeddings=False,
            **sides,
        )
        self.model = MarianMTModel(settings)

    def forward(self, source: Tensor, mask: Tensor, inputs: Tensor, real: Tensor) -> Tensor:
        output = self.model(
            input_ids=source,
            attention_mask=mask,
            decoder_input_ids=inputs,
            decoder_attention_mask=real,
            use_cache=False,
        )
        return output.logits[real]


PEERS = {"JoeyNMT": JoeyTransformer, "transformers, Marian": MarianTransformer}


def peers(width: int, vocabulary: int) -> tuple[dict[str, nn.Module], list[str]]:
    """Return the models whose packages are installed, and a sentence for each of the others."""
    models: dict[str, nn.Module] = {}
    missing = []
    for name, build in PEERS.items():
        try:
            models[name] = build(width, vocabulary)
        except ImportError as error:
            missing.append(f"{name} is left out: {error}.")
    return models, missing
