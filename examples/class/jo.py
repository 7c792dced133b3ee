"""Jo's beam search ends with the first finished hypothesis."""

import torch

EXPECTED = {"encoder_decoder.beam_search": ("some", ["stops_at_first"])}


def beam_search(step, bos, eos, beam, max_len, alpha):
    active, pool = [(0.0, [bos])], []
    for _ in range(max_len):
        log_p = step(torch.tensor([tokens for _, tokens in active])).tolist()
        grown = [
            (score + p, [*tokens, word])
            for (score, tokens), row in zip(active, log_p, strict=True)
            for word, p in enumerate(row)
        ]
        best = sorted(grown, reverse=True)[:beam]
        pool += [hypothesis for hypothesis in best if hypothesis[1][-1] == eos]
        active = [hypothesis for hypothesis in best if hypothesis[1][-1] != eos]
        if pool or not active:
            break
    score, tokens = max((score / (len(tokens) - 1) ** alpha, tokens[1:]) for score, tokens in pool or active)
    return tokens, score
