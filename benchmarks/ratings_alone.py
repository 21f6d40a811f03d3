"""What `plan --from RATINGS` promises of a public table, and what studies drawn from the table get.

Run by `python -m benchmarks.plan_kept "ratings alone"`. The drawing shares no code with `quorate`. Studies draw items
of the table again and ask its people for as even a share of them as the table allows. A answers an item as another of
its raters did who is not asked, B as a third did but for the perturbation that the plan names: a share of answers at
random; of numbers, a mean that is off by up to so much.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import polars as pl

from quorate._typing import Array
from quorate.inference.crossed import Crossing, crossed_pivot
from quorate.planning.search import StudySize
from quorate.planning.verb import plan

DATA = Path("../shared/data")
ALONE = {
    "framing": ("agreement", 0.05),
    "hs_brexit": ("agreement", 0.04),
    "armis": ("agreement", 0.06),
    "convabuse": ("agreement", 0.05),
    "dices_350": ("agreement", 0.05),
    "weather_sentiment_amt": ("agreement", 0.06),
    "zencrowd_in": ("agreement", 0.06),
    "md_agreement": ("agreement", 0.05),
    "jobs_q1": ("agreement", 0.05),
    "summeval_experts": ("crps", 0.1),
    "cebab_stars": ("crps", 0.1),
    "prompts_10k": ("crps", 0.15),
    "lesion": ("crps", 0.15),
    "paraphrase": ("crps", 0.3),
}
"""Tables whose raters come back, the score, and the difference to plan for."""
STEPS, GRID, FEWEST = 40, 60, 100
"""Halvings of a perturbation, values of what an answer is off, and the fewest items of a table."""

Study = tuple[Array, Crossing]


@dataclass(frozen=True)
class Table:
    """What raters said of each item, ``(item, place)``, −1 where there is nobody; labels have no levels.

    Parameters
    ----------
    who, said
        People from 0, and their answers as positions on `levels`.
    levels
        The numbers that were given.
    n_levels
        How many different answers there are.
    """

    who: Array
    said: Array
    levels: Array | None
    n_levels: int

    @property
    def people(self) -> int:
        """How many people there are."""
        return int(self.who.max()) + 1

    @cached_property
    def apart(self) -> Array:
        """How much worse one answer is than another, ``(level, level)``."""
        if self.levels is None:
            return 1.0 - np.eye(self.n_levels)
        return np.asarray(np.abs(self.levels[:, None] - self.levels))

    def with_others(self, n_raters: int) -> "Table":
        """Leave out items on which nobody is left to answer as A and as B."""
        enough = (self.said >= 0).sum(1) >= n_raters + 2
        return replace(self, who=self.who[enough], said=self.said[enough])

    def perturbed(self, effect: float) -> Array:
        """How often a system that is perturbed by so much gives an answer in place of another, ``(level, level)``."""
        if self.levels is None:
            return (1 - effect) * np.eye(self.n_levels) + effect / self.n_levels
        even, step = (np.arange(GRID) + 0.5) / GRID * 2 - 1, float(np.diff(self.levels).min())
        off = (step / 2 * even[:, None] + effect * even).reshape(-1)  # an answer may have been any value of its level
        ends = np.concatenate([[-np.inf], (self.levels[1:] + self.levels[:-1]) / 2, [np.inf]])
        return np.stack([np.histogram(level + off, ends)[0] / len(off) for level in self.levels])

    @cached_property
    def pairs(self) -> Array:
        """How often two raters of an item answer this and that, ``(level, level)``."""
        counts = np.stack([(self.said == level).sum(1) for level in range(self.n_levels)], -1).astype(float)
        size = counts.sum(1)
        both = counts[:, :, None] * counts[:, None] - counts[:, :, None] * np.eye(self.n_levels)
        return np.asarray((both / (size * (size - 1))[:, None, None]).mean(0))

    def effect(self, difference: float) -> float:
        """How far B must be perturbed for A, which answers like a rater, to be so much better."""
        low, high = 0.0, 1.0 if self.levels is None else float(np.ptp(self.levels))
        for _ in range(STEPS):
            middle = (low + high) / 2
            lost = float((self.pairs * (self.perturbed(middle) @ self.apart - self.apart)).sum())
            low, high = (middle, high) if lost < difference else (low, middle)
        return high

    def leaning(self, n_raters: int) -> Array:
        """How much more often each is to be asked for all to rate as many items, where they can, ``(person,)``."""
        there, wish = self.said >= 0, np.ones(self.people)
        for _ in range(STEPS):
            asked = there * wish[self.who]
            asked = np.minimum(1.0, n_raters * asked / asked.sum(1, keepdims=True))
            load = np.bincount(self.who[there], asked[there], self.people)
            wish = np.clip(wish * np.sqrt(load.mean() / np.maximum(load, 1e-9)), 1e-6, 1e6)
        return wish

    def seats(self, item: Array, n_raters: int, wish: Array, rng: np.random.Generator) -> tuple[Array, ...]:
        """Draw the raters of items, ``(item, seat)``, and two of the others, ``(item,)`` each: what these answered."""
        there = self.said[item] >= 0
        wait = np.where(there, rng.standard_exponential(there.shape) / wish[self.who[item]], np.inf)
        seat = np.argpartition(wait, n_raters - 1, axis=1)[:, :n_raters]
        rest = np.where(there, rng.random(there.shape), np.inf)
        np.put_along_axis(rest, seat, np.inf, 1)
        other = np.argpartition(rest, 1, axis=1)[:, :2]
        a, b = np.take_along_axis(self.said[item], other, 1).T
        return item, seat, a, b

    def study(self, best: StudySize, people: int, wish: Array, moved: Array, rng: np.random.Generator) -> Study:
        """Draw a study; where more people are asked for than there are, each stands for several."""
        item, seat, a, b = self.seats(rng.integers(0, len(self.said), best.n_items), best.n_raters, wish, rng)
        said, who = (np.take_along_axis(each[item], seat, 1) for each in (self.said, self.who))
        who = who + self.people * rng.integers(0, -(-people // self.people), who.shape)
        b = (rng.random((len(b), 1)) > np.cumsum(moved[b], 1)[:, :-1]).sum(1)
        values = self.apart[b[:, None], said] - self.apart[a[:, None], said]
        _, code = np.unique(who, return_inverse=True)
        cells, code = np.repeat(np.arange(len(item)), best.n_raters), code.reshape(-1)
        weight = np.full(len(cells), 1 / len(cells))
        return values.reshape(-1), Crossing(cells, code, weight, len(item), int(code.max()) + 1)


def ratings_alone(number: int, studies: int, rng: np.random.Generator) -> Iterator[tuple[object, ...]]:
    """What `plan --from RATINGS` promises, and what studies drawn from the table get."""
    for name, (metric, difference) in ALONE.items():
        found = next(iter(DATA.glob(f"{name}/annotations.csv*")), None)
        if found is None:
            print(f"{name} is skipped: there is no {DATA / name}.")
            continue
        whole = read_table(found, metric)
        for n_raters in (1, 3):
            table = whole.with_others(n_raters)
            if len(table.said) < FEWEST:
                continue
            asked = partial(plan, from_ratings=str(found), metric=metric, difference=difference, raters=(n_raters,))
            made, as_new = asked(), asked(unit="items").best
            best, people = made.best, table.people if made.people is None else made.people.used
            got, alike = table_power(table, best, people, difference, studies, rng)
            then, _ = table_power(table, as_new, table.people, difference, studies, rng)
            gap = got - best.power
            yield (
                name,
                metric,
                n_raters,
                people,
                f"{alike:.1f}",
                best.n_items,
                best.power,
                got,
                gap,
                as_new.n_items,
                then,
            )


def read_table(path: Path, metric: str) -> Table:
    """Read who said what; labels are alike or not, numbers as far apart as they are."""
    rows = pl.read_csv(path).select("item", "rater", "response").unique(["item", "rater"], maintain_order=True)
    item, rater, answer = (rows[name].rank("dense").to_numpy().astype(int) - 1 for name in rows.columns)
    order = np.argsort(item, kind="stable")
    size = np.bincount(item)
    place = np.arange(len(order)) - np.repeat(np.cumsum(size) - size, size)
    who, said = np.zeros((len(size), size.max()), int), np.full((len(size), size.max()), -1)
    who[item[order], place], said[item[order], place] = rater[order], answer[order]
    levels = None if metric == "agreement" else rows["response"].unique().sort().to_numpy().astype(float)
    return Table(who, said, levels, int(answer.max()) + 1)


def table_power(
    table: Table, best: StudySize, people: int, difference: float, studies: int, rng: np.random.Generator
) -> tuple[float, float]:
    """How often studies drawn from a table find A better, and how many people with even shares would be as many."""
    moved, wish = table.perturbed(table.effect(difference)), table.leaning(best.n_raters)
    passed, alike = 0, 0.0
    for _ in range(studies):
        values, crossing = table.study(best, people, wish, moved, rng)
        pivot = crossed_pivot(values, crossing, reach=float(table.apart.max()))
        passed += bool(pivot.estimate > 0) and float(pivot.p_value(np.zeros(()))) <= 0.05
        alike += float(crossing.rater_df + 1) / studies
    return passed / studies, alike
