"""Scores of single items.

Linear ones are the mean over an item's raters of the credit each answer gives,
``score_i = Σ_m g_im credit_im`` with g the raters' shares: the same expectation at any number of
raters, and a split by rater. The others read the panel as one – plurality hits, distances between
answer distributions – and move with the number of raters and of answers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.agreement.disagreement import item_disagreement
from quorate.data.summaries import Counts, Probabilities, Summary, Values, ordered_levels
from quorate.metrics.metric import (
    CATEGORIES,
    NUMBERS,
    Better,
    Metric,
    Variant,
    gaps_and_cumulatives,
    plurality,
    shares,
    weighted_points,
)


@dataclass(frozen=True)
class Linear:
    """The mean over an item's raters of the credit each category would give, ``(..., item, category)``."""

    credit: Callable[[Summary], Array]

    def __call__(self, raters: Summary, system: Summary) -> Array:
        """Score each item, ``(..., item)``."""
        return np.asarray(np.einsum("...m,...m->...", shares(raters), self.credit(system)))


def agreement_credit(system: Summary) -> Array:
    """Return the share of the system's answers that equal each category; for probabilities, the chance of it."""
    return shares(system)


def brier_credit(system: Summary) -> Array:
    """Return half the squared distance to each category, ``½ Σ_m (p_m − 1[y = m])²`` [brier1950].

    Single answers are one-hot forecasts averaged over runs, so their number does not matter: 1 −
    share.
    """
    share = shares(system)
    if isinstance(system, Counts):
        return 1.0 - share
    return np.asarray(0.5 * (np.square(share).sum(-1, keepdims=True) + 1.0) - share)


def brier_excess(raters: Summary, system: Summary) -> Array:
    """Return the Brier score minus the raters' own spread, ``(..., item)``; nan below two raters.

    The spread ``½ P(two raters differ)`` is what an oracle of the item's answer distribution would
    still lose, so the excess estimates ``½ Σ_m (p_m − β_m)²``, without bias at any number of raters
    from two up.
    """
    return np.asarray(Linear(brier_credit)(raters, system) - 0.5 * item_disagreement(raters))


def expected_agreement(raters: Summary, law: Probabilities, answers: int) -> Array:
    """Return the agreement expected of single answers: that of their law, however many there are."""
    del answers
    return Linear(agreement_credit)(raters, law)


def expected_brier(raters: Summary, law: Probabilities, answers: int) -> Array:
    """Return the Brier score expected of single answers, 1 − agreement."""
    return 1.0 - expected_agreement(raters, law, answers)


@dataclass(frozen=True)
class Crps:
    """Mean distance between the system's answers and the raters', optionally less the system's own spread.

    ``mean |x − y| − Σ |x − x'| / (2 R (R − 1))`` over R answers x and raters' y; for probabilities
    the spread is ``½ Σ Σ p p' |x − x'|`` and the score is the ranked probability score
    [gneiting2007, sec. 4.2].

    Subtracting the system's own spread is proper for distributions, and impossible for single
    answers.
    """

    spread: bool = False

    def __call__(self, raters: Summary, system: Summary) -> Array:
        """Score each item, ``(..., item)``."""
        if isinstance(raters, Counts | Probabilities) and _same_levels(raters, system):
            return Linear(self.credit)(raters, system)
        gaps, below_r, below_s = gaps_and_cumulatives(raters, system)
        distance = (gaps * (below_r * (1 - below_s) + below_s * (1 - below_r))).sum(-1)
        return np.asarray(distance - self._own_spread(system))

    def credit(self, system: Summary) -> Array:
        """Return the score a rater's answer gives, per level, ``(..., item, category)``."""
        if not isinstance(system, Counts | Probabilities):
            raise InputError("credits per category need counts or probabilities: use answer_credit for plain numbers")
        levels = ordered_levels(system)
        distance: Array = system.share @ np.abs(levels[:, None] - levels)
        return distance - self._own_spread(system)[..., None]

    def answer_credit(self, system: Summary, answers: Array) -> Array:
        """Return the score that raters' answers, ``(..., item, answer)``, give; same shape."""
        places, weights = weighted_points(system)
        distance = np.zeros(np.broadcast_shapes(places[..., :1].shape, answers.shape))
        for point in range(places.shape[-1]):  # a handful of answers or levels; keeps memory at one array
            distance += weights[..., point, None] * np.abs(places[..., point, None] - answers)
        return distance - self._own_spread(system)[..., None]

    def _own_spread(self, system: Summary) -> Array:
        if not self.spread:
            return np.zeros(())
        gaps, below, _ = gaps_and_cumulatives(system, system)
        half_mean_difference = (gaps * below * (1 - below)).sum(-1)
        if isinstance(system, Probabilities):
            return np.asarray(half_mean_difference)
        if np.min(system.size) < 2:
            raise InputError("a system's own spread needs at least two answers per item: use crps without it")
        return np.asarray(half_mean_difference * system.size / (system.size - 1.0))


