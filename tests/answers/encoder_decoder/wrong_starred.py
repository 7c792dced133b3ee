"""Wrong answers to the starred tasks and to the repair of the search that are no known mistake."""

import torch
import torch.nn.functional as F

from autograder.checks.encoder_decoder.hunt import bigram_search
from solutions.encoder_decoder.attention import gru_step, gru_step_backward, nucleus
from tests.answers.not_by_hand import not_by_hand

_memory: dict = {}


def nucleus_top_two(logits, p):
    edge = logits.topk(2, dim=-1).values[:, -1:]
    return logits.masked_fill(logits < edge, -torch.inf).softmax(-1)


def nucleus_no_softmax(logits, p):
    ranked, words = logits.sort(dim=-1, descending=True)
    kept = ranked * (ranked.cumsum(-1) - ranked < p)
    return torch.zeros_like(logits).scatter(-1, words, kept / kept.sum(-1, keepdim=True))


def nucleus_logits_zeroed(logits, p):
    return (logits * (nucleus(logits, p) > 0)).softmax(-1)


def nucleus_mask(logits, p):
    return nucleus(logits, p) > 0


def nucleus_logits_come_back(logits, p):
    return logits.masked_fill(nucleus(logits, p) == 0, -1e9)


def nucleus_own_exp(logits, p):
    exp = logits.exp()
    return nucleus((exp / exp.sum(-1, keepdim=True)).log(), p)


def nucleus_over_the_batch(logits, p):
    return nucleus(logits.T, p).T


def nucleus_word(logits, p):
    return torch.multinomial(nucleus(logits, p), 1)


def nucleus_one_minus(logits, p):
    return nucleus(logits, 1 - p)


def nucleus_half_when_one(logits, p):
    return nucleus(logits, min(p, 0.95))


def nucleus_at_least_two(logits, p):
    ranked, words = logits.softmax(-1).sort(dim=-1, descending=True)
    kept = ranked.cumsum(-1) - ranked < p
    kept[:, :2] = True
    new = torch.zeros_like(ranked).scatter(-1, words, ranked * kept)
    return new / new.sum(-1, keepdim=True)


def nucleus_inverse_order(logits, p):
    ranked, words = logits.softmax(-1).sort(dim=-1, descending=True)
    kept = ranked * (ranked.cumsum(-1) - ranked < p)
    return (kept / kept.sum(-1, keepdim=True)).gather(-1, words)


def nucleus_rest_shared(logits, p):
    kept = logits.softmax(-1) * (nucleus(logits, p) > 0)
    return kept + (1 - kept.sum(-1, keepdim=True)) / (kept > 0).sum(-1, keepdim=True) * (kept > 0)


def nucleus_sharpened(logits, p):
    kept = nucleus(logits, p) ** 2
    return kept / kept.sum(-1, keepdim=True)


def nucleus_smallest_row(logits, p):
    count = int((nucleus(logits, p) > 0).sum(-1).min())
    edge = logits.topk(count, dim=-1).values[:, -1:]
    return logits.masked_fill(logits < edge, -torch.inf).softmax(-1)


def nucleus_rounded(logits, p):
    return (nucleus(logits, p) * 100).round() / 100


def nucleus_in_place(logits, p):
    result = nucleus(logits, p)
    logits[result == 0] = -1e9
    return result


def nucleus_remembers(logits, p):
    return _memory.setdefault(("nucleus", tuple(logits.shape)), nucleus(logits, p)) * 1 + 0 * p


def nucleus_small_left(logits, p):
    return 0.999 * nucleus(logits, p) + 0.001 / logits.shape[1]


def nucleus_the_argument(logits, p):
    return logits


def nucleus_nan(logits, p):
    return torch.full_like(logits, torch.nan)


NUCLEUS = [value for name, value in list(globals().items()) if name.startswith("nucleus_")]


def _autograd(gradient, *arguments):
    with torch.enable_grad():
        given = [each.clone().requires_grad_() for each in arguments]
        return torch.autograd.grad((gru_step(*given) * gradient).sum(), given)


def back_autograd(gradient, x, h, W, R, b, c):
    return _autograd(gradient, x, h, W, R, b, c)


def back_backward(gradient, x, h, W, R, b, c):
    leaves = [each.detach().clone().requires_grad_(True) for each in (x, h, W, R, b, c)]
    gru_step(*leaves).backward(gradient)
    return tuple(each.grad for each in leaves)


def back_ones(gradient, x, h, W, R, b, c):
    return gru_step_backward(torch.ones_like(gradient), x, h, W, R, b, c)


