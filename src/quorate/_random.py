"""Seeds become generators, one per task key: no result depends on workers, batches or order."""

import hashlib

import numpy as np


def generator(seed: int, *key: str | int) -> np.random.Generator:
    """Return the random generator that belongs to one task.

    The same seed and key give the same stream in any process and order, other keys independent ones.
    A key is made of words and numbers that name the task, such as ``"bootstrap", 3``.
    """
    digest = hashlib.blake2b(repr(key).encode(), digest_size=16).digest()
    words = np.frombuffer(digest, dtype=np.uint32).tolist()
    return np.random.default_rng(np.random.SeedSequence([seed, *words]))