def settle_crps(metric: Metric, systems: Sequence[Summary]) -> Metric:
    """Subtract the answers' own spread if every system gave two or more to each item, or probabilities."""
    spread = all(isinstance(s, Probabilities | Counts | Values) and bool(np.min(s.size) >= 2) for s in systems)
    crps = Crps(spread)
    words = "subtracted" if spread else "not subtracted"
    meaning = f"mean distance between the system's answers and the raters', the answers' own spread {words}"
    return replace(
        metric,
        score=crps,
        credit=crps.credit,
        answer_credit=crps.answer_credit,
        meaning=meaning,
        answers_averaged=not spread,
    )


def expected_crps(raters: Summary, law: Probabilities, answers: int) -> Array:
    """Return the CRPS expected of single answers: the spread of several has that of their law as its mean."""
    return Crps(spread=answers > 1)(raters, law)


def mean_rating(ratings: Summary, system: Summary | None = None) -> Array:
    """Return the mean of the ratings a system's outputs got, ``(..., item)``; the second argument is not read."""
    del system
    return ratings.mean


def mean_rating_credit(ratings: Summary) -> Array:
    """Return the number each category stands for, as credit, ``(..., item, category)``."""
    share = shares(ratings)
    places, _ = weighted_points(ratings)
    return np.broadcast_to(places, share.shape)


def mean_rating_answer_credit(ratings: Summary, answers: Array) -> Array:
    """Return the ratings themselves: each counts as it stands."""
    del ratings
    return answers


def _same_levels(raters: Counts | Probabilities, system: Summary) -> bool:
    if not isinstance(system, Counts | Probabilities):
        return False
    return np.array_equal(ordered_levels(raters), ordered_levels(system))


CLIP = 1e-6
"""Smallest probability a system is charged for."""
JEFFREYS = 0.5
"""Added to each category of a sampled system, the Jeffreys prior of a multinomial."""
PAPER_FLOOR = 1e-12
"""Added to counts on both sides by [forest]; found by reproducing its Table 2."""


@dataclass(frozen=True)
class Accuracy:
    """Chance that the system's answer is the raters' plurality; ties shared, runs averaged.

    Deviates: [forest] gives ties to the first category and lets the system's runs vote; that is
    ``variant="paper"``.
    """

    variant: Variant = "default"

    def __call__(self, raters: Summary, system: Summary) -> Array:
        """Score each item, ``(..., item)``."""
        truth = plurality(raters, ties="first" if self.variant == "paper" else "shared")
        return np.asarray(np.einsum("...m,...m->...", truth, given_answers(system, self.variant)))


def given_answers(system: Summary, variant: Variant = "default") -> Array:
    """Return the system's answers as shares, ``(..., item, category)``.

    Runs count as they are; probabilities answer with their largest (ties shared). The paper variant
    takes the first plurality of both.
    """
    if variant == "paper":
        return plurality(system, ties="first")
    return system.share if isinstance(system, Counts) else plurality(system)


@dataclass(frozen=True)
class TotalVariation:
    """Half the summed distance of shares, ``½ Σ_m |g_m − a_m|``.

    Deviates: the tables of [forest] hold ``Σ_m |g_m − a_m| / M``; that is ``variant="paper"``.
    """

    variant: Variant = "default"

    def __call__(self, raters: Summary, system: Summary) -> Array:
        """Score each item, ``(..., item)``."""
        gap = np.abs(shares(raters) - shares(system))
        return np.asarray(gap.mean(-1) if self.variant == "paper" else 0.5 * gap.sum(-1))


