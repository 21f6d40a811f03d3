"""A plan for a pool of people is kept: studies of the recommended size, judged two-way, are decided as promised."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from quorate._random import generator
from quorate._typing import Array
from quorate.agreement.variance_parts import VarianceParts
from quorate.auditing.verb import audit
from quorate.inference.crossed import Crossing, crossed_pivot
from quorate.inference.means import mean_test
from quorate.metrics import find_metric
from quorate.planning.laws.rater_law import RaterLaw
from quorate.planning.laws.study_law import passing
from quorate.planning.people import SharedPool
from quorate.planning.question import PlanQuestion
from quorate.planning.result import Planned
from quorate.planning.search import Search
from quorate.planning.sources.returning_raters import PoolSource
from quorate.planning.verb import plan
from tests.studies import pick

Z, STATED = 5.0, 0.01
STUDIES = 1000
"""The approximations – normal limit, V_cell known, items' and raters' sides independent – cost at most 0.01."""


@dataclass(frozen=True)
class Voters:
    """A says yes and B no; rater j says yes to item i with probability p_i + lean_j, both uniform."""

    mean: float
    items: float
    lean: float

    @property
    def parts(self) -> VarianceParts:
        """A rater's difference is ±1 with mean 2 (p + lean) − 1: item 4 Var p, rater 4 Var lean, rest 1 − E[mean²]."""
        item, rater = 4 * self.items**2 / 3, 4 * self.lean**2 / 3
        return VarianceParts(item, rater, 1 - (self.mean**2 + item + rater))

    def draw(self, shape: tuple[int, int, int], item: Array, rater: Array, rng: np.random.Generator) -> Array:
        studies, n, people = shape
        middle = (1 + self.mean) / 2
        p = middle + self.items * rng.uniform(-1, 1, (studies, n))[:, item]
        yes = rng.random((studies, len(item))) < p + self.lean * rng.uniform(-1, 1, (studies, people))[:, rater]
        return np.where(yes, 1.0, -1.0)


@dataclass(frozen=True)
class Normals:
    """Normal parts: the model itself."""

    mean: float
    parts: VarianceParts

    def draw(self, shape: tuple[int, int, int], item: Array, rater: Array, rng: np.random.Generator) -> Array:
        studies, n, people = shape
        parts = self.parts
        own, lean, rest = (np.sqrt(float(part or 0.0)) for part in (parts.item, parts.rater, parts.residual))
        values: Array = self.mean + own * rng.normal(size=(studies, n))[:, item]
        values += lean * rng.normal(size=(studies, people))[:, rater]
        values += rest * rng.normal(size=(studies, len(item)))
        return values


WORLDS: dict[str, Voters | Normals] = {
    "voters": Voters(mean=0.15, items=0.3, lean=0.12),
    "many voters": Voters(mean=0.06, items=0.25, lean=0.1),
    "normal": Normals(0.2, VarianceParts(0.1, 0.01, 0.5)),
    "raters alike": Normals(0.12, VarianceParts(0.1, 0.0, 0.5)),
}
CASES = [
    ("voters", 12, (1, 3), None),
    ("voters", 20, (3,), 60),
    ("many voters", 80, (2,), None),
    ("normal", 6, (1, 2, 6), None),
    ("normal", 10, (5,), None),
    ("raters alike", 5, (3,), None),
]


def recommended(model: RaterLaw, raters: tuple[int, ...]) -> tuple[int, int, float]:
    """The cheapest study for 80 % power."""
    people = SharedPool(model, model.pool)
    source = PoolSource(metric=find_metric("agreement"), assumption="", people=people)
    search = Search(PlanQuestion("shared-raters", difference=model.mean), source)
    best = min(search.cheapest(raters), key=lambda row: row.cost)
    return best.n_items, best.n_raters, best.power


