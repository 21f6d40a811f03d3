"""Simulated laws beside exact ones: the same means and spreads, and less noise than plain draws."""

from dataclasses import replace

import numpy as np

from quorate.data.summaries import Counts
from quorate.metrics.contests import contest
from quorate.metrics.registry import find_metric
from quorate.planning.laws.draws import coupled
from quorate.planning.laws.exact import Design, exact_laws
from quorate.planning.laws.simulation import FIRST_CELLS, DifferenceMoments
from quorate.planning.sources.population import several_laws
from quorate.populations.dirichlet import DirichletPopulation

DICES = DirichletPopulation((5.22, 0.86, 2.75))
NAMES = ("accuracy", "total_variation", "wins:total_variation", "kl")
METRICS = [find_metric(name, variant="paper") for name in NAMES]


class TestSeveral:
    def test_simulated_laws_agree_with_exact_ones(self) -> None:
        exact = exact_laws(Design(DICES, 4, 4), METRICS, 0.3)
        drawn = several_laws(Design(DICES, 4, 4), [0.3], METRICS, lambda _: 0.0, seed=0, engine="simulated")[0]
        for name, law in drawn.items():
            assert abs(law.mean - exact[name].mean) < 5 * law.mean_error + 1e-9
            spread, wanted = np.hypot(law.sd, law.null_sd), np.hypot(exact[name].sd, exact[name].null_sd)
            assert law.spread_error is not None
            assert abs(spread / wanted - 1) < 5 * law.spread_error
            # sd of a sample sd: σ sqrt((κ + 2) / 4n)
            slack = exact[name].sd * np.sqrt((exact[name].kurtosis + 2) / (4 * law.draws))
            assert abs(law.sd - exact[name].sd) < 5 * slack
            assert abs(law.null_sd - exact[name].null_sd) < 5 * 1.5 * slack

    def test_fewer_answers_than_raters(self) -> None:
        exact = exact_laws(Design(DICES, 4, 2), METRICS, 0.3)
        for name, law in several_laws(Design(DICES, 4, 2), [0.3], METRICS, lambda _: 0.0, seed=0, engine="simulated")[
            0
        ].items():
            assert abs(law.mean - exact[name].mean) < 5 * law.mean_error + 1e-9
            assert law.spread_error is not None
            assert abs(np.hypot(law.sd, law.null_sd) / np.hypot(exact[name].sd, exact[name].null_sd) - 1) < (
                5 * law.spread_error
            )

    def test_items_are_drawn_until_it_is_enough(self) -> None:
        wanted = 0.001

        def excess(known: DifferenceMoments) -> float:
            return known.mean_error / wanted

        laws = several_laws(Design(DICES, 4, 4), [0.1, 0.4], METRICS, excess, seed=0, engine="simulated")
        assert all(law.mean_error <= wanted for each in laws for law in each.values())
        assert laws[1]["accuracy"].draws > laws[0]["accuracy"].draws  # more noise is left at a larger effect
        assert laws[1]["kl"].draws == FIRST_CELLS // 3  # its mean is exact

    def test_squares_of_terms_narrow_the_spread_of_kl(self) -> None:
        """Negative control: without them the error of the spread is several times as large."""
        design, kl = Design(DirichletPopulation((10.0, 3.0)), 140, 140), METRICS[3:]
        with_squares = several_laws(design, [0.1], kl, lambda _: 0.0, seed=0, engine="simulated")[0]["kl"]
        plain = [replace(metric, long_tailed=False) for metric in kl]
        without = several_laws(design, [0.1], plain, lambda _: 0.0, seed=0, engine="simulated")[0]["kl"]
        assert with_squares.spread_error is not None
        assert without.spread_error is not None
        assert with_squares.spread_error < 0.5 * without.spread_error

    def test_control_variate_narrows_wins_without_moving_them(self) -> None:
        exact = exact_laws(Design(DICES, 4, 4), METRICS, 0.3)["wins:total_variation"]
        laws = several_laws(Design(DICES, 4, 4), [0.3], METRICS, lambda _: 0.0, seed=1, engine="simulated")[0]
        law = laws["wins:total_variation"]
        assert law.mean_error < 0.3 * exact.sd / np.sqrt(law.draws)
        assert abs(law.mean - exact.mean) < 5 * law.mean_error

    def test_coupling_would_be_wrong_for_wins(self) -> None:
        """Negative control: the sign of a difference with a coupled B has another mean, many errors away."""

        exact = exact_laws(Design(DICES, 4, 4), METRICS, 0.3)["wins:total_variation"]
        rng = np.random.default_rng(0)
        items = DICES.answer_laws((40_000,), effect=0.3, rng=rng)
        raters, a = (Counts(rng.multinomial(4, items.raters)) for _ in "ra")
        signs = contest(METRICS[2], raters, a, coupled(a, items, rng))
        assert abs(signs.mean() - exact.mean) > 5 * signs.std() / np.sqrt(len(signs))
