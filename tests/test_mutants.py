"""Mutation testing: no mutant of a reference gets all points but those that compute the same, each of them listed."""

import functools
import signal

import numpy as np
import pytest

import solutions.bahdanau.attention as bahdanau
import solutions.luong.attention as luong
from autograder.checks import find
from autograder.kit.answers import call
from autograder.kit.grading import grade
from tests.mutants import mutants

HELPERS = {
    "bahdanau.additive_attention": {f.__name__: f for f in (bahdanau.additive_scores, bahdanau.weighted_sum)},
    "luong.local_p_weights": {f.__name__: f for f in (luong.predicted_position, luong.window, luong.gaussian)},
}
SEEDS = (0, 1)
SECONDS = 5  # of a mutant that never ends

# What stands before the arrow, what after it, and why that is the same function.
EQUIVALENT = {
    "bahdanau.masked_softmax": {
        ("mask is None", "mask == None"): "None equals only itself here",
        ("torch.finfo(scores.dtype)", "torch.finfo()"): "float32 is the default",
        (
            "scores.masked_fill(~mask, lowest).softmax(dim=-1) * mask",
            "mask * scores.masked_fill(~mask, lowest).softmax(dim=-1)",
        ): "a product's order",
    },
    "bahdanau.additive_attention": {
        (
            "projected_query[:, None] + projected_keys",
            "projected_keys + projected_query[:, None]",
        ): "a sum's order",
        ("0", "-1"): "the axis has one entry",
    },
    "luong.dot_score": {("h_s.transpose(1, 2)", "h_s.transpose(2, 1)"): "the same two axes"},
    "luong.general_score": {("h_s.transpose(1, 2)", "h_s.transpose(2, 1)"): "the same two axes"},
    "luong.concat_score": {
        (
            "from_target[:, :, None] + from_source[:, None]",
            "from_source[:, None] + from_target[:, :, None]",
        ): "a sum's order",
    },
    "luong.attentional_state": {
        ("0", "-1"): "the axis has one entry",
        ("-1", "1"): "two axes: the last is axis 1",
        ("1", "-1"): "two axes: the last is axis 1",
    },
    "luong.local_p_weights": {
        (
            "lengths * torch.sigmoid(torch.tanh(h_t @ W_p.T) @ v_p)",
            "torch.sigmoid(torch.tanh(h_t @ W_p.T) @ v_p) * lengths",
        ): "a product's order",
        ("torch.arange(source, device=p.device)", "torch.arange(source)"): "on the CPU",
        (
            "(s < lengths[..., None]) & ((s - p[..., None]).abs() <= D)",
            "((s - p[..., None]).abs() <= D) & (s < lengths[..., None])",
        ): "the order of an and",
        (
            "(s - p[..., None]).abs() <= D",
            "(s - p[..., None]).abs() < D",
        ): "p is a real number: no position is D away to the last digit",
        ("s - p[..., None]", "p[..., None] - s"): "the distance, without its sign",
        ("2 * (D / 2) ** 2", "(D / 2) ** 2 * 2"): "a product's order",
        ("2", "-2"): "of D / 2, which is squared",
        ("0", "-1"): "the axis has one entry",
        ("align * gaussian(p, source, D)", "gaussian(p, source, D) * align"): "a product's order",
    },
    "luong.input_feeding": {
        (
            "torch.cat([word, fed], dim=-1) @ W_x.T + h @ W_h.T",
            "h @ W_h.T + torch.cat([word, fed], dim=-1) @ W_x.T",
        ): "a sum's order",
        ("0", "-1"): "the axis has one entry",
        ("-1", "1"): "two axes: the last is axis 1",
        ("1", "-1"): "two axes: the last is axis 1",
    },
    "encoder_decoder.last_states": {
        ("2", "-2"): "the width is even: all but the last u features are the first u",
        ("torch.arange(len(outputs), device=outputs.device)", "torch.arange(len(outputs))"): "on the CPU",
        ("-1", "1"): "two axes: the last is axis 1",
        ("1", "-1"): "two axes: the last is axis 1",
    },
    "encoder_decoder.greedy_decode": {
        ("ended | (word == eos)", "ended ^ (word == eos)"): "a row that has ended says pad, which is not eos",
        ("ended | (word == eos)", "(word == eos) | ended"): "the order of an or",
        ("-1", "1"): "two axes: the last is axis 1",
        ("1", "-1"): "two axes: the last is axis 1",
    },
    "encoder_decoder.beam_search": {
        ("0.0", "-0.0"): "the same number",
        ("log_p.detach().cpu()", "log_p.detach()"): "on the CPU",
        ("log_p.detach()", "log_p"): "no gradient is asked for",
        ("torch.tensor([tokens for _, tokens in active])", "[tokens for _, tokens in active]"): "step takes lists too",
        (
            "torch.tensor([score for score, _ in active])[:, None] + log_p.detach().cpu()",
            "log_p.detach().cpu() + torch.tensor([score for score, _ in active])[:, None]",
        ): "a sum's order",
        ("min(beam, total.numel())", "min(total.numel(), beam)"): "the order in a minimum",
        (
            "zip(best.tolist(), came_from.tolist(), word.tolist(), strict=True)",
            "zip(best.tolist(), came_from.tolist(), word.tolist())",
        ): "they are of one length",
        ("best.tolist()", "best"): "tensors of one number each",
        ("came_from.tolist()", "came_from"): "tensors of one number each",
        ("word.tolist()", "word"): "tensors of one number each",
        ("1", "-1"): "two axes, or a list's last entry of all but bos",
        ("finished + active", "active + finished"): "the order in a maximum",
    },
}


def _same(check_id: str, where: str) -> bool:
    before, after = where.partition(": ")[2].partition(": ")[2].split(" → ")
    documented = before.startswith("'Return") or before.startswith('"Return')  # the docstring
    typed = any(word in before for word in ("tuple[", "list[int]"))  # an annotation
    return documented or typed or (before, after) in EQUIVALENT[check_id]


def _interrupt(*_):
    raise KeyboardInterrupt


@pytest.mark.slow
@pytest.mark.parametrize("check_id", EQUIVALENT)
def test_no_mutant_gets_all_points(check_id):
    check = find(check_id)
    drawn = [check.draw(np.random.default_rng(seed)) for seed in SEEDS]
    criteria, alive, count = check.criteria, [], 0
    before = signal.signal(signal.SIGALRM, _interrupt)
    try:
        for where, mutant in mutants(check.reference, HELPERS.get(check_id, {})):
            count += 1
            caller = functools.partial(call, {check.function: mutant})
            signal.setitimer(signal.ITIMER_REAL, SECONDS)
            try:
                full = all(grade(check_id, cases, criteria, caller).hint is None for cases in drawn)
            except KeyboardInterrupt:
                full = False
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            alive += [where] if full and not _same(check_id, where) else []
    finally:
        signal.signal(signal.SIGALRM, before)
    assert count > 15
    assert alive == []
