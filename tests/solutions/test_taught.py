"""Shown = trained: every taught function runs in a training, or a test proves that what runs there is equal to it."""

import ast
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import FrameType

import pytest
import torch

from autograder.release.blank import Module
from book._ext.edition import graded
from lab.kinds.classification import Classifying
from lab.kinds.runs import ROOT, Solution
from lab.kinds.translation import Translating
from lab.train.training import Training
from solutions.bahdanau.model import SOLUTION as BAHDANAU
from solutions.encoder_decoder.model import SOLUTION as ENCODER_DECODER
from solutions.luong.model import SCORES
from solutions.luong.model import SOLUTION as LUONG
from solutions.pooling.model import SOLUTION as POOLING
from solutions.self_attention.fast import SOLUTION as SELF_ATTENTION
from solutions.structured.model import SOLUTION as STRUCTURED
from solutions.transformer.fast import SOLUTION as TRANSFORMER

NAMES = sorted(path.parent.name for path in (ROOT / "solutions").glob("*/attention.py"))
# A calculation by hand has no arguments: it is no part of a model.
TAUGHT = {
    (name, function)
    for name in NAMES
    for function in graded(name) & set(Module.of(name).functions)
    if not isinstance(node := Module.of(name).find(function), ast.FunctionDef) or node.args.args
}

# What stands in a taught function's place while a model trains or decodes is proven equal to it by these tests.
PLAIN_AND_FAST = "test_the_plain_model_and_the_fast_one_have_equal_values_and_gradients"
BY_AUTOGRAD = "test_a_{}_with_a_gradient_of_its_own_trains_as_one_with_autograd"
# What no model of the course uses has the numbers of answers that are written in other ways, on every hidden case.
HELD = "test_checks.test_every_right_style_gets_all_points"
PROOFS = {  # by chapter: a test, and the functions that it proves
    "encoder_decoder": {
        "test_decoding.test_cached_greedy_says_what_the_taught_one_says": "greedy_decode",
        "test_decoding.test_cached_beam_finds_what_the_taught_one_finds": "beam_search",
        f"test_encoder_decoder_model.{PLAIN_AND_FAST}": "gru_step shift sequence_loss",
        f"test_encoder_decoder_model.{BY_AUTOGRAD.format('step')}": "gru_step_backward",
        HELD: "nucleus",
    },
    "bahdanau": {
        "test_decoding.test_attention_handed_in_and_attention_with_keys_projected_once_are_the_same_model": (
            "additive_attention"
        ),
        "test_bahdanau.test_the_decoder_that_is_handed_a_step_and_the_fast_one_have_equal_values_and_gradients": (
            "rnnsearch_step"
        ),
        "test_bahdanau.test_the_taught_links_are_those_of_the_lab": "links_of",
        "test_bahdanau.test_the_taught_error_rate_of_one_sentence_is_that_of_the_lab": "alignment_error_rate",
        "test_bahdanau.test_attention_backwards_is_what_autograd_says": "additive_attention_backward",
        HELD: "coverage_penalty",
    },
    "pooling": {HELD: "leave_one_out adversarial_weights"},
    "luong": {
        "test_luong_model.test_attention_that_is_handed_in_makes_the_same_model": "attentional_state",
        "test_luong_model.test_the_weights_of_local_p_are_the_taught_ones": "local_p_weights",
        "test_luong_model.test_the_fed_loop_with_a_plain_network_is_the_taught_input_feeding": "input_feeding",
        HELD: "replaced_unknowns windowed_attention",  # the models score all positions, and know all words
    },
    "structured": {
        "test_structured.test_the_overlap_of_hops_is_the_cosine_of_the_lab": "hop_overlap",
        f"test_structured_model.{BY_AUTOGRAD.format('penalty')}": "penalty_backward",
    },
    "self_attention": {
        "test_self_attention_model.test_the_plain_model_and_the_fast_one_have_equal_scores_and_gradients": (
            "simple_self_attention self_attention scaled_dot_product"
        ),
        "test_self_attention_model.test_the_taught_costs_are_those_of_the_layers_that_are_measured": "layer_cost",
        HELD: "exact_layer_cost crossing_length SelfAttention rotated chunked_attention",
    },
    "transformer": {
        f"test_transformer_model.{PLAIN_AND_FAST}": (
            "multi_head_attention positional_encoding make_masks encoder_layer decoder_layer"
        ),
        "test_transformer_model.test_the_models_loss_is_that_of_its_scores": "label_smoothed_loss",
        "test_transformer_model.test_the_taught_decoder_says_what_the_cached_one_says": "greedy_cached",
        "test_transformer_model.test_a_pre_norm_stack_is_the_fast_encoder_with_pre_norm": "pre_norm_stack",
        "test_transformer_model.test_a_step_of_the_fast_decoder_is_the_taught_one": "cached_heads",
    },
    "language_model": {
        f"test_language_model_model.{PLAIN_AND_FAST}": "rms_norm swiglu rope grouped_query_attention",
        "test_language_model_model.test_a_step_of_the_model_is_the_taught_one": "cached_step",
        "test_language_model_model.test_a_step_of_the_models_latent_attention_is_the_taught_one": "latent_step",
        "test_speculative.test_a_token_that_is_kept_or_replaced_is_distributed_as_the_target": "accept",
        HELD: "causal_mean next_probabilities induction_score",
    },
    "long_context": {
        "test_long_context.test_tiles_of_any_size_are_torchs_attention": "flash_forward",
        "test_long_context.test_gradients_in_tiles_are_those_of_autograd": "flash_backward",
        "test_long_context.test_alibis_slopes_are_those_of_the_authors_code": "alibi_bias",
        "test_long_context_model.test_the_mask_of_a_window_is_the_taught_window": "sliding_window",
        "test_long_context.test_linear_attention_is_the_same_in_parallel_step_by_step_and_in_chunks": (
            "linear_attention linear_step"
        ),
        HELD: "merge_softmax delta_step kv_bytes",
    },
}
PROVEN = {
    # A chapter's own test files may say so: PROVES = {"function": "test_…"} in tests/solutions/test_NAME*.py.
    **{
        (name, function): f"{path.stem}.{test}"
        for name in NAMES
        for path in sorted((ROOT / "tests" / "solutions").glob(f"test_{name}*.py"))
        for function, test in getattr(import_module(f"tests.solutions.{path.stem}"), "PROVES", {}).items()
    },
    **{
        (name, function): proof
        for name, proofs in PROOFS.items()
        for proof, functions in proofs.items()
        for function in functions.split()
    },
}
PAIRS = [([4, 5, 6], [7, 8]), ([9], [4, 5, 6])]
TEXTS = [([[4, 5, 6], [7]], 0), ([[8, 9]], 1)]


