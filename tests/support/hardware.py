"""What only some processors can run."""

import pytest

from lab.train.devices import can_run_bf16_on_cpu

NEEDS_BF16 = pytest.mark.skipif(
    not can_run_bf16_on_cpu(), reason="this processor has no LSTM in bfloat16 (needs AVX-512)"
)
