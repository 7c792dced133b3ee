"""Laws of the chapter's models and experiments: windows by masks and by a rolling cache, rows, pairs, resuming."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from examples import flex_attention as flex
from lab import corpora
from lab.corpora.running import batches, rows_of, sentences
from lab.evaluation.result_files import read_json
from lab.kinds.fit import fit
from lab.text import tokenizers
from lab.text.tokenizers import BOS, EOS
from solutions.language_model.fast import FAST
from solutions.language_model.induction import predicted
from solutions.language_model.model import Decoder
from solutions.long_context import __main__ as commands
from solutions.long_context import costs, recall
from solutions.long_context.attention import alibi_bias, sliding_window, stretched
from solutions.long_context.model import SMALL, full, reader, repositioned, stream_losses, windowed, with_alibi

B, H, S, D, V = 2, 3, 11, 4, 5
close = partial(torch.testing.assert_close, rtol=1e-4, atol=1e-5)


def normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed + sum(shape)), dtype=torch.float64)


def heads() -> tuple[Tensor, Tensor, Tensor]:
    return normal(B, H, S, D), normal(B, H, S, D, seed=1), normal(B, H, S, V)


def model(attends: tuple, vocabulary: int = 13, **other: Any) -> Decoder:
    torch.manual_seed(0)
    return reader(replace(SMALL, d_model=24, d_ff=30, layers=len(attends), **other), vocabulary, attends, FAST)


@pytest.mark.parametrize(("window", "sinks"), [(3, 0), (4, 2), (20, 0), (1, 1)])
def test_the_mask_of_a_window_is_the_taught_window(window: int, sinks: int) -> None:
    query, key, value = heads()
    taught = sliding_window(*(each.flatten(0, 1) for each in (query, key, value)), window, sinks)
    torch.testing.assert_close(windowed(query, key, value, window, sinks).flatten(0, 1), taught)


def test_alibi_is_softmax_attention_with_the_taught_bias() -> None:
    query, key, value = heads()
    scores = query @ key.transpose(-2, -1) / D**0.5 + alibi_bias(H, S)
    torch.testing.assert_close(with_alibi(query, key, value), scores.softmax(dim=-1) @ value)


@pytest.mark.parametrize("positions", ["rope", "none"])
@pytest.mark.parametrize("kv_heads", [1, 2, 3, 6])
def test_a_rolling_cache_reads_what_windows_read_at_once(positions: str, kv_heads: int) -> None:
    made = partial(model, heads=6, kv_heads=kv_heads, positions=positions)
    local = partial(windowed, window=4)
    tokens = torch.randint(13, (17,), generator=torch.Generator().manual_seed(0))
    at_once = predicted(made((local, local))(tokens[None]), tokens[None])[0]
    close(stream_losses(made((full, full)), tokens, window=4), at_once)
    assert not torch.allclose(stream_losses(made((full, full)), tokens, window=4, sinks=1), at_once)


@pytest.mark.parametrize("kv_heads", [1, 2, 3, 6])
def test_layers_by_functions_share_keys_as_the_taught_attention_does(kv_heads: int) -> None:
    tokens = torch.randint(13, (2, 9), generator=torch.Generator().manual_seed(0))
    by_function = model((full, full), heads=6, kv_heads=kv_heads)
    taught = Decoder(by_function.recipe, 13)
    taught.load_state_dict(by_function.state_dict())
    close(by_function(tokens), taught(tokens))


def test_what_no_cache_can_roll_is_refused_in_a_sentence() -> None:
    tokens = torch.zeros(5, dtype=torch.long)
    for positions in ("sine", "learned"):
        with pytest.raises(ValueError, match=f"needs positions rope or none, got {positions}"):
            stream_losses(model((full,), positions=positions), tokens, window=3)
    with pytest.raises(ValueError, match="expected latent = 0, got 8"):
        model((full,), latent=8, positions="none")


def test_a_cache_that_holds_all_is_full_attention_with_sinks_or_without() -> None:
    tokens = torch.randint(13, (9,), generator=torch.Generator().manual_seed(0))
    whole = predicted(model((full, full))(tokens[None]), tokens[None])[0]
    for window, sinks in ((20, 0), (20, 3), (6, 2)):
        close(stream_losses(model((full, full)), tokens, window, sinks), whole)


def test_interpolated_positions_are_those_of_a_model_whose_angles_are_smaller() -> None:
    plain, tokens = model((full,)), torch.randint(13, (2, 9), generator=torch.Generator().manual_seed(0))
    angles, _ = stretched(plain.recipe.d_model // plain.recipe.heads, plain.recipe.rope_base, 1.0, 64)
    close(repositioned(plain, angles)(tokens), plain(tokens))
    assert not torch.allclose(repositioned(plain, angles / 4)(tokens), plain(tokens))
    assert not torch.allclose(repositioned(plain, angles, 2.0)(tokens), plain(tokens))
    still = repositioned(plain, 0 * angles)(tokens)  # no angle is left: a model without positions
    bare = reader(replace(plain.recipe, positions="none"), 13, (full,), FAST)
    bare.load_state_dict(plain.state_dict())
    close(still, bare(tokens))


def test_rows_of_running_text_are_full_and_know_their_whole_sentences() -> None:
    text = tokenizers.Words.learn(corpora.load("grammar").train)
    made = sentences(text, 200, seed=3)
    rows, contents = rows_of(made, 40)
    assert rows.shape[1] == 40
    assert (rows[:, 0] == BOS).all()
    spans = [row[start:end].tolist() for row, content in zip(rows, contents, strict=True) for start, end, _ in content]
    log_p = [each for content in contents for *_, each in content]
    assert all(span.count(EOS) == 1 and span[-1] == EOS for span in spans)
    assert {(tuple(span), p) for span, p in zip(spans, log_p, strict=True)} <= {(tuple(s), p) for s, p in made}
    first = next(batches(made, 40, 3, seed=1))
    assert first.shape == (3, 40)
    assert torch.equal(first, next(batches(made, 40, 3, seed=1)))


def test_pairs_that_come_again_hold_their_last_value() -> None:
    pairs = recall.draw(6, 7, True, torch.Generator().manual_seed(0))
    assert pairs.keys.shape == (6, 10)
    assert pairs.asked.shape == (6, 7)
    for keys, values, asked, answers in zip(pairs.keys, pairs.values, pairs.asked, pairs.answers, strict=True):
        last = dict(zip(keys.tolist(), values.tolist(), strict=True))
        assert [last[key] for key in asked.tolist()] == answers.tolist()
        assert len(last) == 7


@pytest.mark.parametrize("rule", ["softmax", "linear", "gated", "delta", "gru"])
def test_every_rule_learns_to_recall_a_single_pair_better_than_by_chance(rule: str) -> None:
    torch.manual_seed(0)
    asked, generator = recall.Recaller(rule, 8), torch.Generator().manual_seed(0)

    def loss() -> Tensor:
        pairs = recall.draw(32, 1, False, generator)
        return functional.cross_entropy(asked(pairs).flatten(0, 1), pairs.answers.flatten())

    before = loss().item()
    assert list(fit(asked, loss, 80, 1e-2)) == list(range(1, 81))
    assert loss().item() < 0.8 * before


def test_a_training_ends_when_its_minutes_are_over(capsys) -> None:
    layer = torch.nn.Linear(2, 1)
    assert list(fit(layer, lambda: layer(torch.ones(3, 2)).sum(), 1000, 1e-3, minutes=0)) == [1]
    assert "after 1 of 1000 steps" in capsys.readouterr().out


def test_a_run_that_is_kept_is_not_made_again(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(recall, "VARIANTS", {"delta 8": ("delta", 8)})
    words = ["recall", "--seeds", "1", "--steps", "2"]
    commands.main(words, tmp_path)
    (run,) = read_json(tmp_path / "recall.json")["runs"]
    assert list(run["once"]) == [str(count) for count in recall.COUNTS]
    monkeypatch.setattr(recall, "measured", lambda *_: pytest.fail("it is kept"))
    commands.main(words, tmp_path)
    with pytest.raises(SystemExit):
        commands.main(["recall", "--seeds", "-1"], tmp_path)
    assert "--seeds" in capsys.readouterr().err


def test_tiles_move_fewer_numbers_and_larger_ones_still_fewer() -> None:
    whole = costs.moved_whole(1000, 64)
    tiles = [costs.moved_in_tiles(1000, 64, tile) for tile in (64, 200, 1000)]
    assert whole > tiles[0] > tiles[1] > tiles[2] > 4 * 1000 * 64


def test_a_measured_way_takes_time_and_memory() -> None:
    seconds, peak = costs.measured("tiles", 300)
    assert 0 < seconds < 60
    assert 2**20 < peak < 2**33


@pytest.mark.filterwarnings("ignore:.*flex_attention called without torch.compile")
def test_flex_attention_takes_the_taught_bias_and_window() -> None:
    B, H, S, D = 2, 4, 40, 8
    query, key, value = (torch.randn(B, H, S, D, generator=torch.Generator().manual_seed(seed)) for seed in range(3))
    place = torch.arange(S)
    near = (place[:, None] - place < 16) | (place < 4)
    bias = alibi_bias(H, S).masked_fill(~near, -torch.inf)
    close(flex.attend(query, key, value), functional.scaled_dot_product_attention(query, key, value, attn_mask=bias))
