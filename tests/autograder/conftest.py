"""Tests of shapes hold in tests/lab and tests/solutions; here they would cost half of the time."""

from collections.abc import Iterator

import pytest
from jaxtyping import config


@pytest.fixture(scope="module", autouse=True)
def _unchecked_shapes() -> Iterator[None]:
    """Call the taught functions as students do, without a look at the shapes of each argument."""
    config.update("jaxtyping_disable", True)
    yield
    config.update("jaxtyping_disable", False)
