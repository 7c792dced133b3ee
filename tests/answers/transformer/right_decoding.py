"""Right answers on decoding with a cache: the loop over tokens, and one step with keys and values kept."""

import math

import torch
import torch.nn.functional as F


def greedy_recursive(start, step, bos, eos, max_len):
    if max_len == 0:
        return []
    logits, cache = step(bos, start)
    token = logits.tolist().index(logits.max().item())
    return [token] if token == eos else [token, *greedy_recursive(cache, step, token, eos, max_len - 1)]


def greedy_softmax(start, step, bos, eos, max_len):
    tokens = torch.zeros(0, dtype=torch.long)
    token, cache = bos, start
    while True:
        logits, cache = step(token, cache)
        token = int(F.softmax(logits, dim=-1).argmax())
        tokens = torch.cat([tokens, torch.tensor([token])])
        if token == eos or len(tokens) == max_len:
            return tokens.tolist()


def greedy_numpy(start, step, bos, eos, max_len):
    def tokens():
        token, cache = bos, start
        while token is not None:
            logits, cache = step(token, cache)
            token = int(logits.double().numpy().argmax())
            yield token
            if token == eos:
                return

    return [token for _, token in zip(range(max_len), tokens(), strict=False)]


def _projected(x, params, name):
    return x @ params[f"W_{name}"].T + params[f"b_{name}"]


def step_einsum(x, cache, params, heads):
    parts = [torch.einsum("bd,ed->be", x, params[f"W_{n}"]) + params[f"b_{n}"] for n in "qkv"]
    q, k, v = (part.unflatten(1, (heads, -1)) for part in parts)
    cache = torch.cat((cache, torch.stack((k, v))[:, :, :, None]), 3)
    scores = torch.einsum("bhc,bhtc->bht", q, cache[0]) * q.shape[-1] ** -0.5
    context = torch.einsum("bht,bhtc->bhc", scores.softmax(-1), cache[1]).flatten(1)
    return torch.einsum("bd,ed->be", context, params["W_o"]) + params["b_o"], cache


def step_functions_of_torch(x, cache, params, heads):
    q, k, v = (_projected(x[:, None], params, n).view(len(x), 1, heads, -1).transpose(1, 2) for n in "qkv")
    whole = torch.stack([F.pad(cache[0], (0, 0, 0, 1)), F.pad(cache[1], (0, 0, 0, 1))])
    whole = whole + F.pad(torch.stack([k, v]), (0, 0, cache.shape[3], 0))
    context = F.scaled_dot_product_attention(q, whole[0], whole[1])
    return _projected(context.transpose(1, 2).flatten(1), params, "o"), whole


def step_in_place_on_a_copy(x, cache, params, heads):
    B, d, past = len(x), x.shape[1], cache.shape[3]
    whole = torch.zeros(2, B, heads, past + 1, d // heads)
    whole[..., :past, :] = cache
    whole[0, :, :, past] = _projected(x, params, "k").view(B, heads, -1)
    whole[1, :, :, past] = _projected(x, params, "v").view(B, heads, -1)
    q = _projected(x, params, "q").view(B, heads, -1, 1)
    attended = ((whole[0] @ q)[..., 0] / math.sqrt(d / heads)).softmax(-1)
    return _projected((attended[:, :, None] @ whole[1]).view(B, d), params, "o"), whole


RIGHT = {"transformer.greedy_cached": "greedy_", "transformer.cached_heads": "step_"}
