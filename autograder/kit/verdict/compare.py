"""Comparing a student's numbers with right ones and with those of known mistakes."""

from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from autograder.kit.verdict.answer import Answer, Failure
from autograder.kit.verdict.cases import EXACT, TOLERANCE, Case, Example

NO_GRADIENT = "no gradient reaches"
ZERO = 1e-6  # what rounding may leave of a 0
EXACT_ZERO = 1e-30  # is 0 beside any weight: a mask of -100 leaves more where padding scores higher by 40
ONE_DECIMAL = 0.051  # may be off, for one decimal that is rounded
LARGEST = 1 << 18  # elements of an output that is compared with known mistakes
SAME = 2e-5  # numbers of a known mistake: a near match is no match


def aligned(answer: Answer, case: Case | Example) -> list[np.ndarray] | None:
    """Return the outputs in their order, as a tuple, a list or alone; None if their number is wrong."""
    outputs = named(answer, case)
    return answer.outputs if isinstance(outputs, Failure) else list(outputs.values())


def named(answer: Answer, case: Case | Example) -> dict[str, np.ndarray] | Failure:
    """Return the outputs under their names, or a failure that says how many were expected."""
    names, given = list(case.outputs), answer.outputs or []
    if len(names) > 1:
        if answer.several and len(given) == len(names):
            pairs = zip(given, case.outputs.values(), strict=True)
            return dict(zip(names, (_compared(_number(*pair), pair[1]) for pair in pairs), strict=True))
        got = f"{len(given)} things" if answer.several else "one thing"
        return Failure("wrong", f"returns {got}, expected {len(names)}: ({', '.join(names)}).")
    if not answer.several and len(given) == 1:
        return {names[0]: _compared(given[0], case.outputs[names[0]])}
    if answer.apart:
        text = f"returns a tuple of {len(given)}, expected {names[0]} alone, as one tensor."
        return Failure("wrong", text)
    if len({row.shape for row in given}) > 1:
        text = f"returns {len(given)} things of different shapes, expected {names[0]} alone, every row of one length."
        return Failure("wrong", text)
    return {names[0]: _compared(np.stack(given), case.outputs[names[0]]) if given else np.zeros(0)}


