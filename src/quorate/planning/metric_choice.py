"""Which metric a plan is made for: the one asked for, if it suits the population, else the default of the scale."""

from quorate.metrics.choose import choose_metric
from quorate.metrics.metric import Metric, Variant
from quorate.populations.population import Answers, Population

__all__ = ["population_metric"]


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
    labels = population.labels
    return choose_metric(
        name,
        population.scale_kind,
        labels=labels,
        positive=positive or (labels[-1] if labels else None),  # the last category, as in audit
        variant=variant,
        probabilities=answers == "probabilities",
    )
