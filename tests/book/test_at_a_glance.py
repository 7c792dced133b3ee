"""The page of all attentions against the code: its parameter counts, its multiplications, the functions it names."""

import ast
import re
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from book.contents import page_file
from solutions.bahdanau.model import Bahdanau
from solutions.bahdanau.recipe import RECIPES as BAHDANAU
from solutions.language_model.latent import LatentAttention
from solutions.language_model.layers import TAUGHT, Attention
from solutions.language_model.recipe import RECIPES as LANGUAGE
from solutions.luong import attention as luong
from solutions.luong.model import Luong, location_score
from solutions.luong.recipe import RECIPES as LUONG
from solutions.pooling.model import HAN, AttBLSTM
from solutions.pooling.recipe import RECIPES as POOLING
from solutions.self_attention.attention import SelfAttention, self_attention, simple_self_attention
from solutions.self_attention.layers import SimpleSelfAttention
from solutions.structured.model import Reader
from solutions.structured.recipe import RECIPES as STRUCTURED
from solutions.transformer.attention import multi_head_attention
from solutions.transformer.layers import MultiHeadAttention
from solutions.transformer.recipe import RECIPES as TRANSFORMER

ROOT = Path(__file__).parents[2]
PAGE = (page_file("at_a_glance")).read_text("utf8")
FACTOR = re.compile(r"\d+|[A-Za-z](?:_[a-z])?|\^2|[()+]")
SIZES = [{"u": 6, "h": 5, "m": 4, "L": 9, "r": 3}, {"u": 10, "h": 7, "m": 8, "L": 13, "r": 2}]