def studies(
    world: Voters | Normals, n: int, k: int, people: int, *, key: str, number: int = STUDIES
) -> tuple[Array, Crossing]:
    """Draw whole studies; everybody takes a turn, in an order shuffled item by item so that all raters meet."""
    rng = generator(11, "kept raters", key)
    turns = np.concatenate([rng.permutation(people) for _ in range(-(-n * k // people) + 1)])
    turns = turns[: n * k]
    item = np.repeat(np.arange(n), k)
    for place in np.flatnonzero([len(set(turns[i * k : i * k + k])) < k for i in range(n)]):
        turns[place * k : place * k + k] = rng.choice(people, k, replace=False)  # nobody rates an item twice
    crossing = Crossing(item, turns, np.full(n * k, 1 / (n * k)), n, people)
    return world.draw((number, n, people), item, turns, rng), crossing


def decided(values: Array, crossing: Crossing) -> float:
    """Share of studies whose two-way interval lies above 0, which is where p of 0 is at most 0.05."""
    pivot = crossed_pivot(values, crossing)
    return float(((pivot.p_value(np.zeros(len(values))) <= 0.05) & (pivot.estimate > 0)).mean())


def kept(share: float, promised: float) -> bool:
    return bool(abs(share - promised) <= Z * np.sqrt(promised * (1 - promised) / STUDIES) + STATED)


@pytest.mark.parametrize(("name", "pool", "raters", "limit"), CASES)
def test_studies_of_the_recommended_size_are_decided_as_promised(
    name: str, pool: int, raters: tuple[int, ...], limit: int | None
) -> None:
    world = WORLDS[name]
    n, k, promised = recommended(RaterLaw(world.mean, world.parts, None, pool, limit), raters)
    assert 0.8 <= promised < 0.83
    assert limit is None or n * k <= pool * limit
    values, crossing = studies(world, n, k, pool, key=f"{name} {pool}")
    assert kept(decided(values, crossing), promised)


def test_control_a_plan_that_forgets_the_raters_is_not_kept() -> None:
    world = WORLDS["voters"]
    parts = world.parts
    assert parts.rater is not None
    assert parts.residual is not None
    forgetful = VarianceParts(parts.item, 0.0, parts.residual + parts.rater)  # the same spread, all of it within items
    n, k, promised = recommended(RaterLaw(world.mean, forgetful, None, 12), (3,))
    values, crossing = studies(world, n, k, 12, key="forgetful")
    assert not kept(decided(values, crossing), promised)


def test_control_the_item_only_test_breaks_the_level() -> None:
    world = Voters(mean=0.0, items=0.3, lean=0.12)
    values, crossing = studies(world, 300, 3, 12, key="level")
    by_item = values.reshape(STUDIES, 300, 3).mean(-1)
    item_only = float((mean_test(by_item).p_value <= 0.05).mean())
    two_way = float((crossed_pivot(values, crossing).p_value(np.zeros(STUDIES)) <= 0.05).mean())
    error = np.sqrt(0.05 * 0.95 / STUDIES)
    assert item_only > 0.05 + Z * error
    assert two_way <= 0.05 + Z * error


def test_the_promise_holds_away_from_the_goal_too() -> None:
    world = WORLDS["normal"]
    model = RaterLaw(world.mean, world.parts, None, 6)
    for n, k in ((40, 2), (600, 3)):
        promised = passing(replace(model, n_raters=k).pivot(n), 0.0, 0.95)
        values, crossing = studies(world, n, k, 6, key=f"away {n}")
        assert kept(decided(values, crossing), promised)


def audited(found: Planned, pool: int) -> tuple[float, float]:
    """Power and width of compare's own test on 1000 studies of the planned size, raters and their answers drawn."""
    assert found.effect is not None
    best = found.best
    row = audit(
        "shared-raters",
        items=best.n_items,
        raters=best.n_raters,
        pool=pool,
        replicates=STUDIES,
        effect=found.effect,
        unit="items+raters",
    ).rows[0]
    assert row.ci_width is not None
    return row.rejection_rate, row.ci_width


@pytest.mark.parametrize(
    ("difference", "pool", "raters"), pick([(0.3, 8, 2)], [(0.15, 20, 3), (0.3, 8, 2), (0.25, 10, 10)])
)
def test_an_audit_finds_what_a_plan_promised(difference: float, pool: int, raters: int) -> None:
    found = plan("shared-raters", difference=difference, pool=pool, raters=(raters,))
    assert found.people is not None
    assert found.people.used == pool
    power, width = audited(found, pool)
    assert kept(power, found.best.power)
    # widths vary like s: with ν ≥ 7 their sd is below 1 / sqrt(2 · 7) of the mean
    assert abs(width / found.best.ci_width - 1) <= 0.02 + Z / np.sqrt(14 * STUDIES)


def test_control_an_audit_with_fewer_people_does_not() -> None:
    found = plan("shared-raters", difference=0.15, pool=20, raters=(3,))
    power, _ = audited(found, 6)
    assert not kept(power, found.best.power)
