"""What goes wrong in the numbers that are worked out by hand."""


def no_tanh_by_hand():
    """In (a) the tanh after the sum is missing: h* = tanh(r)."""
    return 0.8, 7.0


def tanh_of_each_by_hand():
    """In (a) the tanh was taken of each state before the sum. The states themselves are weighed, then the tanh."""
    return 0.194, 7.0


def padding_by_hand():
    """In (a) the fourth word has weight, although it is padding. Leave it out of the sum of the exponentials."""
    return -0.922, 7.0


def mean_by_hand():
    """In (a) all words have the same weight. The weights are the softmax of the scores."""
    return 0.762, 7.0


def not_divided_by_hand():
    """In (a) the exponentials were not divided by their sum. The weights add up to 1."""
    return 0.999, 7.0


def empty_sentence_by_hand():
    """In (b) the empty sentence has weight. It has a score, and still does not count: its weight is 0."""
    return 0.664, 2.333


def sentences_averaged_by_hand():
    """In (b) the sentences have the same weight. Weigh them with the softmax of their scores."""
    return 0.664, 5.5


def words_averaged_by_hand():
    """In (b) the words of the first sentence have the same weight. Theirs are given."""
    return 0.664, 6.6


def weights_exchanged_by_hand():
    """In (b) the weights of the two sentences have changed places: the higher score has the larger weight."""
    return 0.664, 4.0


def document_not_divided_by_hand():
    """In (b) the exponentials of the sentences were not divided by their sum. The weights add up to 1."""
    return 0.664, 35.0


BY_HAND = (
    no_tanh_by_hand,
    tanh_of_each_by_hand,
    padding_by_hand,
    mean_by_hand,
    not_divided_by_hand,
    empty_sentence_by_hand,
    sentences_averaged_by_hand,
    words_averaged_by_hand,
    weights_exchanged_by_hand,
    document_not_divided_by_hand,
)
