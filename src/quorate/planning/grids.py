"""Grids for sweeps: which populations, metrics, effects and sizes; by name, or from a TOML file."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from quorate._errors import InputError
from quorate._question import LARGEST_SIZE, MOST_RATERS, MOST_SIZES, check_share, check_size
from quorate.data.content import read_content
from quorate.metrics.metric import Variant
from quorate.metrics.registry import find_metric
from quorate.populations.choice import NamedPopulation, name_population, population_files
from quorate.populations.population import Answers, Population

KEYS = frozenset(
    {"populations", "metrics", "effects", "responses", "items", "raters", "answers", "variant", "confidence"}
)


@dataclass(frozen=True)
class Grid:
    """What is swept.

    Parameters
    ----------
    populations
        Names, and the population of each: a preset's name, a population file, or an alpha.
    metrics, effects
        Names of metrics, and perturbations of B.
    sizes
        ``(responses, items, raters)`` of each study.
    answers
        Answers per item of each system.
    variant, confidence
        ``"paper"`` for the papers' habits; level of intervals and tests.
    name
        What it is called: forest, or the file it was read from.
    """

    populations: Mapping[str, NamedPopulation]
    metrics: Sequence[str]
    effects: Sequence[float]
    sizes: Sequence[tuple[int, int, int]]
    answers: Answers = "raters"
    variant: Variant = "paper"
    confidence: float = 0.95
    name: str | None = None

    @property
    def n_rows(self) -> int:
        """Number of cells."""
        return len(self.populations) * len(self.metrics) * len(self.effects) * len(self.sizes)

    @property
    def raters(self) -> list[int]:
        """Numbers of raters per item, ascending."""
        return sorted({n_raters for _, _, n_raters in self.sizes})

    @property
    def files(self) -> tuple[str, ...]:
        """The files it was read from: its own, and those of its populations."""
        return tuple(file for named in (self.name, *self.populations.values()) for file in population_files(named))

    @property
    def settings(self) -> dict[str, Any]:
        """The grid as settings say it: its file, and its populations with the names they were called by."""
        populations = {name: name_population(each).settings for name, each in self.populations.items()}
        return {"grid": self.name, **self.to_dict(), "populations": populations}

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the fits of its populations warned of."""
        return tuple(
            f"{name}: {said}" for name, each in self.populations.items() for said in name_population(each).warnings
        )

    def responses_at(self, n_raters: int) -> dict[int, int]:
        """Return the number of items by number of responses, at a number of raters."""
        return {responses: n_items for responses, n_items, k in self.sizes if k == n_raters}

    def population(self, name: str) -> Population:
        """Return the population of that name."""
        return name_population(self.populations[name]).population

    def to_dict(self) -> dict[str, Any]:
        """Return the grid as plain data."""
        return {
            "populations": {name: self.population(name).to_dict() for name in self.populations},
            "metrics": list(self.metrics),
            "effects": list(self.effects),
            "sizes": [list(size) for size in self.sizes],
            "answers": self.answers,
            "variant": self.variant,
            "confidence": self.confidence,
        }


def as_grid(named: Grid | str | Path) -> Grid:
    """Return the grid that is named: by itself, ``forest``, or a TOML file."""
    return named if isinstance(named, Grid) else find_grid(str(named))


def find_grid(name: str) -> Grid:
    """Return the grid ``forest``, or the one in a TOML file.

    The file has ``populations`` (a list of presets and files, or a table of names with a preset, a file or an
    alpha), ``metrics``, ``effects``, ``raters``, and either ``responses`` (N = responses // raters) or ``items``;
    optional are ``answers``, ``variant`` ("default" or "paper") and ``confidence``.
    """
    if name == "forest":
        return FOREST
    path = Path(name)
    if path.suffix.lower() != ".toml":
        raise InputError(f"There is no grid '{name}'; use forest, or a file that ends in .toml.")
    try:
        return _parsed(tomllib.loads(read_content(name, path).decode()), name)
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} is not TOML: {error}.") from None


