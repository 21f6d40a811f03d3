"""Which metric a plan is made for: the one asked for, if it suits the population, else the default of the scale."""

from collections.abc import Sequence

from quorate._errors import InputError
from quorate.metrics.metric import Metric
from quorate.metrics.panels import Variant
from quorate.metrics.registry import default_metric, find_metric
from quorate.populations.population import Answers, Population

__all__ = ["population_metric", "positive_index"]


def population_metric(
    population: Population, name: str | None, answers: Answers, positive: str | None, variant: Variant
) -> Metric:
    """Return the metric of that name, or the default, for a population's answers.

    Examples
    --------
    >>> from quorate.populations.dirichlet import DirichletPopulation
    >>> population_metric(DirichletPopulation((2.0, 1.0)), None, 1, None, "default").name
    'agreement'
    """
    numbers = population.numbers
    if name is None:
        kind = "interval" if numbers else "nominal"
        name = "brier" if answers == "probabilities" and not numbers else default_metric(kind)
    if name == "wins":
        name = "wins:mae" if numbers else "wins:total_variation"
    place = positive_index(population.labels, positive)
    if place is None and population.labels:
        place = len(population.labels) - 1  # the last category, as in audit
    metric = find_metric(name, variant=variant, positive=place)
    kinds = {"nominal"} if not numbers else {"ordinal", "interval"} if population.labels else {"interval"}
    if not metric.scales & kinds:
        raise InputError(f"{metric.name} does not fit this population of {'numbers' if numbers else 'categories'}.")
    if metric.rates_systems:
        raise InputError(
            f"{metric.name} needs systems that were rated themselves: plan it from data, not a population."
        )
    return metric


def positive_index(labels: Sequence[str], positive: str | None) -> int | None:
    """Return the place of the positive category, None if none is named.

    Examples
    --------
    >>> positive_index(("no", "yes"), "yes")
    1
    """
    if positive is not None and positive not in labels:
        raise InputError(f"--positive {positive} is not a category; there are {', '.join(labels[:12])}.")
    return None if positive is None else list(labels).index(positive)
