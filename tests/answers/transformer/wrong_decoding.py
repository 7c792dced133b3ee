"""Wrong answers on decoding with a cache that are no known mistake: none may get all points."""

import torch

from solutions.transformer.attention import cached_heads, greedy_cached, multi_head_attention
from tests.answers.spoilers import spoiled
from tests.answers.transformer.parts import Step

_memory: dict = {}


def greedy_of_tensors(start, step, bos, eos, max_len):
    """Tokens are tensors without axes, for step and in the list."""
    tokens, token, cache = [], torch.tensor(bos), start
    while len(tokens) < max_len and (not tokens or tokens[-1] != eos):
        logits, cache = step(token, cache)
        token = logits.argmax()
        tokens.append(token)
    return tokens


def greedy_tensors_for_step(start, step, bos, eos, max_len):
    return [int(token) for token in greedy_of_tensors(start, step, bos, eos, max_len)]


def greedy_empty(start, step, bos, eos, max_len):
    return []


def greedy_constant(start, step, bos, eos, max_len):
    return [eos]


def greedy_stops_at_bos(start, step, bos, eos, max_len):
    tokens = greedy_cached(start, step, bos, eos, max_len)
    return tokens[: tokens.index(bos)] if bos in tokens else tokens


def greedy_stops_at_zero(start, step, bos, eos, max_len):
    tokens, token, cache = [], bos, start
    while len(tokens) < max_len:
        logits, cache = step(token, cache)
        token = int(logits.argmax())
        tokens.append(token)
        if not token:
            break
    return tokens


def greedy_truth_of_a_token(start, step, bos, eos, max_len):
    tokens, cache = [], start
    while len(tokens) < max_len and eos not in tokens:
        logits, cache = step((tokens and tokens[-1]) or bos, cache)  # a 0 counts as no token
        tokens.append(int(logits.argmax()))
    return tokens


def greedy_without_eos_or_limit(start, step, bos, eos, max_len):
    return [t for t in greedy_cached(start, step, bos, eos, max_len + 1) if t != eos]


def greedy_filled_up(start, step, bos, eos, max_len):
    tokens = greedy_cached(start, step, bos, eos, max_len)
    return tokens + [eos] * (max_len - len(tokens))


def greedy_last_limit(start, step, bos, eos, max_len):
    tokens = greedy_cached(start, step, bos, eos, max_len)
    return tokens if eos in tokens else [*tokens, eos]


def greedy_a_tensor_with_an_axis(start, step, bos, eos, max_len):
    return torch.tensor([greedy_cached(start, step, bos, eos, max_len)])


def greedy_exponents(start, step, bos, eos, max_len):
    def powers(token, cache):
        logits, cache = step(token, cache)
        return logits.exp() / logits.exp().sum(), cache

    return greedy_cached(start, powers, bos, eos, max_len)


def greedy_second_best(start, step, bos, eos, max_len):
    def without_the_last(token, cache):
        logits, cache = step(token, cache)
        return logits if token == bos else logits.index_fill(0, torch.tensor([token]), -1e9), cache

    return greedy_cached(start, without_the_last, bos, eos, max_len)


def greedy_never_bos(start, step, bos, eos, max_len):
    def never(token, cache):
        logits, cache = step(token, cache)
        return logits.index_fill(0, torch.tensor([bos]), -1e9), cache

    return greedy_cached(start, never, bos, eos, max_len)


def greedy_cache_of_the_step_before(start, step, bos, eos, max_len):
    tokens, token, before, cache = [], bos, start, start
    while len(tokens) < max_len:
        logits, new = step(token, before)
        before, cache = cache, new
        token = int(logits.argmax())
        tokens.append(token)
        if token == eos:
            break
    return tokens


def greedy_a_first_look(start, step, bos, eos, max_len):
    step(bos, start)
    return greedy_cached(start, step, bos, eos, max_len)


def greedy_without_the_first(start, step, bos, eos, max_len):
    return greedy_cached(start, step, bos, eos, max_len)[1:]


def greedy_backwards(start, step, bos, eos, max_len):
    return greedy_cached(start, step, bos, eos, max_len)[::-1]


def greedy_a_generator(start, step, bos, eos, max_len):
    return (token for token in greedy_cached(start, step, bos, eos, max_len))


def greedy_text(start, step, bos, eos, max_len):
    return " ".join(map(str, greedy_cached(start, step, bos, eos, max_len)))


def greedy_sampled(start, step, bos, eos, max_len):
    def drawn(token, cache):
        logits, cache = step(token, cache)
        return logits + 3 * torch.randn_like(logits), cache

    return greedy_cached(start, drawn, bos, eos, max_len)


def greedy_first_answer_kept(start, step, bos, eos, max_len):
    return _memory.setdefault((bos, eos), greedy_cached(start, step, bos, eos, max_len))


def greedy_nothing(start, step, bos, eos, max_len):
    greedy_cached(start, step, bos, eos, max_len)