def trainings() -> Iterator[tuple[Solution, object]]:
    """Yield each chapter's solution with the recipes that between them use all that it trains with."""
    for solution in (ENCODER_DECODER, BAHDANAU, SELF_ATTENTION, STRUCTURED, TRANSFORMER):
        yield solution, solution.recipes["small"]
    yield STRUCTURED, replace(STRUCTURED.recipes["small"], pruned=True, per_hop=2, per_feature=1)
    yield from ((POOLING, POOLING.recipes[name]) for name in ("small", "small_han"))
    yield from ((LUONG, replace(LUONG.recipes["small"], score=score)) for score in SCORES)
    yield TRANSFORMER, replace(TRANSFORMER.recipes["small"], warmup_steps=4)


def train_once(solution: Solution, recipe: object) -> None:
    """Compute one loss and one learning rate as a training does."""
    torch.manual_seed(0)
    if solution in (POOLING, SELF_ATTENTION, STRUCTURED):
        model = solution.build(recipe, 12, 2)
        texts = Classifying(TEXTS, Training(), model.nested)
        texts.loss(model, texts.collate(TEXTS), torch.device("cpu"))
        return
    pairs = Translating(PAIRS, Training())
    pairs.loss(solution.build(recipe, 12, 12), pairs.collate(PAIRS), torch.device("cpu"))
    rate = solution.rate(recipe) if solution.rate else None
    if rate is not None:
        rate(0, 10)


@pytest.fixture(scope="module")
def used() -> set[tuple[str, str]]:
    """The taught functions that a training calls."""
    called = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.name == "attention.py":
            called.add((path.parent.name, frame.f_code.co_name))

    sys.setprofile(note)
    try:
        for solution, recipe in trainings():
            train_once(solution, recipe)
    finally:
        sys.setprofile(None)
    return called & TAUGHT


def test_every_taught_function_is_trained_with_or_proven_equal_to_what_is(used: set[tuple[str, str]]) -> None:
    assert len(TAUGHT) > 20
    for name, function in sorted(TAUGHT - used - set(PROVEN)):
        raise AssertionError(
            f"{name}.{function} is taught, and no training runs it: prove it in tests/solutions/test_{name}.py, and "
            f'write PROVES = {{"{function}": "test_…"}} there'
        )
    assert not used & set(PROVEN), "these are trained with: no proof is needed"


def test_the_proofs_are_tests_that_there_are() -> None:
    for proof in PROVEN.values():
        module, test = proof.split(".")
        (file,) = (ROOT / "tests").rglob(f"{module}.py")
        tree = ast.parse(file.read_text(encoding="utf8"))
        assert test in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, proof
