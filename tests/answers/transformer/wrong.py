"""Wrong answers of the Transformer exercise that are no known mistake of the checks: none may get all points."""

from dataclasses import replace

import torch
import torch.nn.functional as F

from solutions.transformer.attention import (
    decoder_layer,
    encoder_layer,
    label_smoothed_loss,
    make_masks,
    multi_head_attention,
    noam_rate,
    positional_encoding,
    sinusoids,
)
from tests.answers.spoilers import spoiled
from tests.answers.transformer import parts

HEADS, LAYER = parts.RIGHT, parts.Layer()


def heads_mask_on_one_head(query, key, value, weights, heads, mask=None):
    def first(mask, scores):
        return None if mask is None else mask.unsqueeze(-3) | (torch.arange(heads)[:, None, None] > 0)

    return replace(HEADS, mask=first)(query, key, value, weights, heads, mask)


def heads_mask_without_axis(query, key, value, weights, heads, mask=None):
    unaxed = replace(HEADS, mask=lambda mask, scores: None if mask is None else mask.expand_as(scores))
    return unaxed(query, key, value, weights, heads, mask)


def heads_causal_always(query, key, value, weights, heads, mask=None):
    causal = torch.ones(query.shape[1], key.shape[1], dtype=torch.bool).tril()
    return multi_head_attention(query, key, value, weights, heads, causal if mask is None else mask & causal)


def heads_reversed(query, key, value, weights, heads, mask=None):
    out, attended = multi_head_attention(query, key, value, weights, heads, mask)
    return out, attended.flip(1)


def heads_no_query_bias(query, key, value, weights, heads, mask=None):
    return multi_head_attention(query, key, value, weights | {"b_q": 0 * weights["b_q"]}, heads, mask)


def heads_no_value_bias(query, key, value, weights, heads, mask=None):
    return multi_head_attention(query, key, value, weights | {"b_v": 0 * weights["b_v"]}, heads, mask)


def heads_eight_always(query, key, value, weights, heads, mask=None):
    return multi_head_attention(query, key, value, weights, 2 if heads > 1 else 1, mask)


def heads_needs_a_mask(query, key, value, weights, heads, mask=None):
    return multi_head_attention(query, key, value, weights, heads, mask & mask)


def heads_needs_three_axes(query, key, value, weights, heads, mask=None):
    return multi_head_attention(query, key, value, weights, heads, None if mask is None else mask[:, :1])


def heads_values_masked_only(query, key, value, weights, heads, mask=None):
    kept = value if mask is None or mask.ndim < 3 else value * mask.any(1)[..., None]
    return multi_head_attention(query, key, kept, weights, heads, None)


def heads_dropped_out(query, key, value, weights, heads, mask=None):
    return replace(HEADS, merge=lambda x: F.dropout(parts.merge_heads(x), 0.1))(query, key, value, weights, heads, mask)


def heads_weights_detached(query, key, value, weights, heads, mask=None):
    out, attended = multi_head_attention(query, key, value, weights, heads, mask)
    return out, attended.detach()


def heads_fill_of_a_hundred(query, key, value, weights, heads, mask=None):
    def softmax(scores, mask):
        return scores.softmax(-1) if mask is None else scores.masked_fill(~mask, -100.0).softmax(-1)

    return replace(HEADS, softmax=softmax)(query, key, value, weights, heads, mask)


def positions_other_base(x):
    d = x.shape[-1]
    angle = torch.arange(x.shape[1])[:, None] / 1000 ** (torch.arange(0, d, 2) / d)
    return x + torch.stack([angle.sin(), angle.cos()], -1).flatten(-2)[:, :d]


def positions_multiplied(x):
    return x * (1 + sinusoids(x.shape[1], x.shape[2]))


def positions_learned(x):
    return x + torch.nn.Embedding(x.shape[1], x.shape[2])(torch.arange(x.shape[1]))


def positions_reversed(x):
    return x + sinusoids(x.shape[1], x.shape[2]).flip(0)


def positions_twice(x):
    return positional_encoding(positional_encoding(x))


