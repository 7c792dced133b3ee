"""Speculative decoding: whatever the draft is, what is written is distributed as the large model's own."""

import itertools
from collections import Counter
from collections.abc import Callable, Sequence

import pytest
import torch
from torch import Tensor

from autograder.checks import find
from lab.evaluation.result_files import read_json
from lab.text.tokenizers import BOS, EOS
from solutions.language_model import drafts
from solutions.language_model.attention import accept
from solutions.language_model.speculative import write_ahead
from tests.support.verdicts import drawn


def mixture(draft: Tensor, target: Tensor, accept: Callable = accept) -> Tensor:
    """Return how a token of the draft, kept or replaced, is distributed: Σ_x q(x) (keep δ_x + (1 - keep) rest)."""
    vocabulary = draft.shape[-1]
    each = (torch.full(draft.shape[:-1], x) for x in range(vocabulary))
    found = [accept(draft, target, token) for token in each]
    kept = torch.stack([keep for keep, _ in found], dim=-1)
    rests = torch.stack([rest for _, rest in found], dim=-2)
    return draft * kept + ((draft * (1 - kept))[..., None] * rests).sum(dim=-2)


def rows() -> list[tuple[Tensor, Tensor]]:
    """Return draft and target of all cases of the check, in double precision, rows that add up to 1."""
    given = [case.arguments for case in drawn("language_model.accept", 0)]
    pairs = [[torch.tensor(each[name], dtype=torch.float64) for name in ("draft", "target")] for each in given]
    return [(q / q.sum(dim=-1, keepdim=True), p / p.sum(dim=-1, keepdim=True)) for q, p in pairs]


def test_a_token_that_is_kept_or_replaced_is_distributed_as_the_target() -> None:
    for draft, target in rows():
        torch.testing.assert_close(mixture(draft, target), target, rtol=0, atol=1e-14)
        keeps = torch.minimum(draft, target).sum(dim=-1)
        assert (draft - target).abs().sum(dim=-1).div(2).add(keeps).allclose(torch.ones(()).double())


@pytest.mark.parametrize("name", ["drawn_from_target", "without_the_token", "rest_of_target", "all_or_nothing"])
def test_no_other_rest_and_no_other_probability_gives_the_target(name: str) -> None:
    (wrong,) = [each for each in find("language_model.accept").mistakes if each.__name__ == name]
    draft, target = rows()[0]
    assert (mixture(draft, target, wrong) - target).abs().max() > 0.01


def table(*seeds: int, words: int = 6) -> Callable[[Tensor], Tensor]:
    """Return a model whose logits depend on the last token and on the place."""
    generator = torch.Generator().manual_seed(sum(seeds))
    logits = torch.randn(3, words, words, generator=generator).log_softmax(dim=-1)
    return lambda tokens: logits[torch.arange(tokens.shape[1]) % 3, tokens]


def exact(model: Callable[[Tensor], Tensor], count: int, words: int = 6) -> dict[tuple[int, ...], float]:
    """Return the probability of each text of `count` tokens, or of fewer that end in </s>."""
    texts = {}
    for text in itertools.product(range(words), repeat=count):
        short = text[: text.index(EOS) + 1] if EOS in text else text
        p = model(torch.tensor([[BOS, *short]]))[0].softmax(dim=-1)
        texts[short] = float(torch.stack([p[at, word] for at, word in enumerate(short)]).prod())
    return texts


@pytest.mark.parametrize("ahead", [1, 3])
def test_texts_that_are_drafted_come_as_often_as_the_large_model_writes_them(ahead: int) -> None:
    large, draft, runs = table(1), table(2), 700
    generator = torch.Generator().manual_seed(ahead)
    written = [write_ahead(large, draft, accept, [BOS], 2, ahead, generator) for _ in range(runs)]
    counts = Counter(tuple(each.tokens) for each in written)
    for text, p in exact(large, 2).items():
        assert abs(counts[text] - runs * p) < 5 * (runs * p * (1 - p)) ** 0.5 + 1, text
    of_draft = exact(draft, 2)
    assert max(abs(counts[text] - runs * p) / (runs * p * (1 - p)) ** 0.5 for text, p in of_draft.items()) > 8


def count_calls(model: Callable[[Tensor], Tensor], calls: list[Sequence[int]]) -> Callable[[Tensor], Tensor]:
    return lambda tokens: (calls.append(tokens.tolist()[0]), model(tokens))[1]


def test_a_draft_that_agrees_is_never_refused_and_saves_all_calls_but_one_in_ahead_and_one() -> None:
    calls: list[Sequence[int]] = []
    model = table(3)
    never_ends = lambda tokens: model(tokens).index_fill(-1, torch.tensor([EOS]), -torch.inf)  # noqa: E731
    large, generator = count_calls(never_ends, calls), torch.Generator().manual_seed(1)
    text = write_ahead(large, never_ends, accept, [BOS, 4], 12, 3, generator)
    assert (len(text.tokens), text.calls, text.judged, text.kept) == (12, 3, 9, 9)
    assert [len(read) for read in calls] == [2 + 3, 2 + 7, 2 + 11]


def test_nothing_is_written_behind_the_end() -> None:
    large, generator = table(5), torch.Generator().manual_seed(1)
    for _ in range(30):
        text = write_ahead(large, table(6), accept, [BOS], 9, 3, generator)
        assert EOS not in text.tokens[:-1]
        assert len(text.tokens) == 9 or text.tokens[-1] == EOS
        assert text.kept <= text.judged


def test_drafts_are_measured_beside_the_large_model_alone_and_kept(tmp_path, capsys, monkeypatch) -> None:
    for name, value in {"SENTENCES": 3, "AHEAD": (1, 2), "TEXTS": 4, "VARIANTS": (8,)}.items():
        monkeypatch.setattr(drafts, name, value)
    words = "--steps 1 --seeds 1 --threads 1".split()
    drafts.main(words, tmp_path)
    (run,) = read_json(tmp_path / "drafts.json")["runs"]
    assert list(run["ahead"]) == ["1", "2"]
    assert run["exactly"]["kept or replaced, at most"] < 1e-12 < run["exactly"]["replaced by the target's own"]
    assert run["exactly"]["kept"] == pytest.approx(1 - run["exactly"]["draft alone"])
    assert all(1 <= way["tokens a call"] <= 1 + int(ahead) for ahead, way in run["ahead"].items())
    capsys.readouterr()
    drafts.main(words, tmp_path)
    assert capsys.readouterr().out.startswith("wrote")  # nothing is trained again
