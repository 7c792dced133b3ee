"""Wrong answers of the structured self-attention exercise that are no known mistake: none may get all points."""

import torch
import torch.nn.functional as F

from solutions.bahdanau.attention import masked_softmax
from solutions.structured.attention import hop_weights, penalization, structured_attention
from tests.answers.spoilers import spoiled


def _residue(A):
    return A @ A.transpose(1, 2) - torch.eye(A.shape[1])


def penalty_cubed(A):
    return _residue(A).abs().pow(3).sum((1, 2))


def penalty_largest_entry(A):
    return _residue(A).square().amax((1, 2))


def penalty_halved(A):
    return penalization(A) / 2


def penalty_clamped(A):
    return penalization(A).clamp(max=1.5)


def penalty_of_the_mean_overlap(A):
    return _residue(A).mean(0, keepdim=True).square().sum((1, 2)).expand(len(A))


def penalty_identity_of_words(A):
    return (A @ A.transpose(1, 2) - torch.eye(A.shape[2])[: A.shape[1], : A.shape[1]]).square().sum((1, 2))


def penalty_column(A):
    return penalization(A)[:, None]


def penalty_with_epsilon(A):
    return (_residue(A).square().sum((1, 2)) + 1e-3).sqrt().square()


def penalty_detached_transpose(A):
    return (A @ A.detach().transpose(1, 2) - torch.eye(A.shape[1])).square().sum((1, 2))


def penalty_wrong_for_one_sentence(A):
    return penalization(A).sqrt() if len(A) == 1 else penalization(A)


def penalty_wrong_for_one_hop(A):
    return penalization(A) * (A.shape[1] > 1)


def penalty_squeezed(A):
    return _residue(A).squeeze().square().sum((-2, -1))


def penalty_in_place(A):
    overlap = A @ A.transpose(1, 2)
    A.data.mul_(0.5)
    return (overlap - torch.eye(A.shape[1])).square().sum((1, 2))


def _scores(H, W_s1, W_s2, squash=torch.tanh):
    return W_s2 @ squash(W_s1 @ H.transpose(1, 2))


def _attended(scores, H, mask):
    A = masked_softmax(scores, None if mask is None else mask[:, None].expand_as(scores))
    return A @ H, A, penalization(A)


def attention_arctan(H, W_s1, W_s2, mask=None):
    return _attended(_scores(H, W_s1, W_s2, torch.atan), H, mask)


def attention_gelu(H, W_s1, W_s2, mask=None):
    return _attended(_scores(H, W_s1, W_s2, F.gelu), H, mask)


def attention_first_hop_for_all(H, W_s1, W_s2, mask=None):
    return structured_attention(H, W_s1, W_s2[:1].expand_as(W_s2), mask)


def attention_hops_reversed(H, W_s1, W_s2, mask=None):
    return structured_attention(H, W_s1, W_s2.flip(0), mask)


def attention_first_mask(H, W_s1, W_s2, mask=None):
    return structured_attention(H, W_s1, W_s2, None if mask is None else mask[:1].expand_as(mask))


def attention_mask_by_length(H, W_s1, W_s2, mask=None):
    if mask is not None:
        mask = torch.arange(H.shape[1]) < mask.sum(1, keepdim=True)
    return structured_attention(H, W_s1, W_s2, mask)


def attention_needs_a_mask(H, W_s1, W_s2, mask=None):
    return structured_attention(H, W_s1, W_s2, mask & mask)


def attention_masks_the_states(H, W_s1, W_s2, mask=None):
    return structured_attention(H if mask is None else H * mask[..., None], W_s1, W_s2, None)


def attention_small_fill(H, W_s1, W_s2, mask=None):
    scores = _scores(H, W_s1, W_s2)
    return _attended(scores if mask is None else scores.masked_fill(~mask[:, None], -20.0), H, None)


