"""What all chapters share: data, text, batches, training, decoding, scoring, plots; no attention of its own."""

import os

# Threads that wait must not spin: on a busy machine two spinning threads are slower than one. Read when torch loads.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
