"""What goes wrong in a general score and in a weight of local attention that are worked out by hand."""

SCORE, WEIGHT = 14.0, 0.2597


def matrix_turned_round():
    """In (a) the matrix was turned round: rows and columns have changed places. h_tᵀ stands on its left."""
    return 7.0, WEIGHT


def matrix_left_out():
    """In (a) this is the dot score: the matrix plays no part."""
    return -1.0, WEIGHT


def score_divided():
    """In (a) the score was divided by √2. Luong's scores are not scaled."""
    return 9.9, WEIGHT


def tanh_in_score():
    """In (a) a tanh was taken before the last product. The general score is linear in both states."""
    return 3.96, WEIGHT


def no_gaussian():
    """In (b) this is align alone. The weight is align times the Gaussian."""
    return SCORE, 0.8


def sigma_is_D():
    """In (b) the standard deviation was taken to be D. It is half of it."""
    return SCORE, 0.60


def half_the_denominator():
    """In (b) the Gaussian was divided by 4. Below the fraction stands 2 σ², and σ is D/2."""
    return SCORE, 0.08


def distance_not_squared():
    """In (b) the distance was not squared."""
    return SCORE, 0.55


def counted_from_one():
    """In (b) the positions were counted from 1. Here they count from 0: the fourth word is s = 3."""
    return SCORE, 0.49


def tanh_of_position_left_out():
    """In (b) the tanh is missing in p. W_p h_t goes through it before v_p comes."""
    return SCORE, 0.23


def length_minus_one():
    """In (b) the length was taken to be 7. p is a share of the number of words."""
    return SCORE, 0.42


def sigmoid_left_out():
    """In (b) the sigmoid is missing in p: 8 times a number above 1 lies behind the sentence."""
    return SCORE, 0.01


BY_HAND = (
    matrix_turned_round,
    matrix_left_out,
    score_divided,
    tanh_in_score,
    no_gaussian,
    sigma_is_D,
    half_the_denominator,
    distance_not_squared,
    counted_from_one,
    tanh_of_position_left_out,
    length_minus_one,
    sigmoid_left_out,
)