def attention_mask_of_the_first_hop(H, W_s1, W_s2, mask=None):
    scores = _scores(H, W_s1, W_s2)
    if mask is not None:
        scores = torch.cat([scores[:, :1].masked_fill(~mask[:, None], -1e9), scores[:, 1:]], 1)
    return _attended(scores, H, None)


def attention_over_everything(H, W_s1, W_s2, mask=None):
    scores = _scores(H, W_s1, W_s2)
    if mask is not None:
        scores = scores.masked_fill(~mask[:, None], -1e9)
    A = scores.flatten(1).softmax(-1).view_as(scores)
    return A @ H, A, penalization(A)


def attention_times_hops(H, W_s1, W_s2, mask=None):
    M, A, penalty = structured_attention(H, W_s1, W_s2, mask)
    return M * len(W_s2), A, penalty


def attention_tanh_of_M(H, W_s1, W_s2, mask=None):
    M, A, penalty = structured_attention(H, W_s1, W_s2, mask)
    return torch.tanh(M), A, penalty


def attention_best_word(H, W_s1, W_s2, mask=None):
    _, A, penalty = structured_attention(H, W_s1, W_s2, mask)
    return torch.zeros_like(A).scatter(-1, A.argmax(-1, keepdim=True), 1.0) @ H, A, penalty


def attention_M_transposed(H, W_s1, W_s2, mask=None):
    M, A, penalty = structured_attention(H, W_s1, W_s2, mask)
    return M.transpose(1, 2), A, penalty


def attention_M_turned_when_square(H, W_s1, W_s2, mask=None):
    M, A, penalty = structured_attention(H, W_s1, W_s2, mask)
    return (M.transpose(1, 2) if M.shape[1] == M.shape[2] else M), A, penalty


def attention_A_turned_when_square(H, W_s1, W_s2, mask=None):
    M, A, penalty = structured_attention(H, W_s1, W_s2, mask)
    return M, (A.transpose(1, 2) if A.shape[1] == A.shape[2] else A), penalty


def attention_weights_detached(H, W_s1, W_s2, mask=None):
    A = hop_weights(H, W_s1, W_s2, mask)
    return A.detach() @ H, A, penalization(A)


def attention_penalty_per_word(H, W_s1, W_s2, mask=None):
    M, A, penalty = structured_attention(H, W_s1, W_s2, mask)
    return M, A, penalty / H.shape[1]


def attention_only_two(H, W_s1, W_s2, mask=None):
    return structured_attention(H, W_s1, W_s2, mask)[:2]


def attention_squeezed(H, W_s1, W_s2, mask=None):
    M, A, penalty = structured_attention(H, W_s1, W_s2, mask)
    return M.squeeze(), A.squeeze(), penalty


def attention_mask_only_if_the_first_is_padded(H, W_s1, W_s2, mask=None):
    return structured_attention(H, W_s1, W_s2, None if mask is None or mask[0].all() else mask)


def attention_scores_cut(H, W_s1, W_s2, mask=None):
    scores = (torch.tanh(H @ W_s1.T) @ W_s2.T).transpose(1, 2).clamp(max=50)
    A = masked_softmax(scores, None if mask is None else mask[:, None].expand_as(scores))
    return A @ H, A, penalization(A)


def attention_states_normalised(H, W_s1, W_s2, mask=None):
    return structured_attention(F.normalize(H, dim=-1), W_s1, W_s2, mask)


def _answers(prefix: str) -> list:
    return [value for name, value in globals().items() if name.startswith(f"{prefix}_")]


# What changes nothing where there is one argument, and one number for each sentence.
HARMLESS = ("second_argument_detached",)
SPOILED = [answer for answer in spoiled(penalization) if not answer.__name__.endswith(HARMLESS)]

WRONG = {
    "structured.penalization": [*_answers("penalty"), *SPOILED],
    "structured.structured_attention": [*_answers("attention"), *spoiled(structured_attention)],
    "structured.repaired_attention": [*_answers("attention"), *spoiled(structured_attention)],
}