def greedy_fewer_tokens_than_steps(start, step, bos, eos, max_len):
    tokens = greedy_cached(start, step, bos, eos, max_len)
    return tokens[: max(1, max_len // 2)]


def greedy_tokens_and_cache(start, step, bos, eos, max_len):
    return greedy_cached(start, step, bos, eos, max_len), start


def greedy_huge(start, step, bos, eos, max_len):
    return [0] * 100_000


def step_cache_in_place(x, cache, weights, heads):
    out, new = cached_heads(x, cache, weights, heads)
    cache.zero_()
    return out, new


def step_cache_detached(x, cache, weights, heads):
    return cached_heads(x, cache.detach(), weights, heads)


def step_new_part_detached(x, cache, weights, heads):
    out, new = cached_heads(x, cache, weights, heads)
    return out, torch.cat([new[..., :-1, :], new[..., -1:, :].detach()], dim=-2)


def step_of_weights_detached(x, cache, weights, heads):
    return cached_heads(x, cache, {name: weight.detach() for name, weight in weights.items()}, heads)


def step_one_head(x, cache, weights, heads):
    whole = cache.transpose(2, 3).flatten(3)[:, :, None]
    out, new = cached_heads(x, whole, weights, 1)
    return out, new[:, :, 0].unflatten(-1, (heads, -1)).transpose(2, 3)


def step_alone(x, cache, weights, heads):
    out, _ = multi_head_attention(x[:, None], x[:, None], x[:, None], weights, heads)
    return out[:, 0], cached_heads(x, cache, weights, heads)[1]


def step_with_residual(x, cache, weights, heads):
    out, new = cached_heads(x, cache, weights, heads)
    return x + out, new


def step_keys_scaled(x, cache, weights, heads):
    out, new = cached_heads(x, cache, weights, heads)
    newest = new[0, ..., -1:, :] / new.shape[-1] ** 0.5
    return out, torch.stack([torch.cat([new[0, ..., :-1, :], newest], dim=-2), new[1]])


def step_keys_and_values_apart(x, cache, weights, heads):
    out, new = cached_heads(x, cache, weights, heads)
    return out, (new[0], new[1])


def step_other_layout(x, cache, weights, heads):
    out, new = cached_heads(x, cache, weights, heads)
    return out, new.transpose(2, 3)


def step_batch_first(x, cache, weights, heads):
    out, new = cached_heads(x, cache, weights, heads)
    return out, new.transpose(0, 1)


def step_with_an_axis(x, cache, weights, heads):
    out, new = cached_heads(x, cache, weights, heads)
    return out[:, None], new


def step_viewed(x, cache, weights, heads):
    def split(x, heads):
        return x.reshape(heads, len(x), 1, -1).transpose(0, 1)

    return Step(split=split)(x, cache, weights, heads)


def step_merged_across_the_batch(x, cache, weights, heads):
    return Step(merge=lambda z: z.transpose(0, 1).reshape(len(z), 1, -1))(x, cache, weights, heads)


def step_no_maximum(x, cache, weights, heads):
    def softmax(scores):
        return scores.exp() / scores.exp().sum(-1, keepdim=True)

    return Step(softmax=softmax)(x, cache, weights, heads)


def step_over_the_batch(x, cache, weights, heads):
    return Step(softmax=lambda scores: scores.softmax(0))(x, cache, weights, heads)


def step_two_last(x, cache, weights, heads):
    return Step(seen=lambda cache: cache[..., -2:, :])(x, cache, weights, heads)


def step_without_the_first(x, cache, weights, heads):
    return Step(seen=lambda cache: cache[..., 1:, :] if cache.shape[-2] > 1 else cache)(x, cache, weights, heads)


def step_width(x, cache, weights, heads):
    return Step(root=lambda q: q.shape[-1])(x, cache, weights, heads)


def step_without_b_q(x, cache, weights, heads):
    return cached_heads(x, cache, weights | {"b_q": 0 * weights["b_q"]}, heads)


def step_without_b_v(x, cache, weights, heads):
    return cached_heads(x, cache, weights | {"b_v": 0 * weights["b_v"]}, heads)


def step_without_b_o(x, cache, weights, heads):
    return cached_heads(x, cache, weights | {"b_o": 0 * weights["b_o"]}, heads)


def step_W_o_not_transposed(x, cache, weights, heads):
    return cached_heads(x, cache, weights | {"W_o": weights["W_o"].T}, heads)


def step_one_matrix(x, cache, weights, heads):
    return cached_heads(x, cache, weights | {"W_k": weights["W_q"], "b_k": weights["b_q"]}, heads)


def step_arguments(x, cache, weights, heads):
    return x, cache


def step_not_finite(x, cache, weights, heads):
    return tuple(result * torch.nan for result in cached_heads(x, cache, weights, heads))


def step_needs_a_cache(x, cache, weights, heads):
    if not cache.shape[-2]:
        return torch.zeros_like(x), cached_heads(x, cache, weights, heads)[1]
    return cached_heads(x, cache, weights, heads)


def step_only_out(x, cache, weights, heads):
    return cached_heads(x, cache, weights, heads)[0]


def step_with_the_weights(x, cache, weights, heads):
    out, new = cached_heads(x, cache, weights, heads)
    return out, new, torch.ones(1)


def _answers(prefix: str) -> list:
    return [value for name, value in globals().items() if name.startswith(f"{prefix}_") and value is not greedy_cached]


WRONG = {
    "transformer.greedy_cached": _answers("greedy"),
    "transformer.cached_heads": [*_answers("step"), *spoiled(cached_heads)],
}
