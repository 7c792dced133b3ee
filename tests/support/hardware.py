"""What only some processors can run."""

import pytest

from lab.train.devices import cpu_runs_bf16

NEEDS_BF16 = pytest.mark.skipif(not cpu_runs_bf16(), reason="this processor has no LSTM in bfloat16 (needs AVX-512)")
