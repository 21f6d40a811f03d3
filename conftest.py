"""What must hold before any test imports NumPy: one thread, and a cache that is not the user's."""

import os
import tempfile

os.environ["OMP_NUM_THREADS"] = "1"  # threads of BLAS add up in another order, which moves the last digits
os.environ.setdefault("QUORATE_CACHE", tempfile.mkdtemp(prefix="quorate-tests-"))