def rows(heading: str) -> dict[str, list[str]]:
    """Return the cells of the table below a heading, by the attention's name."""
    table = PAGE.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    cells = [
        [cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines() if line[:3] == "| *"
    ]
    return {row[0].strip("| *"): row[1:] for row in cells}


COMPUTES, COSTS = rows("What each computes"), rows("What each costs")


def evaluate(formula: str, sizes: dict[str, int]) -> int:
    """Return the value of a formula such as h(q + d_k) + h; letters that stand side by side are multiplied."""
    python, product = "", False
    for token in FACTOR.findall(formula):
        starts = token == "(" or token[0].isalnum()
        python += " * " if product and starts else ""
        python += "**2" if token == "^2" else f"{sizes[token]}" if token[0].isalpha() else token
        product = token not in "(+"
    return eval(python)  # digits and signs alone


def first_formula(cell: str) -> str:
    formula = re.search(r"\$([^$]+)\$", cell)
    assert formula, cell
    return formula[1]


def count(*tensors: Tensor) -> int:
    return sum(tensor.numel() for tensor in tensors)


def translation(sizes: dict[str, int]) -> dict[str, tuple[int, dict[str, int]]]:
    u, h = sizes["u"], sizes["h"]
    small = replace(BAHDANAU["small"], units=u, hidden=h, embedding_dim=4)
    b = Bahdanau(small, 11, 12)
    wide = {"q": u, "d_k": u, "h": h, "L": sizes["L"]}
    counted = {"additive": (count(b.W_q, b.W_k, b.v), {"q": u, "d_k": 2 * u, "h": h})}
    base = replace(LUONG["small"], units=u, hidden=h, longest=sizes["L"], embedding_dim=4, tied=False)
    for score in ("dot", "general", "concat", "location"):
        counted[score] = count(*Luong(replace(base, score=score), 11, 12).score_weights), wide
    predicts = Luong(replace(base, attention="local_p", D=2), 11, 12)
    counted["local-p"] = count(predicts.W_p, predicts.v_p), wide
    return counted


def others(sizes: dict[str, int]) -> dict[str, tuple[int, dict[str, int]]]:
    u, h, m, r = sizes["u"], sizes["h"], sizes["m"], sizes["r"]
    small = replace(POOLING["small"], units=u, hidden=h)
    pool, han = AttBLSTM(small, 20, 3), HAN(replace(POOLING["small_han"], units=u, hidden=h), 20, 3)
    reader = Reader(replace(STRUCTURED["small"], units=u, hidden=h, hops=r), 20)
    heads = MultiHeadAttention(replace(TRANSFORMER["small"], d_model=2 * u, heads=2))
    every_head = count(*heads.parameters()), {"d": 2 * u}
    uses = ("multi-head", "encoder to itself", "decoder to itself", "decoder to encoder")
    return {
        "Att-BLSTM pooling": (count(pool.w), {"d": u}),
        "HAN, words": (count(*han.word_projection.parameters(), han.u_w), {"h": h, "d": 2 * u}),
        "HAN, sentences": (count(*han.sentence_projection.parameters(), han.u_s), {"h": h, "d": 2 * u}),
        "structured": (count(reader.W_s1, reader.W_s2), {"h": h, "d": 2 * u, "r": r}),
        "self, no parameters": (count(*SimpleSelfAttention().parameters()), {}),
        "self, three matrices": (count(*SelfAttention(m, h, u).parameters()), {"m": m, "d_k": h, "d": u}),
        **dict.fromkeys(uses, every_head),
        **causal(2 * u),
    }


def causal(d: int) -> dict[str, tuple[int, dict[str, int]]]:
    recipe = replace(LANGUAGE["small"], d_model=2 * d, heads=2)
    grouped = Attention(replace(recipe, kv_heads=1), TAUGHT)
    latent = LatentAttention(replace(recipe, latent=3), TAUGHT)
    contents = latent.q, latent.down, latent.up_k, latent.up_v, latent.out  # without the part that is turned
    every_head = count(*Attention(recipe, TAUGHT).parameters()), {"d": 2 * d}
    return {
        **dict.fromkeys(("rotary", "ALiBi", "window", "linear", "delta rule"), every_head),
        "grouped-query": (count(*grouped.parameters()), {"d": 2 * d, "d_g": d}),
        "latent": (sum(count(*layer.parameters()) for layer in contents), {"d": 2 * d, "d_c": 3}),
    }


@pytest.mark.parametrize("sizes", SIZES, ids=["small", "larger"])
def test_the_parameters_are_those_of_the_modules(sizes):
    counted = translation(sizes) | others(sizes)
    assert set(COSTS) == set(counted) | {"local-m"}, "a row without a check: the window of local-m has no parameters"
    for name, (number, letters) in counted.items():
        assert evaluate(first_formula(COSTS[name][0]), letters) == number, f"{name}: {COSTS[name][0]}"


def multiplications(function, *arguments) -> int:
    """Return the multiplications of matrix products; products with a vector are written as ones with a matrix first."""
    with FlopCounterMode(display=False) as counter:
        function(*arguments)
    return counter.get_total_flops() // 2


@pytest.mark.parametrize("sizes", SIZES, ids=["small", "larger"])
def test_the_multiplications_are_those_of_the_functions(sizes):
    S, d, q, m = 6, sizes["u"], sizes["h"], sizes["m"]
    letters = {"S": S, "d": d, "d_k": q, "q": d, "m": m, "T": 5, "H": 2}
    X, rand = torch.randn(1, S, m), torch.randn
    matrices = rand(q, m), rand(q, m), rand(d, m)
    params = {f"W_{n}": rand(d, d) for n in "qkvo"} | {f"b_{n}": rand(d) for n in "qkvo"}
    x, y = rand(1, S, d), rand(1, 5, d)
    cross = multiplications(multi_head_attention, y, x, x, params, 2)
    within = multiplications(multi_head_attention, x, x, x, params, 2)
    assert multiplications(simple_self_attention, X) == evaluate(COSTS["self, no parameters"][1], letters)
    assert multiplications(self_attention, X, *matrices) == evaluate(COSTS["self, three matrices"][1], letters)
    assert cross == evaluate(first_formula(COSTS["multi-head"][1]), letters)
    assert within == evaluate(COSTS["encoder to itself"][1], letters)
    scores = multiplications(luong.general_score, rand(1, 1, d), rand(1, S, q), rand(d, q)) + S * d
    assert scores == evaluate(first_formula(COSTS["general"][1]), letters)
    assert multiplications(luong.dot_score, y[:, :1], x) + S * d == evaluate(
        first_formula(COSTS["dot"][1]), letters | {"d_k": d}
    )
    assert multiplications(location_score, y[:, :1], x, rand(S, d)) + S * d == evaluate(
        first_formula(COSTS["location"][1]), letters
    )


def test_the_page_begins_with_what_each_attention_computes() -> None:
    assert PAGE.find("\n| attention |") < PAGE.find("\n| letter |") < PAGE.find("\n## What each costs")
    for page in re.findall(r"\]\(#([\w-]+)\)", PAGE):
        assert f"\n## {page.replace('-', ' ')}\n" in PAGE.lower()


def test_both_tables_have_the_same_rows_and_name_functions_that_exist():
    assert list(COMPUTES) == list(COSTS)
    for name, cells in COSTS.items():
        chapter = re.search(r"\(\.\./(\w+)/lesson\.md\)", cells[-1])
        assert chapter, name
        folder = ROOT / "solutions" / chapter[1]
        defined = {
            node.name
            for file in ("attention.py", "model.py")
            for node in ast.parse((folder / file).read_text("utf8")).body
            if isinstance(node, ast.FunctionDef)
        }
        functions = {text for text in re.findall(r"`([^`]+)`", cells[-1]) if not text.endswith(".py")}
        assert functions <= defined, f"{name}: {functions - defined} is not in {folder}"