def positions_x_divided(x):
    return positional_encoding(x / x.shape[-1] ** 0.5)


def positions_dropped_out(x):
    return F.dropout(positional_encoding(x), 0.1)


def positions_even_widths_only(x):
    angle = torch.arange(x.shape[1])[:, None] / 10000 ** (torch.arange(0, x.shape[-1], 2) / x.shape[-1])
    pe = torch.zeros(x.shape[1:])
    pe[:, 0::2], pe[:, 1::2] = angle.sin(), angle.cos()
    return x + pe


def positions_short_table(x):
    return x + torch.cat([sinusoids(20, x.shape[-1]), torch.zeros(100, x.shape[-1])])[: x.shape[1]]


def positions_into_x(x):
    x.data += sinusoids(x.shape[1], x.shape[2])
    return x * 1


def masks_two(source, target, pad):
    return make_masks(source, target, pad)[::2]


def masks_numbers(source, target, pad):
    return tuple(mask.long() for mask in make_masks(source, target, pad))


def masks_first_sentence(source, target, pad):
    of_source, causal, whole = make_masks(source, target, pad)
    return of_source[:1].expand_as(of_source).clone(), causal, whole[:1].expand_as(whole).clone()


def masks_source_for_target(source, target, pad):
    of_source, causal, _ = make_masks(source, target, pad)
    return of_source, causal, causal & of_source[:, :, : target.shape[1]]


def masks_source_as_wide_as_target(source, target, pad):
    of_source, causal, whole = make_masks(source, target, pad)
    return of_source.expand(-1, target.shape[1], -1).clone(), causal, whole


def masks_target_with_heads(source, target, pad):
    of_source, causal, whole = make_masks(source, target, pad)
    return of_source, causal, whole[:, None]


def masks_last_real_hidden(source, target, pad):
    def real(words):
        lengths = (words != pad).sum(1, keepdim=True)
        return torch.arange(words.shape[1]) < (lengths - 1).clamp(min=1)

    of_source, causal, whole = make_masks(source, target, pad)
    return of_source & real(source)[:, None], causal, whole & real(target)[:, None]


def masks_one_padding_seen(source, target, pad):
    of_source, causal, _ = make_masks(source, target, pad)
    seen = torch.arange(target.shape[1]) <= (target != pad).sum(1, keepdim=True)
    return of_source, causal, causal & seen[:, None]


def masks_window(source, target, pad):
    of_source, causal, whole = make_masks(source, target, pad)
    near = causal.clone().triu(-2)
    return of_source, near, whole & near


def masks_small_pad_only(source, target, pad):
    return make_masks(source, target, min(pad, 3))


def masks_smaller_than_pad(source, target, pad):
    of_source, causal, whole = make_masks(source, target, pad)
    return of_source & (source < pad)[:, None], causal, whole & (target < pad)[:, None]


def _encode(layer, arguments):
    return layer.encode(*arguments)


def encoder_norm_twice(*arguments):
    def around(x, sublayer, norm):
        return norm(norm(x + sublayer(x)))

    return _encode(replace(LAYER, around=around), arguments)


def encoder_half_residual(*arguments):
    return _encode(replace(LAYER, around=lambda x, sublayer, norm: norm((x + sublayer(x)) / 2)), arguments)


def encoder_eps_squared(*arguments):
    def norm(x, gamma, beta, eps):
        return parts.layer_norm(x, gamma, beta, eps**2)

    return _encode(replace(LAYER, norm=norm), arguments)


def encoder_dropped_out(*arguments):
    return _encode(replace(LAYER, feed=lambda x, w: F.dropout(parts.feed_forward(x, w), 0.1)), arguments)


def encoder_causal(x, weights, heads, mask=None, eps=1e-5):
    causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
    return _encode(
        replace(LAYER, attend=lambda q, k, v, w, h, m: multi_head_attention(q, k, v, w, h, causal)[0]),
        (x, weights, heads, mask, eps),
    )


def encoder_with_weights(*arguments):
    return encoder_layer(*arguments), arguments[0]


