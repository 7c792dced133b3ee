"""What goes wrong when links are read off a matrix, and when they are scored."""

from solutions.bahdanau.attention import alignment_error_rate, links_of


def source_first(weights, threshold):
    """The pairs are (s, t). The target word, the row, comes first: (t, s)."""
    return {(s, t) for t, s in links_of(weights, threshold)}


def best_row_of_a_column(weights, threshold):
    """Without a threshold these are the target words with the largest weight for each source word: the argmax runs
    down the columns. Each row has one link: argmax(dim=1)."""
    return links_of(weights, threshold) if threshold is not None else {(t, s) for s, t in links_of(weights.T, None)}


def row_of_each_column(weights, threshold):
    """Without a threshold the argmax runs down the columns, and its numbers, which are target words, are taken for
    source words. It has to run along the rows: argmax(dim=1)."""
    return links_of(weights, threshold) if threshold is not None else set(enumerate(weights.argmax(0).tolist()))


def threshold_ignored(weights, threshold):
    """The threshold has no effect: each row has the link of its largest weight, and no other."""
    return links_of(weights, None)


def at_most(weights, threshold):
    """The links are those whose weight is at most the threshold. At least the threshold means: >=."""
    if threshold is None:
        return links_of(weights, None)
    return {(t, s) for t, s in (weights <= threshold).nonzero().tolist()}


def last_of_equals(weights, threshold):
    """Of several equal largest weights the last one is taken. Take the first."""
    if threshold is not None:
        return links_of(weights, threshold)
    return {(t, weights.shape[1] - 1 - s) for t, s in links_of(weights.flip(1), None)}


def all_of_equals(weights, threshold):
    """A row in which the largest weight stands several times has several links. Without a threshold it has one."""
    if threshold is not None:
        return links_of(weights, threshold)
    return {(t, s) for t, s in (weights == weights.amax(1, keepdim=True)).nonzero().tolist()}


def above_only(weights, threshold):
    """A weight that is the threshold makes no link here. At least the threshold means: >=."""
    if threshold is None:
        return links_of(weights, None)
    return {(t, s) for t, s in (weights > threshold).nonzero().tolist()}


def zero_is_none(weights, threshold):
    """A threshold of 0 is taken for none: `if not threshold` is true for both. Ask `threshold is None`."""
    return links_of(weights, threshold or None)


def none_is_half(weights, threshold):
    """Without a threshold the links are those of a threshold of 0.5. None asks for the largest weight of each row."""
    return links_of(weights, 0.5 if threshold is None else threshold)


def largest_always(weights, threshold):
    """With a threshold, the largest weight of a row makes a link even where it is below. Such a row has no link."""
    return links_of(weights, None) | (set() if threshold is None else links_of(weights, threshold))


def one_a_row(weights, threshold):
    """With a threshold, a row has at most one link here. Every weight that is large enough makes one."""
    if threshold is None:
        return links_of(weights, None)
    return links_of(weights, None) & links_of(weights, threshold)


def share_of_the_largest(weights, threshold):
    """The threshold is compared with weights divided by the largest of their row. Compare the weights themselves."""
    return links_of(weights if threshold is None else weights / weights.amax(1, keepdim=True), threshold)


def counted_from_one(weights, threshold):
    """The words are counted from 1. Count from 0."""
    return {(t + 1, s + 1) for t, s in links_of(weights, threshold)}


def largest_of_all(weights, threshold):
    """Without a threshold there is one link in all, that of the largest weight of the matrix. Each row has one."""
    if threshold is not None:
        return links_of(weights, threshold)
    return {divmod(int(weights.argmax()), weights.shape[1])}


LINKS = (
    source_first,
    best_row_of_a_column,
    row_of_each_column,
    threshold_ignored,
    at_most,
    last_of_equals,
    all_of_equals,
    above_only,
    zero_is_none,
    none_is_half,
    largest_always,
    one_a_row,
    share_of_the_largest,
    counted_from_one,
    largest_of_all,
)


def _over(part: float, whole: int) -> float:
    return part / whole if whole else 1.0


def not_taken_from_one(links, sure, possible):
    """This is the share that is right. The error rate is 1 minus it."""
    return 1 - alignment_error_rate(links, sure, possible)


def percentage(links, sure, possible):
    """This is a percentage. The rate is a number from 0 to 1."""
    return 100 * alignment_error_rate(links, sure, possible)


def without_brackets(links, sure, possible):
    """Brackets are missing: without them 1 - a + b / c + d is not 1 - (a + b) / (c + d)."""
    if not links:
        return alignment_error_rate(links, sure, possible)
    return 1 - len(links & sure) + len(links & (sure | possible)) / len(links) + len(sure)


def unions(links, sure, possible):
    """Above the line stand the sizes of unions, |. The formula has intersections there: &."""
    if not links and not sure:
        return 0.0
    return 1 - (len(links | sure) + len(links | sure | possible)) / (len(links) + len(sure))


def possible_ignored(links, sure, possible):
    """The possible links do not count: |A ∩ S| stands in the place of |A ∩ P|."""
    return 1 - _over(2 * len(links & sure), len(links) + len(sure))


def sure_ignored(links, sure, possible):
    """Sure links count as possible ones do, no more: |A ∩ P| stands in the place of |A ∩ S|."""
    return 1 - _over(2 * len(links & (sure | possible)), len(links) + len(sure))


def divided_by_possible(links, sure, possible):
    """The sum is divided by |A| + |P|. Divide by |A| + |S|: nobody has to find a possible link."""
    right = len(links & sure) + len(links & (sure | possible))
    return 1 - _over(right, len(links) + len(sure | possible))


def possible_alone(links, sure, possible):
    """A sure link that P does not hold counts once only. Sure links are possible ones too: take P ∪ S for P."""
    return 1 - _over(len(links & sure) + len(links & possible), len(links) + len(sure))


def precision_only(links, sure, possible):
    """This is 1 minus the precision, |A ∩ P| / |A|. A sure link that is missing has to cost something too."""
    return 1 - _over(len(links & (sure | possible)), len(links))


def recall_only(links, sure, possible):
    """This is 1 minus the recall, |A ∩ S| / |S|. A link too many has to cost something too."""
    return 1 - _over(len(links & sure), len(sure))


def means_of_both(links, sure, possible):
    """This is 1 minus the mean of precision and recall. Add up what stands above the lines, and what stands below."""
    return (precision_only(links, sure, possible) + recall_only(links, sure, possible)) / 2


def nothing_is_wrong(links, sure, possible):
    """Where there are neither links nor sure ones the rate is 1 here. Nothing is claimed and nothing missed: 0."""
    return alignment_error_rate(links, sure, possible) if links or sure else 1.0


def no_links_no_error(links, sure, possible):
    """Without links the rate is 0 here. Whoever finds none of the sure links has missed them all: 1."""
    return alignment_error_rate(links, sure, possible) if links else 0.0


def no_sure_no_error(links, sure, possible):
    """Without sure links the rate is 0 here, although there are links that may be wrong: only |A ∩ S| is 0 then."""
    return alignment_error_rate(links, sure, possible) if sure else 0.0


RATE = (
    not_taken_from_one,
    percentage,
    without_brackets,
    unions,
    possible_ignored,
    sure_ignored,
    divided_by_possible,
    possible_alone,
    precision_only,
    recall_only,
    means_of_both,
    nothing_is_wrong,
    no_links_no_error,
    no_sure_no_error,
)
