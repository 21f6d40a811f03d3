"""What `plan` recommends: the purchase and its alternatives, with the tables people read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from quorate._text import Sentence, number, percent
from quorate.planning.boards import PlannedBoard
from quorate.planning.data_sheet import plan_data_sheet
from quorate.planning.people import PeopleReport, PoolSize
from quorate.planning.question import Goal, PlanQuestion
from quorate.planning.recommend import PurchaseOption, usual_sizes
from quorate.planning.search import Search, StudySize
from quorate.planning.words import DesignCost, money, raters_each, say_designs, say_pilot, to_buy
from quorate.results.result import Result, plain
from quorate.results.table import Column, Table, bar, integer, table_of

if TYPE_CHECKING:
    import polars as pl

SHOWN = (1, 2, 3, 5, 10, 20, 50)
"""Numbers of raters that the printed table shows, with the recommended one; a page and JSON have all."""
PURCHASES = {
    "name": Column("purchase"),
    "to_buy": Column("to buy"),
    "cost": Column("cost", money),
    "power": Column("power", percent),
    "n_items": Column("items", integer),
    "n_raters": Column("raters each", integer),
    "responses": Column("ratings", integer, terminal=False),
    "inconclusive": Column("undecided", percent),
    "detectable": Column("smallest seen", number),
    "assumption": Column("breaks if"),
}
IN_ALL = {"n_items": "items in all", "n_raters": "raters each", "responses": "ratings in all", "cost": "to pay"}
"""What columns are called where something is there already."""
SIZES = {
    "metric": Column("metric"),
    "n_items": Column("items", integer),
    "n_raters": Column("raters each", integer),
    "responses": Column("ratings", integer),
    "cost": Column("cost", money),
    "power": Column("power", percent),
    "expected_p": Column("expected p", number),
    "ci_width": Column("interval width", number),
    "detectable": Column("smallest seen", number),
    "bar": Column("", bar, page=False),
}
POOLS = {
    "pool": Column("people", integer),
    "items_each": Column("items each", lambda each: number(each, 1)),
    "n_items": Column("items", integer),
    "power": Column("power", percent),
    "expected_p": Column("expected p", number),
    "detectable": Column("smallest seen", number),
    "smallest_ever": Column("smallest with any items", number),
    "enough": Column("items needed"),
}
CURVE = {
    "n_items": Column("items", integer),
    "power": Column("power", percent),
    "bar": Column("", bar, page=False),
}


@dataclass(frozen=True)
class Planned(Result):
    """The answer of `plan`: print it, `to_dict` it, or take `to_frame` with one row per size of study.

    Parameters
    ----------
    metric, effect
        The metric, and the perturbation ε used or solved (None for a pilot with answers).
    goal
        What the study must reach.
    best
        The recommended study; with `have`, the study it leads to, and what it costs from here.
    options
        Three or four purchases to choose from, "buy nothing" among them.
    by_raters
        The cheapest study for each number of raters per item; with a budget alone, what it buys.
    words
        The plan in one sentence or two.
    grid
        Every size asked for.
    curve
        Items and power at the recommended number of raters.
    by_metric
        With several metrics, the cheapest study of each.
    people
        With a pool of raters: the pool, how many items each does, the smallest difference the pool can ever show, how
        many people would be enough, and what the recommended study promises with fewer and more people.
    pilot
        From a pilot: variance components, the range of items that may be right given the pilot, the
        assurance of the plan, and how often studies drawn from the pilot would have been decided.
    board
        Of votes between several systems: how many go to each pair, and what tells a pilot's neighbours apart.
    designs
        Of rated outputs: the pilot's own design and the other one, each with its cheapest study.
    search
        The question and its laws, from which further sizes can be worked out.
    """

    verb: ClassVar[str] = "plan"
    metric: str
    effect: float | None
    goal: Goal
    best: StudySize
    options: tuple[PurchaseOption, ...]
    by_raters: tuple[StudySize, ...]
    words: Sentence
    search: Search = field(repr=False, compare=False)
    grid: tuple[StudySize, ...] = ()
    curve: tuple[tuple[int, float], ...] = ()
    by_metric: Mapping[str, StudySize] | None = None
    people: PeopleReport | None = None
    pilot: Mapping[str, Any] | None = None
    designs: tuple[DesignCost, ...] = ()
    board: PlannedBoard | None = None

    @property
    def by_pool(self) -> tuple[PoolSize, ...]:
        """What the recommended study promises with fewer and more people; empty without a pool."""
        return () if self.people is None else self.people.by_pool

    @cached_property
    def sizes(self) -> tuple[StudySize, ...]:
        """The sizes asked for, else usual ones, worked out when they are first looked at."""
        return self.grid or usual_sizes(self.search) or self.by_raters

    def sentence(self) -> Sentence:
        """Say what to buy and what it promises."""
        return self.words

    def data_sheet(self) -> str:
        """Return what a paper reports of the plan."""
        return plan_data_sheet(self)

    def content(self) -> dict[str, Any]:
        """Return the fields of the JSON object."""
        return {
            "metric": self.metric,
            "effect": self.effect,
            "best": self.best,
            "options": [_purchase_row(each) for each in self.options],
            "by_raters": self.by_raters,
            "grid": self.grid,
            "curve": [{"n_items": n, "power": power} for n, power in self.curve],
            "by_metric": self.by_metric,
            "by_pool": [_pool_row(each) for each in self.by_pool],
            "people": None if self.people is None else _people_row(self.people),
            "pilot": self.pilot,
            **({"designs": self.designs} if self.designs else {}),
            **({"board": self.board} if self.board is not None else {}),
        }

    def to_frame(self) -> "pl.DataFrame":
        """Return one row per size of study: the sizes asked for, else a grid of usual ones."""
        import polars as pl

        told = {"metric": self.metric, "effect": self.effect}
        return pl.DataFrame([told | _row(size) for size in self.sizes], schema_overrides={"effect": pl.Float64})

    def tables(self) -> dict[str, Table]:
        """Return purchases, the cheapest study by raters, people, power by items, and by metric."""
        tables = {"purchases": self._purchases_table()}
        neighbours = None if self.board is None else self.board.table()
        if neighbours is not None:
            tables["neighbours"] = neighbours
        if len(self.by_raters) > 1:
            tables |= self._raters_tables()
        if self.by_pool:
            pools = worded(POOLS, self.search.question)
            tables["people"] = table_of("By number of people", [_pool_words(each) for each in self.by_pool], pools)
        if len(self.curve) > 1:
            rows = [{"n_items": n, "power": power, "bar": power} for n, power in self.curve]
            tables["curve"] = table_of(f"Power with {raters_each(self.best.n_raters)} per item", rows, CURVE)
        if self.by_metric:
            cheapest = sorted(self.by_metric.items(), key=lambda pair: pair[1].cost)
            tables["metrics"] = table_of(
                "By metric",
                [{"metric": name, **_row(size)} for name, size in cheapest],
                worded(SIZES, self.search.question),
            )
        return tables

    def _purchases_table(self) -> Table:
        """What to choose from; with something there already, what to buy and what there is then."""
        question = self.search.question
        there = question.there
        rows = [_purchase_row(each) for each in self.options]
        if there is None:
            return table_of("What to buy", rows, worded(PURCHASES, question), strong=0)
        rows = [row | {"to_buy": to_buy(each, there)} for row, each in zip(rows, self.options, strict=True)]
        columns = {key: replace(column, title=IN_ALL.get(key, column.title)) for key, column in PURCHASES.items()}
        return table_of("What to buy, and what there is then", rows, worded(columns, question), strong=0)

    def _raters_tables(self) -> dict[str, Table]:
        """The cheapest study by raters: some with a bar of their cost, and all behind a plot."""
        question = self.search.question
        asked = (*SHOWN, self.best.n_raters, *(question.rater_numbers or ()))
        shown = [size for size in self.by_raters if size.n_raters in asked] or self.by_raters
        columns, anew = worded(SIZES, question), "" if question.there is None else ", bought from nothing"
        most = max(size.cost for size in shown)
        rows = [_row(size) | {"bar": size.cost / most} for size in shown]
        every = [_row(size) for size in self.by_raters]
        strong = next((i for i, size in enumerate(self.by_raters) if size.n_raters == self.best.n_raters), None)
        caption = f"The cheapest study by raters per item{anew}"
        return {
            "raters": table_of(f"By raters per item{anew}", rows, columns),
            "all raters": table_of(caption, every, columns, strong=strong, numbers=True),
        }

    def sizes_table(self) -> Table:
        """Return the table of all sizes, behind their map."""
        columns = worded(SIZES, self.search.question)
        return table_of("Power by size of study", [_row(size) for size in self.sizes], columns, numbers=True)

    def notes(self) -> Sequence[str]:
        """Say which design of rated outputs is cheaper, and what a pilot leaves open."""
        designs = [say_designs(self.designs)] if self.designs else []
        return (*designs, *([] if self.pilot is None else ["\n".join(say_pilot(self.pilot))]))


def worded(columns: Mapping[str, Column], question: PlanQuestion) -> dict[str, Column]:
    """Return columns whose cost says what it is in, and whose differences are the one asked for where they meet it."""

    def seen(difference: float) -> str:
        return number(question.shown_difference(difference))

    shown = {**columns, "detectable": replace(columns["detectable"], write=seen)}
    if question.currency and "cost" in columns:
        shown["cost"] = replace(columns["cost"], title=f"{columns['cost'].title} ({question.currency})")
    return shown


def _row(size: StudySize) -> dict[str, Any]:
    row: dict[str, Any] = plain(size)
    return row


def _purchase_row(purchase: PurchaseOption) -> dict[str, Any]:
    row = _row(purchase.size) | plain(purchase)
    return {key: row[key] for key in PURCHASES if key != "to_buy"}


def _pool_row(pool: PoolSize) -> dict[str, Any]:
    size = _row(pool.size)
    return {
        "pool": pool.pool,
        "items_each": pool.items_each,
        **{key: size[key] for key in ("n_items", "n_raters", "power", "expected_p", "ci_width", "detectable")},
        "smallest_ever": plain(pool.smallest_ever),
        "items_needed": pool.items_needed,
    }


def _pool_words(pool: PoolSize) -> dict[str, Any]:
    needed = pool.items_needed
    return _pool_row(pool) | {"enough": "never enough" if needed is None else integer(needed)}


def _people_row(people: PeopleReport) -> dict[str, Any]:
    parts, told = people.variance, ("pool", "used", "max_per_rater", "items_each", "smallest_ever", "recruit")
    return {
        **{name: getattr(people, name) for name in told},
        "variance": None if parts is None else dict(zip(("item", "rater", "rest"), parts.amounts, strict=True)),
        "rater_share": None if parts is None else parts.rater_share,
    }
