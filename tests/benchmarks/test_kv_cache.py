"""A step that writes into a cache with room gives what the model's own step gives, which copies the cache."""

import pytest
import torch

from benchmarks.kv_cache import VOCABULARY, WAYS, cache_of, in_place
from solutions.language_model.fast import FastDecoder


@pytest.mark.parametrize("way", WAYS)
@torch.no_grad()
def test_a_step_in_place_is_the_models_own_step(way: str) -> None:
    torch.manual_seed(0)
    model, token = FastDecoder(WAYS[way], VOCABULARY).eval(), torch.full((1, 1), 5)
    caches = cache_of(model, 9)
    roomy = [torch.cat([cache, torch.full_like(cache[..., :1, :], 9.0)], dim=-2) for cache in caches]
    features, after, _ = model.read(token, caches)
    written, in_them, _ = in_place(model).read(token, roomy)
    torch.testing.assert_close(written, features)
    torch.testing.assert_close(in_them, after)
    assert all(cache is given for cache, given in zip(in_them, roomy, strict=True)), "nothing is copied"