def encoder_needs_a_mask(x, weights, heads, mask=None, eps=1e-5):
    return encoder_layer(x, weights, heads, mask & mask, eps)


def encoder_padded_input_zeroed(x, weights, heads, mask=None, eps=1e-5):
    kept = x if mask is None else x * mask[..., None]
    return encoder_layer(kept, weights, heads, None, eps)


def _decode(layer, arguments):
    return layer.decode(*arguments)


def decoder_both_norms(*arguments):
    return _decode(replace(LAYER, around=lambda x, sublayer, norm: norm(x + sublayer(norm(x)))), arguments)


def decoder_eps_squared(*arguments):
    def norm(x, gamma, beta, eps):
        return parts.layer_norm(x, gamma, beta, eps**2)

    return _decode(replace(LAYER, norm=norm), arguments)


def decoder_memory_reversed(y, memory, *rest):
    return decoder_layer(y, memory.flip(1), *rest)


def decoder_memory_of_first_sentence(y, memory, *rest):
    return decoder_layer(y, memory[:1].expand_as(memory), *rest)


def decoder_memory_detached(y, memory, *rest):
    return decoder_layer(y, memory.detach(), *rest)


def decoder_causal_always(y, memory, weights, heads, target_mask=None, source_mask=None, eps=1e-5):
    causal = torch.ones(y.shape[1], y.shape[1], dtype=torch.bool).tril().expand(len(y), -1, -1)
    return decoder_layer(
        y, memory, weights, heads, causal if target_mask is None else target_mask & causal, source_mask, eps
    )


def decoder_dropped_out(*arguments):
    return F.dropout(decoder_layer(*arguments), 0.1)


def decoder_needs_masks(y, memory, weights, heads, target_mask=None, source_mask=None, eps=1e-5):
    return decoder_layer(y, memory, weights, heads, target_mask & target_mask, source_mask, eps)


def loss_of_last_class(logits, target, epsilon, pad):
    return label_smoothed_loss(logits, target.clamp(max=logits.shape[-1] - 2), epsilon, pad)


def loss_divided_by_V(logits, target, epsilon, pad):
    return label_smoothed_loss(logits, target, epsilon, pad) / logits.shape[-1]


def loss_epsilon_fixed(logits, target, epsilon, pad):
    return label_smoothed_loss(logits, target, 0.1, pad)


def loss_epsilon_halved(logits, target, epsilon, pad):
    return label_smoothed_loss(logits, target, epsilon / 2, pad)


def loss_viewed(logits, target, epsilon, pad):
    B, T, V = logits.shape
    return label_smoothed_loss(logits.reshape(B, V, T).transpose(1, 2), target, epsilon, pad)


def loss_item(logits, target, epsilon, pad):
    return label_smoothed_loss(logits, target, epsilon, pad).item()


def loss_clamped(logits, target, epsilon, pad):
    return label_smoothed_loss(logits.clamp(-50, 50), target, epsilon, pad)


def loss_with_an_axis(logits, target, epsilon, pad):
    return label_smoothed_loss(logits, target, epsilon, pad)[None]


