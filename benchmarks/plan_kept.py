"""Whether a plan is kept: what it promised, and what studies of the planned size then get.

Run: `python -m benchmarks.plan_kept [SECTION …] [--pilots 200] [--studies 2000] [--write]`.

Pilots come from plain NumPy worlds that share no code with `quorate`: people with leanings who side
with A or B on the items where the two differ. Each pilot is planned from as `quorate plan --from RATINGS
--with ANSWERS` does; then studies of the size it names are drawn from the same world and judged as
`compare` does. `--write` puts the tables into docs/methods/plan-kept.md.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.ratings_alone import ratings_alone
from benchmarks.validity import with_table
from quorate._errors import InputError
from quorate._typing import Array
from quorate.agreement.variance_parts import VarianceParts
from quorate.data.answers import Systems, read_systems
from quorate.data.ratings import Ratings
from quorate.data.read_ratings import read_ratings
from quorate.inference.crossed import Crossing, crossed_pivot
from quorate.inference.means import mean_pivot
from quorate.metrics.registry import find_metric
from quorate.planning.laws.draws import differences
from quorate.planning.laws.rater_law import RaterLaw
from quorate.planning.people import SharedPool
from quorate.planning.question import PlanQuestion
from quorate.planning.recommend import recommend
from quorate.planning.scenario import Scenario, draw_study, scenario_reach
from quorate.planning.search import Search, StudySize
from quorate.planning.sources.pilot_source import PilotSource, pilot_source
from quorate.planning.sources.returning_raters import PoolSource
from quorate.planning.verb import plan
from quorate.populations.choice import find_preset
from quorate.populations.population import Answers

PAGE = Path("docs/methods/plan-kept.md")
PER_ITEM, FEWEST, EACH = 3, 10, 20
"""Raters per item of the study, its fewest items, and studies drawn for each pilot."""
NODES = 60

Row = tuple[object, ...]


@dataclass(frozen=True)
class World:
    """Rater j sides with A on item i with chance logistic(item_i + leaning_j + shift) where the systems differ.

    Parameters
    ----------
    differ
        Share of items on which the systems answer differently.
    item, lean
        Spreads of items and of people, on the logit.
    difference
        How much better A is, in agreement.
    some
        Share of people who lean at all.
    """

    differ: float
    item: float
    lean: float
    difference: float
    some: float = 1.0

    @cached_property
    def shift(self) -> float:
        """The logit of a middling rater on a middling item that makes the difference."""
        low, high = 0.0, 20.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self._given(0.0, True, True, middle) < self.difference else (low, middle)
        return high

    @cached_property
    def parts(self) -> VarianceParts:
        """True components of a rater's difference on an item."""
        u, w = np.polynomial.hermite_e.hermegauss(NODES)
        w = w / w.sum()
        of_items = np.array([self._given(self.item * x, False, True, self.shift) for x in u])
        of_people = np.array([self._given(self.lean * x, True, False, self.shift) for x in u])
        neutral = self._given(0.0, True, False, self.shift)
        square = self.difference**2
        item = float(w @ of_items**2) / self.differ - square  # where systems agree an item shows 0
        rater = self.some * float(w @ of_people**2) + (1 - self.some) * neutral**2 - square
        return VarianceParts(item, rater, self.differ - square - item - rater)

    def _given(self, known: float, items: bool, people: bool, shift: float) -> float:
        """The mean difference where one part of the logit is known, over items, over people or over both."""
        u, w = np.polynomial.hermite_e.hermegauss(NODES)
        own = self.item if items else 0.0
        spreads = [(self.some, np.hypot(own, self.lean)), (1 - self.some, own)] if people else [(1.0, own)]
        sided = sum(share * np.tanh((known + shift + spread * u) / 2) for share, spread in spreads)
        return self.differ * float(w @ sided) / float(w.sum())

    def draw(self, seats: Array, n_raters: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Return whether systems differ, ``(..., item)``, and who sides with A, ``(..., item, seat)``."""
        lead = seats.shape[:-2]
        differ = rng.random(seats.shape[:-1]) < self.differ
        lean = self.lean * rng.standard_normal((*lead, n_raters)) * (rng.random((*lead, n_raters)) < self.some)
        at = np.take_along_axis(lean, seats.reshape(*lead, -1), -1).reshape(seats.shape)
        logit = self.shift + self.item * rng.standard_normal(seats.shape[:-1])[..., None] + at
        return differ, rng.random(seats.shape) < 1 / (1 + np.exp(-logit))


WORLDS = {
    "raters alike": World(0.5, 1.0, 0.0, 0.15),
    "lean a little": World(0.5, 1.0, 0.25, 0.15),
    "lean": World(0.5, 1.0, 0.5, 0.2),
    "rare differences": World(0.1, 1.0, 0.25, 0.05),
    "one in five leans": World(0.5, 1.0, 1.0, 0.2, some=0.2),
    "items far apart": World(0.3, 2.0, 0.35, 0.1),
}


def seats_of(shape: tuple[int, ...], n_raters: int, per_item: int, rng: np.random.Generator) -> Array:
    """Who rates which item, ``(..., item, seat)``."""
    return np.argsort(rng.random((*shape, n_raters)), axis=-1)[..., :per_item]


def pilot_of(
    world: World, n_items: int, n_raters: int | None, per_item: int, rng: np.random.Generator
) -> tuple[Ratings, Systems]:
    """A pilot as it is read; nobody comes back where there is no number of raters."""
    people = n_raters or n_items * per_item
    seats = (
        np.arange(people).reshape(n_items, per_item)
        if n_raters is None
        else seats_of((n_items,), n_raters, per_item, rng)
    )
    differ, sides = world.draw(seats, people, rng)
    item = np.arange(n_items)
    said = np.where(sides.reshape(-1), "yes", "no")
    ratings = {"item": np.repeat(item, per_item), "rater": seats.reshape(-1), "response": said}
    answers = {
        "item": np.tile(item, 2),
        "system": np.repeat(["A", "B"], n_items),
        "response": np.concatenate([np.full(n_items, "yes"), np.where(differ, "no", "yes")]),
    }
    return read_systems(pl.DataFrame(answers), read_ratings(pl.DataFrame(ratings).cast(pl.String)))


def power_of(world: World, n: int, k: int, pool: int | None, studies: int, rng: np.random.Generator) -> float:
    """How often studies of n items with k raters each find A better."""
    people = pool or n * k
    seats = (
        np.broadcast_to(np.arange(people).reshape(n, k), (studies, n, k))
        if pool is None
        else seats_of((studies, n), people, k, rng)
    )
    differ, sides = world.draw(seats, people, rng)
    values = (np.where(sides, 1.0, -1.0) * differ[..., None]).reshape(studies, -1)
    if pool is None:
        pivot = mean_pivot(values.reshape(studies, n, k).mean(-1), reach=1.0)
    else:
        cells = seats.reshape(studies, -1)
        crossing = Crossing(np.repeat(np.arange(n), k), cells, np.full(cells.shape, 1 / (n * k)), n, people)
        pivot = crossed_pivot(values, crossing, reach=1.0)
    return float(np.mean((pivot.p_value(np.zeros(studies)) <= 0.05) & (pivot.estimate > 0)))


@cache
def right_items(name: str, pool: int) -> float:
    """How many items reach the goal in a world, with so many people."""
    world = WORLDS[name]
    law = RaterLaw(world.difference, world.parts, None, pool)
    source = PoolSource(metric=find_metric("agreement"), assumption="", people=SharedPool(law, pool))
    question = PlanQuestion("shared-raters", difference=world.difference, min_items=FEWEST)
    found = Search(question, source).fewest_items(PER_ITEM)
    return float("inf") if found is None else float(found)


def pilots(
    n_raters: int | None, sizes: tuple[int, ...], number: int, studies: int, rng: np.random.Generator
) -> Iterator[Row]:
    """What a plan says of itself, and what it gets, over pilots of so many items."""
    root = int(rng.integers(2**31))
    for n_items, name in product(sizes, WORLDS):
        seed = root, n_items, n_raters or 0, list(WORLDS).index(name)  # a row is the same whichever others are made
        each = (_one_pilot(name, n_items, n_raters, np.random.default_rng([*seed, turn])) for turn in range(number))
        found = [row for row in each if row is not None]
        said, got, held, more = (float(x) for x in np.mean(found, axis=0))
        gaps = np.array(found)[:, 0] - np.array(found)[:, 1]
        error = float(gaps.std(ddof=1) / np.sqrt(len(gaps)))
        raters = "new ones" if n_raters is None else f"{n_raters}, {'all' if n_raters == 6 else PER_ITEM} each"
        yield name, raters, n_items, said, got, said - got, error, held, more, len(found)


def _one_pilot(name: str, n_items: int, n_raters: int | None, rng: np.random.Generator) -> tuple[float, ...] | None:
    """Assurance said, power got, whether the range holds the right N, and whether more people were asked for."""
    world = WORLDS[name]
    ratings, systems = pilot_of(world, n_items, n_raters, 6 if n_raters == 6 else PER_ITEM, rng)
    question = PlanQuestion(
        pilot=(ratings, systems),
        difference=world.difference,
        raters=(PER_ITEM,),
        min_items=FEWEST,
        seed=int(rng.integers(2**31)),
    )
    try:
        made = recommend(pilot_source(question, ratings, systems.answers, None), question)
    except InputError:  # no difference in the whole pilot
        return None
    search, best = made.search, made.best
    source, people = search.source, search.source.people
    assert isinstance(source, PilotSource)
    pool = people.law.pool if isinstance(people, SharedPool) else None
    right = right_items(name, pool or 10**6)
    low, high = (np.inf if end is None else end for end in source.right_items(search, best))
    said = source.assurance(search, best.n_items, best.n_raters, best.power)
    got = power_of(world, best.n_items, best.n_raters, pool, EACH, rng)
    return said, got, float(low <= right <= high), float((pool or 0) > (n_raters or 0))


POPULATIONS: list[tuple[str, str, Answers]] = [
    ("dices", "agreement", 1),
    ("dices", "accuracy", 1),
    ("dices", "total_variation", 5),
    ("dices", "jensen_shannon", "raters"),
    ("toxicity", "agreement", 1),
    ("toxicity", "brier", "probabilities"),
    ("d3code", "agreement", 1),
    ("jobsq1", "agreement", 3),
    ("unbalanced-5", "agreement", 1),
    ("unbalanced-5", "kl", 5),
    ("uniform-normal", "mae", "raters"),
    ("uniform-normal", "crps", 1),
    ("toxicity-likert", "crps", 1),
]


def populations(number: int, studies: int, rng: np.random.Generator) -> Iterator[Row]:
    """What a plan from a population promises, and what studies drawn from it get."""
    for (preset, metric, answers), n_raters, effect in product(POPULATIONS, (1, 3), (0.6, 0.35)):
        found = plan(preset, metric=metric, effect=effect, answers=answers, raters=(n_raters,), min_items=FEWEST)
        world = Scenario(find_preset(preset).population, find_metric(metric), effect, answers=answers)
        got = population_power(world, found.best, studies, rng)
        n_items, said = found.best.n_items, found.best.power
        yield preset, metric, answers, n_raters, n_items, said, got, got - said


def population_power(world: Scenario, best: StudySize, studies: int, rng: np.random.Generator) -> float:
    """How often studies drawn from a population find A better."""
    passed, batch = 0, max(1, 1_000_000 // (best.n_items * (best.n_raters + 10)))
    for start in range(0, studies, batch):
        rows = min(batch, studies - start)
        drawn = draw_study(world, (rows, best.n_items), best.n_raters, rng=rng)
        pivot = mean_pivot(differences(world.metric, drawn), reach=scenario_reach(world))
        passed += int(((pivot.p_value(np.zeros(rows)) <= 0.05) & (pivot.estimate > 0)).sum())
    return passed / studies


PILOT = ("world", "raters", "pilot items", "said", "got", "gap", "± gap", "range holds", "more people", "pilots")
SECTIONS: dict[str, tuple[tuple[str, ...], Callable[[int, int, np.random.Generator], Iterator[Row]]]] = {
    "pilots of 6 raters": (PILOT, partial(pilots, 6, (30, 50, 100))),
    "pilots of 12 raters": (PILOT, partial(pilots, 12, (30, 50, 100))),
    "pilots of new raters": (PILOT, partial(pilots, None, (30, 50, 100))),
    "populations": (
        ("population", "metric", "answers", "raters", "items", "promised", "got", "difference"),
        populations,
    ),
    "ratings alone": (
        (
            "ratings",
            "metric",
            "raters",
            "people",
            "even shares",
            "items",
            "promised",
            "got",
            "gap",
            "items, taken as new",
            "then got",
        ),
        ratings_alone,
    ),
}


def main() -> None:
    """Print the tables, or put them into their page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", default=list(SECTIONS))
    parser.add_argument("--pilots", type=int, default=200)
    parser.add_argument("--studies", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help=f"put the tables into {PAGE}")
    given = parser.parse_args()
    for name in given.sections:
        head, rows = SECTIONS[name]
        lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
        print(f"\n### {name}\n\n{lines[0]}\n{lines[1]}", flush=True)
        for row in rows(given.pilots, given.studies, np.random.default_rng(given.seed)):
            lines.append(f"| {' | '.join(f'{x:.3f}' if isinstance(x, float) else str(x) for x in row)} |")
            print(lines[-1], flush=True)
            if given.write:
                PAGE.write_text(with_table(PAGE.read_text(), name, lines))


if __name__ == "__main__":
    main()