def _parsed(content: dict[str, Any], name: str) -> Grid:
    unknown = sorted(set(content) - KEYS)
    if unknown:
        raise InputError(f"{name} has a key '{unknown[0]}' no grid knows; use {', '.join(sorted(KEYS))}.")
    if ("responses" in content) == ("items" in content):
        raise InputError(f"{name} must give either responses or items, as a list of numbers.")
    raters = _whole(content, "raters", name)
    budgets = _whole(content, "responses" if "responses" in content else "items", name)
    pairs = [(budget, k) for budget in budgets for k in raters]
    if "responses" in content:
        sizes = [(budget, budget // k, k) for budget, k in pairs if budget >= k]
    else:
        sizes = [(n * k, n, k) for n, k in pairs]
    if not sizes:
        raise InputError(f"{name} has no study of at least one item: give more responses or fewer raters.")
    grid = Grid(
        populations=_populations(content, name),
        metrics=_listed(content, "metrics", name, str),
        effects=_effects(content, name),
        sizes=tuple(sizes),
        answers=content.get("answers", 1),
        variant=content.get("variant", "default"),
        confidence=content.get("confidence", 0.95),
        name=name,
    )
    _check(grid, name)
    return grid


def _populations(content: Mapping[str, Any], name: str) -> dict[str, NamedPopulation]:
    given = content.get("populations")
    if isinstance(given, dict) and given:
        wrong = next((key for key, value in given.items() if not isinstance(value, str | list)), None)
        if wrong is not None:
            raise InputError(f"{name}: population {wrong} must be a preset, a file, or a list of numbers.")
        return {key: tuple(value) if isinstance(value, list) else value for key, value in given.items()}
    return {each: each for each in _listed(content, "populations", name, str)}


def _listed(content: Mapping[str, Any], key: str, name: str, kind: Any) -> tuple[Any, ...]:
    values = content.get(key)
    good = isinstance(values, list) and all(isinstance(each, kind) and not isinstance(each, bool) for each in values)
    if not isinstance(values, list) or not values or not good:
        what = "names" if kind is str else "numbers"
        raise InputError(f"{name} must give {key} as a list of {what}, such as {key} = [...].")
    if len(set(values)) < len(values):
        raise InputError(f"{name} gives one of its {key} twice.")
    return tuple(values)


def _effects(content: Mapping[str, Any], name: str) -> tuple[float, ...]:
    effects = _listed(content, "effects", name, (int, float))
    if not all(-LARGEST_SIZE < effect < LARGEST_SIZE for effect in effects):
        raise InputError(f"{name} has an effect that is no usual number.")
    return tuple(map(float, effects))


def _whole(content: Mapping[str, Any], key: str, name: str) -> tuple[int, ...]:
    values = _listed(content, key, name, int)
    for value in values:
        check_size(f"{name}: {key}", value, MOST_RATERS if key == "raters" else LARGEST_SIZE)
    check_size(f"{name}: the number of {key}", len(values), MOST_SIZES)
    return values


def _check(grid: Grid, name: str) -> None:
    """Refuse a bad grid here, not in another process."""
    if grid.variant not in get_args(Variant):
        raise InputError(f"{name} must give variant as one of {', '.join(get_args(Variant))}.")
    for metric in grid.metrics:
        find_metric(metric, variant=grid.variant, positive=0)
    answers = grid.answers
    if isinstance(answers, bool) or (answers not in ("raters", "probabilities") and not isinstance(answers, int)):
        raise InputError(f'{name} must give answers as a number, "raters" or "probabilities".')
    if isinstance(answers, int):
        check_size(f"{name}: answers", answers, MOST_RATERS)
    check_share(f"{name}: confidence", grid.confidence)
    for each in grid.populations:
        most = grid.population(each).max_effect
        if not all(0 <= effect <= most for effect in grid.effects):
            raise InputError(f"{name} has an effect out of range: population {each} takes 0 to {most:g}.")


_RESPONSES = (100, 250, 500, 1000, 2500, 5000, 10000, 25000, 50000)
_RATERS = (*range(1, 11), *range(20, 501, 20))
_TEN = ("toxicity", "dices", "d3code", "jobsq1", "jobsq3", *(f"unbalanced-{m}" for m in (2, 3, 4, 5, 12)))

FOREST = Grid(
    populations={name: name for name in _TEN},
    metrics=("accuracy", "total_variation", "wins", "kl"),
    effects=(0.1, 0.2, 0.3, 0.4),
    sizes=tuple((budget, budget // k, k) for budget in _RESPONSES for k in _RATERS if budget >= k),
    name="forest",
)
"""The experiments of [forest, Experimental Setup], in the populations of its Table 2."""
