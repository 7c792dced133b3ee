"""Tests of the table of published models: its bytes are those of kv_bytes, each cell has a source, the prose counts."""

from collections import Counter
from dataclasses import fields

import pytest

from book.contents import page_file
from book.show.todays_models import COLUMNS, LONG, MISSING, Model, kibibytes, models, models_table, sources_table
from solutions.long_context.attention import kv_bytes

PAGE = (page_file("todays_models")).read_text("utf8")
MODELS = models()


def made(**changes: int) -> Model:
    sizes = {"layers": 6, "heads": 10, "kv_heads": 5, "width": 7, "local_layers": 2, "window": 3} | changes
    return Model("made", **sizes, context="", pattern="", positions="", norm="", sources=())


@pytest.mark.parametrize("tokens", [1, 4])
def test_the_bytes_are_those_of_keys_and_values_of_the_layers_with_a_cache(tokens):
    assert made().bytes(tokens) == kv_bytes(tokens, 6, 5, 7, 2, 3)
    assert made(uncached=1).bytes(tokens) == kv_bytes(tokens, 5, 5, 7, 2, 3)


def test_a_latent_vector_and_a_key_of_the_index_are_kept_once():
    assert made(latent=12, local_layers=0).bytes(4) == 6 * 4 * 12 * 2
    assert made(latent=12, index=8, local_layers=0).bytes(4) == 6 * 4 * (12 + 8) * 2
    assert made(latent=12, index=8).cell("kv_heads") == "latent: 12; index: 8"


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_each_filled_cell_has_a_source_and_no_empty_one_has(model):
    sourced = {cell for source in model.sources for cell in source.cells.split()}
    assert sourced == {column for column in COLUMNS if model.cell(column) != MISSING}
    assert all(source.url.startswith("https://") and source.place for source in model.sources)


def test_the_tables_show_every_model_and_its_bytes():
    for model in MODELS:
        assert f">{model.name}<" in models_table().data
        assert f">{model.name}<" in sources_table().data
        assert f"<td>{kibibytes(model.bytes(LONG + 1) - model.bytes(LONG))}</td>" in models_table().data


def test_the_prose_counts_as_the_table_does():
    shared = Counter(
        "latent" if m.latent else "all" if m.kv_heads == m.heads else "one" if m.kv_heads == 1 else "groups"
        for m in MODELS
    )
    assert shared == {"all": 3, "groups": 11, "one": 1, "latent": 3}
    assert len(MODELS) == 18
    assert sum(m.kv_heads == 8 and not m.latent for m in MODELS) == 8
    assert sum(bool(m.window) for m in MODELS) == 5
    assert sum(bool(m.uncached) for m in MODELS) == 4
    for words in ("learned sink", "output gate", "chosen"):
        assert sum(words in m.pattern for m in MODELS) == 1
    starts = Counter(m.positions.split(",")[0].split()[0] for m in MODELS)
    assert starts == {"RoPE": 13, "ALiBi": 2, "none": 3}
    assert sum("YaRN" in m.positions or "divided" in m.positions for m in MODELS) == 7
    assert Counter(m.norm.split()[0] for m in MODELS) == {"RMSNorm": 13, "LayerNorm": 5}
    assert [m.name for m in MODELS if "before" not in m.norm] == ["OLMo 3 32B"]
    assert sum("before and after" in m.norm for m in MODELS) == 2
    assert sum("queries and keys" in m.norm for m in MODELS) == 4
    by_name = {m.name: m for m in MODELS}
    assert by_name["Command R v01"].bytes(1) == 8 * by_name["Command R 08-2024"].bytes(1)
    assert by_name["Qwen3-Next 80B-A3B"].bytes(1536) == 36 * 32 * 128 * 128 * 2
    gemma = by_name["Gemma 3 27B"]
    assert 6 * (gemma.bytes(1025) - gemma.bytes(1024)) < gemma.bytes(1)
    v3, v32 = by_name["DeepSeek-V3"], by_name["DeepSeek-V3.2"]
    assert {f.name for f in fields(Model) if getattr(v3, f.name) != getattr(v32, f.name)} == {
        *("name", "pattern", "sources", "index")
    }
    assert 4 * by_name["OLMo 3 32B"].local_layers == 3 * by_name["OLMo 3 32B"].layers
    assert "1,536 tokens" in PAGE


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("todays_models", "eighteen of them"),
        ("language_model", "eighteen models"),
        ("long_context", "eighteen models"),
    ],
)
def test_every_page_that_counts_the_models_counts_as_the_table_does(page, words):
    assert len(MODELS) == 18
    assert words in page_file(page).read_text("utf8")