@dataclass(frozen=True)
class TotalVariationTerms:
    """What one category adds to the total variation."""

    variant: Variant = "default"

    def __call__(self, n_categories: int, n_raters: int, answers: int) -> Array:
        """Return the terms, ``(raters' count, system's count)``."""
        gap = np.abs(np.arange(n_raters + 1)[:, None] / n_raters - np.arange(answers + 1) / answers)
        return np.asarray(gap / n_categories if self.variant == "paper" else 0.5 * gap)


@dataclass(frozen=True)
class KullbackLeibler:
    """Kullback-Leibler divergence ``Σ_m g_m log(g_m / q_m)``, natural log, from the raters to the system.

    Deviates: [forest] adds 1e-12 to the counts of both sides, which makes it a count of empty cells
    at few answers; that is ``variant="paper"``. By default raters are never smoothed (that would
    make the score improper).
    """

    variant: Variant = "default"

    def __call__(self, raters: Summary, system: Summary) -> Array:
        """Score each item, ``(..., item)``."""
        share = smoothed(raters, "paper") if self.variant == "paper" else shares(raters)
        log_q = np.log(smoothed(system, self.variant))
        return np.asarray(_x_log_x(share).sum(-1) - np.einsum("...m,...m->...", share, log_q))


@dataclass(frozen=True)
class KullbackLeiblerTerms:
    """What one category adds to KL."""

    variant: Variant = "default"

    def __call__(self, n_categories: int, n_raters: int, answers: int) -> Array:
        """Return the terms, ``(raters' count, system's count)``."""
        given, panel = np.arange(answers + 1), np.arange(n_raters + 1)[:, None]
        add = PAPER_FLOOR if self.variant == "paper" else JEFFREYS
        floor = add if self.variant == "paper" else 0.0
        share = (panel + floor) / (n_raters + floor * n_categories)
        return np.asarray(_x_log_x(share) - share * np.log((given + add) / (answers + add * n_categories)))


@dataclass(frozen=True)
class CrossEntropyCredit:
    """What a rater's answer m costs, ``−log q_m``, with the system smoothed as in KL."""

    variant: Variant = "default"

    def __call__(self, system: Summary) -> Array:
        """Return the credits, ``(..., item, category)``."""
        return -np.log(smoothed(system, self.variant))


def smoothed(summary: Summary, variant: Variant = "default") -> Array:
    """Return shares without zeros: counts + ½ per category, probabilities not below 1e-6.

    The paper variant adds 1e-12 to every cell before normalising.
    """
    share = shares(summary)
    if variant == "default" and not isinstance(summary, Counts):
        return np.maximum(share, CLIP)
    add = PAPER_FLOOR if variant == "paper" else JEFFREYS
    cells = summary.counts if isinstance(summary, Counts) else share
    return np.asarray((cells + add) / (cells.sum(-1, keepdims=True) + add * share.shape[-1]))


def clipped_cells(system: Summary) -> int:
    """Return how many probabilities KL and cross-entropy had to lift to 1e-6."""
    return 0 if isinstance(system, Counts) else int((shares(system) < CLIP).sum())


def jensen_shannon(raters: Summary, system: Summary) -> Array:
    """Return the Jensen-Shannon distance, the square root of the base-2 divergence, ``(..., item)``."""
    g, a = shares(raters), shares(system)
    # Entropy of the mixture minus the mean entropy; rounding may leave −1e-17 where g = a.
    bits = (0.5 * (_x_log_x(g) + _x_log_x(a)) - _x_log_x(0.5 * (g + a))).sum(-1) / np.log(2)
    return np.asarray(np.sqrt(np.maximum(bits, 0.0)))


def absolute_error(raters: Summary, system: Summary) -> Array:
    """Return the distance between the two item means, ``(..., item)``."""
    return np.asarray(np.abs(raters.mean - system.mean))


