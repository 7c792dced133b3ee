"""What goes wrong between the two levels of a hierarchy: which weights, which mask, which vectors are whose."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from autograder.checks.bahdanau import softmax_mistakes as masking
from autograder.checks.pooling.mistakes import Pool, itself, uniform, with_softmax
from solutions.bahdanau.attention import masked_softmax
from solutions.pooling.attention import hierarchical_attention

YANG = Pool()


def any_word(mask: Tensor) -> Tensor:
    return mask.any(-1)


def keep(*results):
    return results


@dataclass(frozen=True)
class Hierarchy:
    """Two levels in parts, each of which can be put wrong."""

    words: Callable = YANG
    sentences: Callable = YANG
    between: Callable = lambda vectors, mask: vectors  # what becomes of the sentences' vectors before the second level
    not_empty: Callable = any_word
    second: Callable = lambda first, second: second  # the weights of the second level
    results: Callable = keep

    def __call__(self, H, W_w, b_w, u_w, W_s, b_s, u_s, mask, sentence_encoder=None):
        B, N, T, _ = H.shape
        mask = torch.ones(B, N, T, dtype=torch.bool) if mask is None else mask
        vectors, weights = self.words(H.reshape(B * N, T, -1), W_w, b_w, u_w, mask.reshape(B * N, T))
        weights = weights.reshape(B, N, -1)
        vectors = self.between(vectors.reshape(B, N, -1), mask)
        level = self.second((W_w, b_w, u_w), (W_s, b_s, u_s))
        document, sentences = self.sentences(vectors, *level, self.not_empty(mask))
        return self.results(document, weights, sentences)


def both(softmax: Callable) -> Callable:
    """Return the hierarchy in which both levels have this masked softmax."""
    return Hierarchy(words=Pool(softmax=softmax), sentences=Pool(softmax=softmax))


SOFTMAX = (
    masking.mask_ignored,
    masking.mask_upside_down,
    masking.scores_times_mask,
    masking.filled_and_masked,
    masking.small_fill,
    masking.mask_after_softmax,
    masking.first_axis,
    *masking.FIRST_AXIS_FILLED,
    masking.no_maximum,
    masking.epsilon_in_denominator,
    masking.empty_rows_uniform,
    masking.fills_where_true,
    masking.fills_the_rest,
    masking.sigmoid_weights,
    masking.not_divided,
)


def empty_sentences_nan(*arguments):
    """A sentence without words gives NaN: the softmax of -inf alone is 0/0. And 0 times NaN is NaN: it spoils the whole
    document, whatever the weight of the sentence. Such a sentence has to give zeros."""
    return both(masking.empty_rows_nan)(*arguments)


def words_uniform_where_empty(*arguments):
    """The words of an empty sentence get equal weights: all their scores had the same fill. They have to be zeros;
    multiply by the mask after the softmax."""
    return Hierarchy(words=Pool(softmax=masking.empty_rows_uniform))(*arguments)


def words_not_masked(*arguments):
    """The words are not masked: padding gets weight in its sentence. The mask belongs to both levels."""
    return Hierarchy(words=Pool(softmax=masking.mask_ignored))(*arguments)


def sentences_not_masked(*arguments):
    """The sentences are not masked: empty ones take weight away from the others. A vector of zeros has a score too,
    tanh(b_s) · u_s. A sentence counts where any of its words does."""
    return Hierarchy(sentences=Pool(softmax=masking.mask_ignored))(*arguments)


def sentences_masked_late(*arguments):
    """The weights of empty sentences are set to 0 after the softmax, and nothing is divided again: those of the others
    no longer sum to 1."""
    return Hierarchy(sentences=Pool(softmax=masking.mask_after_softmax))(*arguments)


def words_masked_late(*arguments):
    """The weights of padded words are set to 0 after the softmax, and nothing is divided again: those of the others no
    longer sum to 1."""
    return Hierarchy(words=Pool(softmax=masking.mask_after_softmax))(*arguments)


def full_sentences_only(*arguments):
    """Only sentences without any padding count: `mask.all`. A sentence counts where any word does: `mask.any`."""
    return Hierarchy(not_empty=lambda mask: mask.all(-1))(*arguments)


def first_word_decides(*arguments):
    """Whether a sentence is empty is read off its first word, `mask[..., 0]`. Words can be masked anywhere: a sentence
    counts where any of its words does."""
    return Hierarchy(not_empty=lambda mask: mask[..., 0])(*arguments)


def any_over_sentences(*arguments):
    """The mask of the sentences is taken along the wrong axis: `mask.any(1)` says where any sentence has a word. It
    runs only where N and T happen to be equal. The words are the last axis: `mask.any(-1)`."""
    return Hierarchy(not_empty=lambda mask: mask.any(1))(*arguments)


def words_twice(*arguments):
    """The sentences are weighed with the words' W, b and u. They have their own: W_s, b_s, u_s."""
    return Hierarchy(second=lambda first, second: first)(*arguments)


def word_context_for_sentences(*arguments):
    """The sentences are asked with the words' context vector, u_w. They have their own, u_s."""
    return Hierarchy(second=lambda first, second: (*second[:2], first[2]))(*arguments)


def levels_swapped(H, W_w, b_w, u_w, W_s, b_s, u_s, mask, sentence_encoder=None):
    """The two levels have changed places: the words are weighed with W_s, b_s, u_s. `w` stands for words, `s` for
    sentences."""
    return hierarchical_attention(H, W_s, b_s, u_s, W_w, b_w, u_w, mask)