def _changed(place, change):
    def answer(gradient, x, h, W, R, b, c):
        right = list(gru_step_backward(gradient, x, h, W, R, b, c))
        right[place] = change(right[place])
        return tuple(right)

    return answer


def back_biases_of_the_batch(gradient, x, h, W, R, b, c):
    *rest, d_b, d_c = gru_step_backward(gradient, x, h, W, R, b, c)
    return (*rest, d_b.expand(len(x), -1), d_c.expand(len(x), -1))


def back_another_order(gradient, x, h, W, R, b, c):
    d_x, d_h, d_W, d_R, d_b, d_c = gru_step_backward(gradient, x, h, W, R, b, c)
    return d_h, d_x, d_R, d_W, d_c, d_b


def back_five(gradient, x, h, W, R, b, c):
    return gru_step_backward(gradient, x, h, W, R, b, c)[:5]


def back_one_tensor(gradient, x, h, W, R, b, c):
    return torch.cat([each.flatten() for each in gru_step_backward(gradient, x, h, W, R, b, c)])


def back_the_arguments(gradient, x, h, W, R, b, c):
    return x, h, W, R, b, c


def back_zeros(gradient, x, h, W, R, b, c):
    return tuple(map(torch.zeros_like, (x, h, W, R, b, c)))


def back_finite_differences(gradient, *arguments):
    results = []
    for place, tensor in enumerate(arguments):
        result = torch.zeros_like(tensor)
        for index in range(tensor.numel()):
            moved = [each.clone() for each in arguments]
            moved[place].view(-1)[index] += 0.05
            result.view(-1)[index] = ((gru_step(*moved) - gru_step(*arguments)) * gradient).sum() / 0.05
        results.append(result)
    return tuple(results)


def back_gates_swapped(gradient, x, h, W, R, b, c):
    U = h.shape[1]
    order = torch.cat([torch.arange(U, 2 * U), torch.arange(U), torch.arange(2 * U, 3 * U)])
    return gru_step_backward(gradient, x, h, W[order], R[order], b[order], c[order])


def back_as_cho(gradient, x, h, W, R, b, c):
    return gru_step_backward(gradient, x, h, W, R, b + c, 0 * c)


def back_in_place(gradient, x, h, W, R, b, c):
    right = gru_step_backward(gradient, x, h, W, R, b, c)
    gradient *= 0
    return right


def back_first_sentence(gradient, x, h, W, R, b, c):
    d_x, d_h, *_ = gru_step_backward(gradient, x, h, W, R, b, c)
    return (d_x, d_h, *gru_step_backward(gradient[:1], x[:1], h[:1], W, R, b, c)[2:])


def back_no_bias(gradient, x, h, W, R, b, c):
    return gru_step_backward(gradient, x, h, W, R, 0 * b, 0 * c)


def back_noisy(gradient, x, h, W, R, b, c):
    return tuple(each + 0.01 for each in gru_step_backward(gradient, x, h, W, R, b, c))


BACKWARD = {
    **not_by_hand(gru_step, range(6)),
    **{name: value for name, value in list(globals().items()) if name.startswith("back_")},
    **{f"{part} doubled": _changed(place, lambda each: 2 * each) for place, part in enumerate("xhWRbc")},
    **{f"{part} turned round": _changed(place, lambda each: -each) for place, part in enumerate("xhWRbc")},
    **{f"{part} dropped out": _changed(place, F.dropout) for place, part in enumerate("xhWRbc")},
}


def search_normalises_nothing_that_ended(table, bos, eos, beam, max_len, alpha):
    tokens, score = bigram_search(table, bos, eos, beam, max_len, alpha)
    return tokens, score * len(tokens) ** alpha if tokens[-1] == eos else score


def search_normalises_nothing_that_did_not_end(table, bos, eos, beam, max_len, alpha):
    tokens, score = bigram_search(table, bos, eos, beam, max_len, alpha)
    return tokens, score if tokens[-1] == eos else score * len(tokens) ** alpha


def search_alpha_doubled(table, bos, eos, beam, max_len, alpha):
    return bigram_search(table, bos, eos, beam, max_len, 2 * alpha)


def search_narrower(table, bos, eos, beam, max_len, alpha):
    return bigram_search(table, bos, eos, 1, max_len, alpha)


def search_swapped(table, bos, eos, beam, max_len, alpha):
    return bigram_search(table, bos, eos, beam, max_len, alpha)[::-1]


SEARCH = [value for name, value in list(globals().items()) if name.startswith("search_")]

WRONG = {
    "encoder_decoder.nucleus": NUCLEUS,
    "encoder_decoder.gru_step_backward": BACKWARD,
    "encoder_decoder.repaired_search": SEARCH,
}