def squared_error(raters: Summary, system: Summary) -> Array:
    """Return the squared distance between the two item means, ``(..., item)``."""
    return np.asarray(np.square(raters.mean - system.mean))


def earth_movers_distance(raters: Summary, system: Summary) -> Array:
    """Return the earth mover's distance between the item's two answer distributions, ``(..., item)``.

    Deviates: the EMD rows of [leaderboard] hand histogram counts to a Wasserstein routine as if
    they were answers.
    """
    gaps, below_r, below_s = gaps_and_cumulatives(raters, system)
    return np.asarray((gaps * np.abs(below_r - below_s)).sum(-1))


def _x_log_x(x: Array) -> Array:
    return np.asarray(x * np.log(np.where(x > 0, x, 1.0)))


def item_metrics(variant: Variant, better: Better) -> list[Metric]:
    """Return every metric of single items; ``better`` is that of ``mean_rating``."""
    entropy, panels = _cross_entropy(variant), _panels(variant)
    return [*_linear_in_labels(), *_linear_in_numbers(better), entropy, *panels]


def _linear_in_labels() -> list[Metric]:
    agreement = Metric(
        "agreement",
        "agreement",
        "high",
        CATEGORIES,
        Linear(agreement_credit),
        comparable="any",
        meaning="share of raters who gave the system's answer",
        credit=agreement_credit,
        expected_score=expected_agreement,
        answers_averaged=True,
        compares_labels=True,
    )
    brier = Metric(
        "brier",
        "Brier score",
        "low",
        CATEGORIES,
        Linear(brier_credit),
        comparable="any",
        meaning="mean over raters of half the squared distance between the system's forecast and the answer",
        credit=brier_credit,
        expected_score=expected_brier,
        answers_averaged=True,
        excess=brier_excess,
    )
    return [agreement, brier]


def _linear_in_numbers(better: Better) -> list[Metric]:
    crps = Metric(
        "crps",
        "CRPS",
        "low",
        NUMBERS,
        Crps(),
        comparable="any",
        meaning="mean distance between the system's answers and the raters'",
        credit=Crps().credit,
        answer_credit=Crps().answer_credit,
        expected_score=expected_crps,
        settle_for=settle_crps,
        reach="span",
    )
    rating = Metric(
        "mean_rating",
        "mean rating",
        better,
        NUMBERS,
        mean_rating,
        comparable="any",
        meaning="mean rating",
        credit=mean_rating_credit,
        answer_credit=mean_rating_answer_credit,
        rates_systems=True,
        reach="span",
    )
    return [crps, rating]


def _cross_entropy(variant: Variant) -> Metric:
    cost = CrossEntropyCredit(variant)
    return Metric(
        "cross_entropy",
        "cross-entropy",
        "low",
        CATEGORIES,
        Linear(cost),
        credit=cost,
        lifts_zeros=True,
        reach="surprise",
    )


def _panels(variant: Variant) -> list[Metric]:
    averaged = variant == "default"  # the paper lets a system's runs vote
    return [
        Metric(
            "accuracy",
            "accuracy",
            "high",
            CATEGORIES,
            Accuracy(variant),
            comparable="any" if averaged else "rarefy",
            answers_averaged=averaged,
            compares_labels=True,
        ),
        Metric(
            "total_variation",
            "total variation (mean over categories)" if variant == "paper" else "total variation",
            "low",
            CATEGORIES,
            TotalVariation(variant),
            category_terms=TotalVariationTerms(variant),
        ),
        Metric(
            "kl",
            "KL divergence",
            "low",
            CATEGORIES,
            KullbackLeibler(variant),
            category_terms=KullbackLeiblerTerms(variant),
            long_tailed=True,
            lifts_zeros=True,
            reach="surprise",
        ),
        Metric("jensen_shannon", "Jensen-Shannon distance", "low", CATEGORIES, jensen_shannon),
        Metric("mae", "mean absolute error", "low", NUMBERS, absolute_error, reads_means=True, reach="span"),
        Metric("mse", "mean squared error", "low", NUMBERS, squared_error, reads_means=True, reach="square"),
        Metric("emd", "earth mover's distance", "low", NUMBERS, earth_movers_distance, reach="span"),
    ]