def words_of_all_sentences(*arguments):
    """One softmax runs over the words of all sentences of a document. Each sentence has its own: the words of each get
    weights that sum to 1."""
    sentences = arguments[0].shape[1]

    def softmax(scores, mask):
        together = masked_softmax(
            scores.unflatten(0, (-1, sentences)).flatten(1), mask.unflatten(0, (-1, sentences)).flatten(1)
        )
        return together.unflatten(1, (sentences, -1)).flatten(0, 1)

    return Hierarchy(words=Pool(softmax=softmax))(*arguments)


def words_averaged(*arguments):
    """The words of a sentence all get the same weight: a sentence's vector is their mean. The words have an attention
    of their own."""
    return Hierarchy(words=Pool(softmax=uniform))(*arguments)


def sentences_averaged(*arguments):
    """The sentences all get the same weight: the document is their mean. There is a second level of attention."""
    return Hierarchy(sentences=Pool(softmax=uniform))(*arguments)


def means_everywhere(*arguments):
    """All weights are equal, of words and of sentences: these are means. Both levels have an attention."""
    return Hierarchy(words=Pool(softmax=uniform), sentences=Pool(softmax=uniform))(*arguments)


def sentences_added_up(*arguments):
    """The sentences' vectors are added up without their weights. The document is Σ α_i s_i."""
    return Hierarchy(sentences=Pool(add=lambda weights, vectors: vectors.sum(1)))(*arguments)


def no_tanh_in_either(*arguments):
    """The tanh is missing in both levels: tanh(W h + b) · u."""
    return Hierarchy(words=Pool(squash=itself), sentences=Pool(squash=itself))(*arguments)


def tanh_after_context_in_both(*arguments):
    """In both levels the tanh comes after the product with the context vector. It stands inside: tanh(W h + b) · u."""
    level = Pool(squash=itself, outside=torch.tanh)
    return Hierarchy(words=level, sentences=level)(*arguments)


def biases_forgotten(*arguments):
    """b_w and b_s play no part. They stand inside the tanh: tanh(W h + b)."""
    level = Pool(project=lambda H, W, b: H @ W.T)
    return Hierarchy(words=level, sentences=level)(*arguments)


def matrices_not_transposed(*arguments):
    """W_w and W_s are applied without a transpose. They are stored as (out, in): H @ W.T + b."""
    level = Pool(project=lambda H, W, b: H @ W + b)
    return Hierarchy(words=level, sentences=level)(*arguments)


def both_scaled(*arguments):
    """The scores of both levels are divided by a square root of the width. Yang's scores are not scaled."""
    level = Pool(scale=len(arguments[3]) ** -0.5)
    return Hierarchy(words=level, sentences=level)(*arguments)


def sentences_squashed(*arguments):
    """There is a tanh around the sentences' vectors. That is Zhou's pooling: here a sentence is the sum itself."""
    return Hierarchy(between=lambda vectors, mask: vectors.tanh())(*arguments)


def document_squashed(*arguments):
    """There is a tanh around the document's vector. That is Zhou's pooling: here the document is the sum itself."""
    return Hierarchy(sentences=Pool(after=torch.tanh))(*arguments)


def axes_of_words_and_sentences_mixed(H, *rest):
    """The sentences are cut out of H wrongly: the axes of words and sentences are swapped, and `reshape` then mixes the
    words of different sentences. H is (B, N, T, d): flatten its first two axes and nothing else."""
    return Hierarchy()(H.transpose(1, 2).reshape(H.shape), *rest)


def first_document(H, *rest):
    """All documents get the words of the first. Each has its own."""
    return Hierarchy()(H[:1].expand_as(H), *rest)


def words_weighted_twice(*arguments):
    """The weights of the words are multiplied by those of their sentences. Return them as they are: they sum to 1 in
    each sentence."""
    return Hierarchy(results=lambda d, words, sentences: (d, words * sentences[..., None], sentences))(*arguments)


def words_in_one_row(*arguments):
    """The weights of the words are (B·N, T): the axis of the documents is lost. Unfold it again: (B, N, T)."""
    return Hierarchy(results=lambda d, words, sentences: (d, words.flatten(0, 1), sentences))(*arguments)


def weights_swapped(*arguments):
    """The weights have changed places. After the document come those of the words, then those of the sentences."""
    return Hierarchy(results=lambda d, words, sentences: (d, sentences, words))(*arguments)


def document_last(*arguments):
    """The document comes last. It comes first: document, weights of the words, weights of the sentences."""
    return Hierarchy(results=lambda d, words, sentences: (words, sentences, d))(*arguments)


SENTENCES = (
    sentences_not_masked,
    sentences_masked_late,
    full_sentences_only,
    first_word_decides,
    any_over_sentences,
    words_twice,
    word_context_for_sentences,
    levels_swapped,
    sentences_averaged,
    sentences_added_up,
    sentences_squashed,
    document_squashed,
    words_weighted_twice,
)

HIERARCHY = (
    *(with_softmax(softmax, both) for softmax in SOFTMAX),
    empty_sentences_nan,
    words_uniform_where_empty,
    words_not_masked,
    words_masked_late,
    words_of_all_sentences,
    words_averaged,
    means_everywhere,
    no_tanh_in_either,
    tanh_after_context_in_both,
    biases_forgotten,
    matrices_not_transposed,
    both_scaled,
    axes_of_words_and_sentences_mixed,
    first_document,
    words_in_one_row,
    weights_swapped,
    document_last,
    *SENTENCES,
)
