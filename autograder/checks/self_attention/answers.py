"""What earns all points in the questions that a person grades, and how many points for what."""

from autograder.checks import Written

PROOF = """\
(a) $q \\cdot k = \\sum_{i=1}^{d} q_i k_i$. A product of independent numbers has the product of their means as its mean:
$E[q_i k_i] = E[q_i]\\,E[k_i] = 0$, so the sum has mean 0.

(b) With mean 0 the variance is the mean of the square:
$\\operatorname{Var}(q_i k_i) = E[q_i^2 k_i^2] = E[q_i^2]\\,E[k_i^2] = 1 \\cdot 1 = 1$. The $d$ products are independent
of each other, so their variances add up: $\\operatorname{Var}(q \\cdot k) = d$.

(c) Dividing by $c$ divides the variance by $c^2$: by $\\sqrt d$, it is $d / d = 1$ at every width; by $d$, it would be
$d / d^2 = 1/d$, and with wide keys all scores would be nearly equal, and so the weights."""

ORDER = """\
(a) Word $i$ of the shuffled sentence is word $\\pi(i)$ of the old one. Its query is the old query of $\\pi(i)$, and it
meets the same keys and values as before, in another order. A softmax and a sum do not care about the order of their
terms, so the result is the old context of $\\pi(i)$: the rows are shuffled as the words are, and nothing else changes.

(b) No. "not good, bad" and "not bad, good" hold the same words. Each word gets the same context in both, the mean of
the contexts is the same, and so is the verdict. The model needs something that depends on the place: positions."""

JACOBIAN = """\
(a) *2 points.* Let $Z = \\sum_m \\exp e_m$, so $a_i = \\exp(e_i) / Z$. The quotient rule gives
$\\partial a_i / \\partial e_j = \\delta_{ij} \\exp(e_i) / Z - \\exp(e_i) \\exp(e_j) / Z^2
= a_i (\\delta_{ij} - a_j)$.
1 point for $i = j$, $a_i(1 - a_i)$, and 1 point for $i \\neq j$, $-a_i a_j$, each with the step that leads to it. The
formula without a derivation: no point, it stands in the question.

(b) *1 point.* Each column sums to $\\sum_i a_i(\\delta_{ij} - a_j) = a_j - a_j = 0$, because the weights always sum to
1: what one word gains, the others lose. (Or by rows: the same number added to all scores changes nothing.)

(c) *2 points.* If $a_1$ is near 1, all other weights are near 0, and with them every entry: $a_1(1 - a_1)$ and each
product $a_i a_j$ has a factor near 0 (1 point). Hardly any gradient comes back to the scores, and so none to the query,
the keys, $W_q$ and $W_k$: the word that is looked at stays the one, even where it is the wrong one. Dividing by
$\\sqrt{d_k}$ keeps the scores small, and the softmax away from there (1 point for what it means for learning; the root
need not be named)."""

WRITTEN = {
    "variance": Written(
        points=3,
        text=PROOF,
        rubric={
            "(a) the mean: products of independent numbers have the product of the means": 1,
            "(b) the variance of one product is 1, and the d of them add up": 1,
            "(b) half: d, without why the variances add up": 0.5,
            "(c) by √d the variance is 1 at every width; by d it is 1/d": 1,
            "(c) half: one of the two divisors": 0.5,
        },
    ),
    "order": Written(
        points=2,
        text=ORDER,
        rubric={
            "(a) the same keys and values in another order: the rows are shuffled as the words are": 1,
            "(b) no: same words, same mean of the contexts, same verdict; it needs positions": 1,
            "(b) half: no, without the reason": 0.5,
        },
    ),
    "jacobian": Written(
        points=5,
        text=JACOBIAN,
        rubric={
            "(a) i = j: a(1 − a), with the step that leads to it": 1,
            "(a) i ≠ j: −a_i a_j, with the step that leads to it": 1,
            "(b) the weights always sum to 1, so each column sums to 0": 1,
            "(c) near (1, 0, …, 0) every entry is near 0": 1,
            "(c) so hardly any gradient reaches the scores, and the wrong word stays the one": 1,
        },
    ),
}
