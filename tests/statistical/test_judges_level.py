"""A rater taken for a judge is not called better or worse; a worse judge is, and so is a copy compared with itself."""

from typing import Any

import numpy as np
import polars as pl

from quorate import compare
from quorate._typing import Array
from quorate.comparing.result import Comparison
from tests.studies import pick

STUDIES, LEVEL = pick(20, 50), 0.05
MOST = LEVEL + 5 * float(np.sqrt(LEVEL * (1 - LEVEL) / STUDIES))


def study(rng: np.random.Generator, noise: float = 0.0) -> tuple[pl.DataFrame, pl.DataFrame, Array]:
    """60 items × 6 raters who answer by the item's own chances, and a judge like them but for some noise."""
    chance = rng.dirichlet([0.6, 0.6, 0.6], 60)
    said = np.array([rng.choice(3, 7, p=each) for each in chance])
    lost = rng.random(60) < noise
    said[lost, 6] = rng.integers(0, 3, int(lost.sum()))
    item = np.repeat(np.arange(60), 6)
    raters = pl.DataFrame({"item": item, "rater": np.tile(np.arange(6), 60), "response": said[:, :6].ravel()})
    return raters, _answers(said[:, 6]), said


def _answers(said: Array) -> pl.DataFrame:
    return pl.DataFrame({"item": np.arange(len(said)), "system": ["judge"] * len(said), "response": said})


def asked(ratings: Any, answers: Any) -> Comparison:
    return compare(ratings, answers, baseline="raters", scale="nominal")


def share(results: list[Comparison], *verdicts: str) -> float:
    return float(np.mean([result.judges[0].verdict in verdicts for result in results]))


def test_one_more_rater_as_a_judge_is_rarely_told_apart_and_a_noisy_one_is() -> None:
    rng = np.random.default_rng(11)
    equal = [asked(*study(rng)[:2]) for _ in range(STUDIES)]
    assert share(equal, "a_better", "b_better") <= MOST
    noisy = [asked(*study(rng, noise=0.6)[:2]) for _ in range(10)]
    assert share(noisy, "b_better") > 0.5


def test_a_rater_copied_is_rarely_told_apart_and_would_gain_if_compared_with_himself() -> None:
    rng = np.random.default_rng(12)
    copies: list[Comparison] = []
    almost_copies: list[Comparison] = []
    for _ in range(STUDIES):
        ratings, _, said = study(rng)
        copies.append(asked(ratings, _answers(said[:, 0])))
        if len(almost_copies) < pick(10, 20):
            almost = said[:, 0].copy()
            almost[0] = (almost[0] + 1) % 3  # one answer changed: no longer taken for the rater
            almost_copies.append(asked(ratings, _answers(almost)))
    assert all(result.judges[0].repeats == "0" for result in copies)
    assert share(copies, "a_better", "b_better") <= MOST
    gains = np.array([result.judges[0].difference for result in almost_copies])
    assert gains.mean() > 5 * gains.std(ddof=1) / np.sqrt(len(gains))  # compared with himself he gains


def test_the_judge_s_interval_counts_raters() -> None:
    # Raters who lean: with the same 60 items, those of six people vary more than items alone would say.
    rng = np.random.default_rng(13)
    lean = rng.normal(0, 1.5, (6, 6))
    centre = rng.normal(0, 1, (6, 60, 1))
    said = (centre + lean[:, None] + rng.normal(0, 1, (6, 60, 6)) > 0).astype(int)
    judge = (centre[..., 0] > 0).astype(int)
    wide, narrow = [], []
    for k in range(6):
        item, rater = np.repeat(np.arange(60), 6), np.tile(np.arange(6), 60)
        ratings = pl.DataFrame({"item": item, "rater": rater, "response": said[k].ravel()})
        result = compare(ratings, _answers(judge[k]), baseline="raters", scale="nominal")
        fixed = compare(ratings, _answers(judge[k]), baseline="raters", scale="nominal", raters_are="fixed")
        wide.append(result.judges[0].high - result.judges[0].low)
        narrow.append(fixed.judges[0].high - fixed.judges[0].low)
    assert np.median(np.divide(wide, narrow)) > 1.2


def test_numbers_do_not_depend_on_the_order_of_rows() -> None:
    rng = np.random.default_rng(14)
    ratings, answers, _ = study(rng)
    first, second = asked(ratings, answers), asked(ratings.sample(fraction=1.0, shuffle=True, seed=1), answers)
    assert first.judges == second.judges
