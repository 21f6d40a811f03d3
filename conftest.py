"""What must hold before any test imports NumPy: the same sums on every machine, and a cache that is not the user's."""

import os
import tempfile
from importlib.metadata import version
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"  # threads of BLAS add up in another order, which moves the last digits
os.environ["OPENBLAS_CORETYPE"] = "Haswell"  # so do the kernels of newer processors
if "avx512f" in (Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""):
    # NumPy 2.4 calls its kernels by levels of the processor, and refuses names it does not know
    by_level = tuple(int(part) for part in version("numpy").split(".")[:2]) >= (2, 4)
    newer = "X86_V4" if by_level else "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL"
    os.environ["NPY_DISABLE_CPU_FEATURES"] = f"{newer} AVX512_ICL AVX512_SPR"
os.environ.setdefault("QUORATE_CACHE", tempfile.mkdtemp(prefix="quorate-tests-"))
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # or each process that a test starts would compile all of it anew