def _number(array: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Return a tensor of one element as a number where a number is expected."""
    return array.reshape(()) if expected.ndim == 0 and array.size == 1 else array


def _compared(array: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Return an output with NaN where NaN is expected: values there are not compared."""
    free = np.isnan(expected)
    return np.where(free, np.nan, array) if free.any() and array.shape == expected.shape else array


def difference(expected: np.ndarray, got: np.ndarray, tolerance: float = TOLERANCE, exact: bool = False) -> str | None:
    """Return the difference in words that give no expected value away, None when the values agree.

    Where NaN is expected, nothing is compared. With `exact`, 1e-20 is not 0.
    """
    if is_text(expected):
        return None if is_text(got) and np.array_equal(expected, got) else "not the expected text"
    others = "not the expected values" if got.ndim else "not the expected value"
    if expected.dtype.kind == "b" and got.dtype.kind != "b":
        return "not boolean, True or False"
    if expected.dtype.kind in "iub":
        return None if np.array_equal(expected, got) else others
    return None if _is_right(expected, got, tolerance, exact) else _wrong(expected, got, tolerance, exact, others)


def _wrong(expected: np.ndarray, got: np.ndarray, tolerance: float, exact: bool, others: str) -> str | None:
    """Return the difference of two arrays of floats in words, None where there is none."""
    if (lost := np.isnan(got) & ~np.isnan(expected)).any():
        return f"NaN{_some(lost)}"
    if wrong := _infinities(expected, got):
        return wrong
    zero = expected == 0
    left = np.abs(got[zero].astype(np.float64)).max(initial=0)  # the smallest integer has no positive twin
    if left > (EXACT_ZERO if exact else ZERO):
        wrong = zero & (np.abs(got) > (ZERO if left > ZERO else EXACT_ZERO))
        complaint = "not 0 where it has to be" if left > ZERO else "nearly 0 where it has to be exactly 0"
        return complaint + (f", for instance at {np.argwhere(wrong)[0].tolist()}" if wrong.ndim else "")
    if not np.allclose(got[~zero], expected[~zero], rtol=tolerance, atol=tolerance, equal_nan=True):
        return others + _some(~zero & ~np.isclose(got, expected, rtol=tolerance, atol=tolerance, equal_nan=True), ~zero)
    return None


def _is_right(expected: np.ndarray, got: np.ndarray, tolerance: float, exact: bool) -> bool:
    """Return whether all numbers are finite and right: in a quarter of the time that it takes to find no difference."""
    with np.errstate(invalid="ignore", over="ignore"):
        gap = np.abs(got - expected)
        near = gap <= np.where(expected == 0, EXACT_ZERO if exact else ZERO, tolerance + tolerance * np.abs(expected))
    return bool(near.all() and np.isfinite(gap).all())


def _some(wrong: np.ndarray, compared: np.ndarray | None = None) -> str:
    """Return the number of wrong places and the first one; "" for a number, and if all are wrong."""
    count, all_of_them = np.count_nonzero(wrong), wrong.size if compared is None else np.count_nonzero(compared)
    first = np.argwhere(wrong)[0].tolist() if wrong.ndim else []
    return f" at {count} of {wrong.size} places, first at {first}" if first and count < all_of_them else ""


def by_hand(expected: np.ndarray, got: np.ndarray, tolerance: float) -> str | None:
    """Return a line on the right ones of several numbers by hand, or on a missing decimal; None for neither."""
    if tolerance <= TOLERANCE or expected.dtype.kind != "f" or not np.isfinite(got).all():
        return None
    right = np.isclose(got, expected, rtol=tolerance, atol=tolerance).ravel()
    if np.array_equal(np.round(got, 1), got.round(6)) and np.allclose(got, expected, rtol=0, atol=ONE_DECIMAL):
        return "right to one decimal: two are asked for"
    if right.any() and right.size > 1:
        places, others = (_listed(np.flatnonzero(each) + 1) for each in (right, ~right))
        return f"of {right.size} numbers, right: no. {places}; wrong: no. {others}"
    return None


def _listed(numbers: np.ndarray) -> str:
    *first, last = map(str, numbers)
    return f"{', '.join(first)} and {last}" if first else last


def _infinities(expected: np.ndarray, got: np.ndarray) -> str:
    """Return the complaint about an output's infinities, "" for none: -∞ may be expected, ∞ never is."""
    low = np.isneginf(expected)
    if (missing := np.argwhere(low & ~np.isneginf(got))).size:
        where = f", for instance at {missing[0].tolist()}" if expected.ndim else ""
        return f"not -∞ where it has to be{where}"
    infinite = np.isinf(got) & ~low
    if not infinite.any():
        return ""
    where_a_number_has_to_be = low.any() and not np.isposinf(got).any()
    return ("-∞ where a number has to be" if where_a_number_has_to_be else "an infinity") + _some(infinite)


def misshapen(name: str, got: np.ndarray, expected: np.ndarray) -> str:
    """Return the complaint about an output's shape."""
    if got.dtype.kind in "iu" and got.ndim == expected.ndim == 2 and got.shape[1] == expected.shape[1]:
        return f"{len(got)} {name}, expected {len(expected)}."  # a set of pairs
    return f"{name} has shape {got.shape}, expected {expected.shape}."


def gradient_difference(name: str, case: str, expected: np.ndarray | None, got: np.ndarray | None) -> str | None:
    """Return the complaint about the gradient of one argument, None for none; as a gradient, None means zeros."""
    if got is None:
        reached = expected is not None and np.any(np.abs(expected) > TOLERANCE)  # the noise of a 0 may reach 2e-6
        return f"{NO_GRADIENT} {name}." if reached else None
    if not np.isfinite(got).all():
        return f"the gradient of {name} holds NaN or infinity ({case})."
    right = np.zeros_like(got) if expected is None else expected
    if got.shape != right.shape or not _are_close(got, right, TOLERANCE):
        return f"the gradient of {name} is not the expected one ({case})."
    return None


def are_different(one: Answer, two: Answer) -> bool:
    """Return whether two answers to the same arguments differ by more than rounding, which LAPACK does not repeat."""
    if one.error or two.error or not one.outputs or not two.outputs or len(one.outputs) != len(two.outputs):
        return True
    return any(
        a.shape != b.shape or not (np.array_equal(a, b) or _are_close(a, b, EXACT))
        for a, b in zip(one.outputs, two.outputs, strict=True)
    )


def is_text(array: np.ndarray) -> bool:
    """Return whether an array is a text, as adapters make one: a row of numbers in a dtype that nothing else has."""
    return array.dtype == np.uint32 and array.ndim == 1


def are_same(one: Iterable[np.ndarray] | None, two: Iterable[np.ndarray] | None, near: float = SAME) -> bool:
    """Return whether two lists of outputs hold the same numbers, NaN for NaN; `near` is relative and absolute."""
    one, two = list(one or []), list(two or [])
    pairs = zip(one, two, strict=False)
    return len(one) == len(two) and all(a.shape == b.shape and _are_close(a, b, near) for a, b in pairs)


def nearness(tolerance: float) -> float:
    """Return the largest distance from a known mistake's numbers that is none: numbers by hand have few decimals."""
    return tolerance if tolerance > TOLERANCE else SAME


def _are_close(a: np.ndarray, b: np.ndarray, near: float) -> bool:
    """Return whether two arrays are close, like np.allclose in a tenth of its time: a hint compares thousands."""
    if a.dtype.kind == b.dtype.kind == "f":
        with np.errstate(invalid="ignore", over="ignore"):
            gap = np.abs(a - b)
            if np.isfinite(gap).all():
                return bool((gap <= near + near * np.abs(b)).all())
    return np.allclose(a, b, rtol=near, atol=near, equal_nan=True)


@lru_cache
def _directions(shape: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng([len(shape), *shape]).normal(size=shape)


def printed(outputs: list[np.ndarray]) -> np.ndarray:
    """Return the print of outputs, two numbers for each: a random sum of its elements, and their size.

    An output larger than any of a reference has no print: NaN stands for none.
    """
    numbers = []
    for output in outputs:
        if output.size > LARGEST:
            numbers += [np.nan, np.nan]
            continue
        # Neither NaN nor one huge number may hide the others.
        values = np.clip(np.nan_to_num(output.astype(np.float64), nan=3.7, posinf=2.3, neginf=-1.9), -1e4, 1e4)
        root = max(1, values.size) ** 0.5
        numbers += [(_directions(values.shape) * values).sum() / root, np.linalg.norm(values) / root]
    return np.array(numbers, np.float32)


def are_same_prints(one: np.ndarray, two: np.ndarray) -> bool:
    """Return whether two prints stand for the same numbers; NaN stands for none."""
    if one.shape != two.shape or np.isnan(one).any() or np.isnan(two).any():
        return False
    return bool(np.all(np.abs(one - two) <= SAME * (1 + np.repeat(one[1::2], 2))))