def rate_whole_division(step, d_model, warmup, factor):
    return factor * d_model**-0.5 * min(step**-0.5, step // warmup * warmup**-0.5)


def rate_of_512(step, d_model, warmup, factor):
    return noam_rate(step, 512, warmup, factor)


def rate_average(step, d_model, warmup, factor):
    return factor * d_model**-0.5 * (step**-0.5 + step * warmup**-1.5) / 2


def rate_product(step, d_model, warmup, factor):
    return factor * d_model**-0.5 * step**-0.5 * step * warmup**-1.5


def rate_cosine(step, d_model, warmup, factor):
    import math

    peak = factor * (d_model * warmup) ** -0.5
    return peak * step / warmup if step <= warmup else peak * 0.5 * (1 + math.cos(step / warmup))


def rate_factor_inside(step, d_model, warmup, factor):
    return d_model**-0.5 * min(factor * step**-0.5, step * warmup**-1.5)


def rate_jump(step, d_model, warmup, factor):
    return noam_rate(step, d_model, warmup, factor) if step != warmup else 0.0


def rate_rounded(step, d_model, warmup, factor):
    return round(noam_rate(step, d_model, warmup, factor), 2)


def heads_mask_of_one_sentence_ignored(query, key, value, weights, heads, mask=None):
    alone = mask is not None and mask.shape[:-1] == (1, 1)
    return multi_head_attention(query, key, value, weights, heads, None if alone else mask)


def positions_of_padding_left_out(x):
    return torch.where(x == 0, x, positional_encoding(x))


def masks_from_lengths(source, target, pad):
    def prefix(words):
        return (torch.arange(words.shape[1]) < (words != pad).sum(1, keepdim=True))[:, None]

    causal = make_masks(source, target, pad)[1]
    return prefix(source), causal, causal & prefix(target)


def encoder_relu6(*arguments):
    def feed(x, weights):
        return F.relu6(x @ weights["W_1"].T + weights["b_1"]) @ weights["W_2"].T + weights["b_2"]

    return _encode(replace(LAYER, feed=feed), arguments)


def encoder_takes_a_weight_out(x, weights, heads, mask=None, eps=1e-5):
    result = encoder_layer(x, weights, heads, mask, eps)
    del weights["gamma_2"]
    return result


def decoder_renames_its_weights(y, memory, weights, heads, target_mask=None, source_mask=None, eps=1e-5):
    result = decoder_layer(y, memory, weights, heads, target_mask, source_mask, eps)
    weights.update({name.removesuffix("_cross"): weights[name] for name in weights if name.endswith("_cross")})
    return result


def _loss_of_log(log_p, target, epsilon, pad):
    of_target = log_p.gather(-1, target[..., None])[..., 0]
    return (-(1 - epsilon) * of_target - epsilon * log_p.mean(-1))[target != pad].mean()


def loss_to_the_first_padding(logits, target, epsilon, pad):
    real = (target != pad).cumprod(1).bool()
    return _loss_of_log(logits.log_softmax(-1), torch.where(real, target, pad), epsilon, pad)


def rate_to_four_decimals(step, d_model, warmup, factor):
    return round(noam_rate(step, d_model, warmup, factor), 4)


def rate_turns_one_early(step, d_model, warmup, factor):
    rising = step < warmup - 1
    return factor * d_model**-0.5 * (step * warmup**-1.5 if rising else step**-0.5)


def rate_whole_warmup(step, d_model, warmup, factor):
    return noam_rate(step, d_model, int(warmup), factor)


TAUGHT = (
    decoder_layer,
    encoder_layer,
    label_smoothed_loss,
    make_masks,
    multi_head_attention,
    noam_rate,
    positional_encoding,
)
# What cannot spoil these: masks and whole numbers have no gradient; a single number has no axis to lose or to turn.
HARMLESS = {
    "positional_encoding": ("second_argument_detached",),
    "make_masks": ("detached",),
    "label_smoothed_loss": ("second_argument_detached", "squeezed", "upside_down"),
}


def _answers(prefix: str) -> list:
    return [value for name, value in globals().items() if name.startswith(f"{prefix}_") and value not in TAUGHT]


def _spoiled(right) -> list:
    return [wrong for wrong in spoiled(right) if not wrong.__name__.endswith(HARMLESS.get(right.__name__, "-"))]


WRONG = {
    "transformer.multi_head_attention": [*_answers("heads"), *_spoiled(multi_head_attention)],
    "transformer.positional_encoding": [*_answers("positions"), *_spoiled(positional_encoding)],
    "transformer.make_masks": [*_answers("masks"), *_spoiled(make_masks)],
    "transformer.encoder_layer": [*_answers("encoder"), *_spoiled(encoder_layer)],
    "transformer.decoder_layer": [*_answers("decoder"), *_spoiled(decoder_layer)],
    "transformer.label_smoothed_loss": [*_answers("loss"), *_spoiled(label_smoothed_loss)],
    "transformer.noam_rate": [*_answers("rate"), *_spoiled(noam_rate)],
}
