"""Audit the default test on 2000 studies, beside a loop that draws every answer and tests one study at a time."""

from pathlib import Path

import numpy as np

import quorate
from benchmarks import Case

__all__ = ["cases"]

ALPHA, ITEMS, RATERS, STUDIES = (5.22, 0.86, 2.75), 100, 5, 2000


def cases(folder: Path) -> list[Case]:
    return [Case("audit", f"{STUDIES} studies of {ITEMS} items × {RATERS} raters", ours, plain)]


def ours() -> None:
    quorate.audit("dices", items=ITEMS, raters=RATERS, metric="agreement", null="sharp", replicates=STUDIES)


def plain() -> None:
    """Answer by answer, study by study: agreement of two systems that answer once, and a t test."""
    from scipy.stats import ttest_1samp

    rng = np.random.default_rng(0)
    rejected = 0
    for _ in range(STUDIES):
        differences = []
        for _ in range(ITEMS):
            law = rng.dirichlet(ALPHA)
            raters = rng.choice(3, size=RATERS, p=law)
            a, b = rng.choice(3, size=2, p=law)
            differences.append(np.mean(raters == a) - np.mean(raters == b))
        rejected += int(ttest_1samp(differences, 0.0).pvalue < 0.05)
    print(rejected / STUDIES)
