"""`fit`: which population do my pilot data look like, and how well does it describe them?"""

from quorate._errors import InputError
from quorate._question import asks
from quorate._random import generator
from quorate.data.evaluation import read_evaluation
from quorate.data.summaries import Counts
from quorate.fitting.question import FitQuestion
from quorate.fitting.result import Fit
from quorate.populations.choice import ChosenPopulation, name_population, refuse_other_questions
from quorate.populations.dirichlet import PRIOR_SD
from quorate.populations.fit_population import FittedPopulation, fit_population, on_scale, population_log_likelihood
from quorate.populations.goodness import check_spread, expected_shares, fit_warnings, mean_absolute_bias

PRIOR = f"log(sum of alpha) ~ Normal(log M, {PRIOR_SD:g}), mean shares ~ Dirichlet(1 + 1/M), M categories"


def answer(question: FitQuestion) -> Fit:
    """Fit a population to ratings, or hold a given one against them, and check the mean and the spread of items.

    Examples
    --------
    >>> result = fit("example:support")
    >>> result.population.kind, result.verdict
    ('dirichlet', 'fits')
    """
    evaluation = read_evaluation(question.ratings, reading=question)
    ratings = evaluation.opinions
    refuse_other_questions(ratings, question)
    given = _given(question)
    if given is None:
        method, family = question.method, question.family
        fitted = fit_population(ratings, method=method, kind=family, seed=question.seed)
    else:
        matched = on_scale(given.population, ratings.scale)
        fitted = FittedPopulation(matched, population_log_likelihood(matched, ratings), 0)
    rng = generator(question.seed, "fit", "check")
    spread = check_spread(fitted.population, ratings.summary, rng=rng)
    counted = isinstance(ratings.summary, Counts)
    expected = expected_shares(fitted.population, rng=rng) if counted else None
    return Fit(
        ratings=ratings,
        fitted=fitted,
        expected=expected,
        mab=None if expected is None else mean_absolute_bias(ratings.response_share, expected),
        spread=spread,
        given=given is not None,
        seed=question.seed,
        settings=question.settings(
            method=fitted.method,
            prior=PRIOR if fitted.method == "map" else None,
            evaluate=None if given is None else given.settings,
        ),
        warnings=fit_warnings(spread, ratings, fitted.n_items_used),
        load_report=evaluation.load_report,
        inputs=question.inputs(),
    )


def _given(question: FitQuestion) -> ChosenPopulation | None:
    """Return the population to hold against the ratings, if there is one."""
    try:
        return None if question.evaluate is None else name_population(question.evaluate)
    except InputError as error:
        raise InputError(f"--evaluate: {error}") from None


fit = asks("fit", FitQuestion, answer)
