"""What `plan` recommends: the purchase, its alternatives, and how it is said."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any, ClassVar

import polars as pl

from quorate._result import Result
from quorate._text import count, number, percent, table
from quorate.planning.people import PoolRow
from quorate.planning.purchases import Option
from quorate.planning.recommend import Ask, Found, Staff
from quorate.planning.search import Prices, Row
from quorate.planning.sources import Source

__all__ = ["Option", "Planned", "say_plan"]

SHOWN = (1, 2, 3, 5, 10, 20, 50)
"""Numbers of raters that the printed table shows, with the recommended one; JSON has all."""


@dataclass(frozen=True)
class Planned(Result):
    """The answer of `plan`: print it, `to_dict` it, or take `to_frame` with one row per size of study.

    Parameters
    ----------
    metric, effect
        The metric, and the perturbation ε used or solved (None for a pilot with answers).
    best
        The recommended study; with `have`, the study it leads to, and what it costs from here.
    options
        Three or four purchases to choose from, "buy nothing" among them.
    by_raters
        The cheapest study for each number of raters per item; with a budget alone, what it buys.
    grid
        Every size asked for.
    curve
        Items and power at the recommended number of raters.
    by_metric
        With several metrics, the cheapest study of each.
    by_pool, people
        With a pool of raters: what the recommended study promises with fewer and more people; the pool, how many items
        each does, the smallest difference the pool can ever show, and how many people would be enough.
    pilot
        From a pilot: variance components, the range of items that other pilots of this size would recommend, the
        assurance of the plan, and how often studies drawn from the pilot would have been decided.
    make_grid
        Returns the table that is written when no sizes were asked for.
    """

    verb: ClassVar[str] = "plan"
    metric: str
    effect: float | None
    best: Row
    options: tuple[Option, ...]
    by_raters: tuple[Row, ...]
    words: str
    grid: tuple[Row, ...] = ()
    curve: tuple[tuple[int, float], ...] = ()
    by_metric: Mapping[str, Row] | None = None
    by_pool: tuple[PoolRow, ...] = ()
    people: Mapping[str, Any] | None = None
    pilot: Mapping[str, Any] | None = None
    make_grid: Callable[[], tuple[Row, ...]] = field(default=tuple, repr=False)

    def sentence(self) -> str:
        """Say what to buy and what it promises."""
        return self.words

    def content(self) -> dict[str, Any]:
        """Return the fields of the JSON object."""
        return {
            "metric": self.metric,
            "effect": self.effect,
            "best": _plain(asdict(self.best)),
            "options": [_plain(asdict(option)) for option in self.options],
            "by_raters": [_plain(asdict(row)) for row in self.by_raters],
            "grid": [_plain(asdict(row)) for row in self.grid],
            "curve": [{"n_items": n, "power": power} for n, power in self.curve],
            "by_metric": {k: _plain(asdict(row)) for k, row in self.by_metric.items()} if self.by_metric else None,
            "by_pool": [_plain(asdict(row)) for row in self.by_pool],
            "people": None if self.people is None else _plain(dict(self.people)),
            "pilot": None if self.pilot is None else _plain(dict(self.pilot)),
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one row per size of study: the sizes asked for, else a grid of usual ones."""
        rows = self.grid or self.make_grid() or self.by_raters
        told = {"metric": self.metric, "effect": self.effect}
        return pl.DataFrame([told | _plain(asdict(row)) for row in rows], schema_overrides={"effect": pl.Float64})

    def __str__(self) -> str:
        parts = [self.words, "What to buy\n" + self._options_table()]
        if len(self.by_raters) > 1:
            parts.append("By raters per item\n" + self._raters_table())
        if self.by_pool:
            parts.append("By number of people\n" + self._pool_table())
        if len(self.curve) > 1:
            parts.append(self._curve_chart())
        if self.by_metric:
            rows = [[name, *_sizes(row)] for name, row in sorted(self.by_metric.items(), key=lambda x: x[1].cost)]
            parts.append("By metric\n" + table(rows, ["metric", *SIZES]))
        if self.pilot:
            parts.append(self._pilot_words())
        return "\n\n".join(parts + [f"Warning: {warning}" for warning in self.warnings])

    def _options_table(self) -> str:
        rows = [
            [
                option.name,
                f"{option.n_items:,}",
                f"{option.n_raters}",
                _money(option.cost),
                percent(option.power),
                percent(option.inconclusive),
                number(option.detectable),
                option.assumption,
            ]
            for option in self.options
        ]
        header = ["purchase", "items", "raters each", "cost", "power", "ends open", "smallest seen", "breaks if"]
        return table(rows, header)

    def _raters_table(self) -> str:
        shown = [row for row in self.by_raters if row.n_raters in (*SHOWN, self.best.n_raters)] or self.by_raters
        most = max(row.cost for row in shown)
        return table([[*_sizes(row), _bar(row.cost / most)] for row in shown], [*SIZES, ""])

    def _pool_table(self) -> str:
        rows = [
            [
                f"{row.pool:,}",
                number(row.items_each, 1),
                f"{row.n_items:,}",
                percent(row.power),
                number(_finite(row.expected_p)),
                number(_finite(row.detectable)),
                number(_finite(row.smallest_ever)),
                "never enough" if row.items_needed is None else f"{row.items_needed:,}",
            ]
            for row in self.by_pool
        ]
        header = [
            "people",
            "items each",
            "items",
            "power",
            "expected p",
            "smallest seen",
            "smallest ever",
            "items needed",
        ]
        return table(rows, header)

    def _curve_chart(self) -> str:
        rows = [[f"{n:,}", percent(power), _bar(power)] for n, power in self.curve]
        each = "one rater" if self.best.n_raters == 1 else count(self.best.n_raters, "rater")
        return f"Power with {each} per item\n" + table(rows, ["items", "power", ""])

    def _pilot_words(self) -> str:
        p, lines = dict(self.pilot or {}), []
        if p.get("between") is not None:
            raters = f"between raters of an item ({number(p['within'], 4)})"
            if p.get("between_raters") is not None:
                raters = f"between raters ({number(p['between_raters'], 4)}) and from answer to answer ({number(p['within'], 4)})"
            lines.append(
                f"Pilot: the difference varies between items (variance {number(p['between'], 4)}) and {raters}."
            )
        low, high = (
            f"{n:,}" if n is not None else "more than any number of" for n in (p["items_low"], p["items_high"])
        )
        lines.append(
            f"Other pilots like this one would ask for {low} to {high} items (5 to 95 %); counting that, power is "
            f"{percent(p['assurance'])}."
        )
        if p["replay"] is not None:
            lines.append(
                f"Of studies of this size drawn from the pilot itself, {percent(p['replay'])} favour the first system."
            )
        return "\n".join(lines)


SIZES = ["items", "raters each", "ratings", "cost", "power", "expected p", "interval width", "smallest seen"]


def say_plan(source: Source, found: Found, ask: Ask, option: Option, by_metric: Mapping[str, Row] | None) -> str:
    """Say the plan: what to buy, what it shows with which chance, on which assumption, and why so many raters."""
    best = found.best
    start = (
        f"{_purchase(best, option, ask)}{_crew(found.staff, best)}: {_promise(source, best, ask)}, {source.explained}."
    )
    if by_metric:
        rest = ", ".join(name for name in by_metric if name != source.metric.name)
        alike = max(row.cost for row in by_metric.values()) <= 1.01 * best.cost
        start += f" {source.metric.name} needs {'as much as' if alike else 'least, compared with'} {rest}."
    return f"{start} {_why(source, best, ask)}{_reach(source, found.staff)}"


def _crew(staff: Staff | None, best: Row) -> str:
    if staff is None:
        return ""
    each = best.responses / min(staff.used, best.responses)
    return f", from {count(staff.used, 'person', 'people')} with about {count(max(round(each), 1), 'item')} each"


def _reach(source: Source, staff: Staff | None) -> str:
    """Say how far the people reach, and how many would be enough."""
    if staff is None:
        return ""
    model = source.raters
    limit = model.max_per_rater if model is not None else None
    most = "however many items you buy" if limit is None else f"with at most {count(limit, 'item')} each"
    people = count(staff.asked, "person", "people")
    if staff.used > staff.asked:
        ever = number(_finite(staff.smallest_ever))
        return f" With {people} the smallest difference you can ever see is {ever}, {most}: recruit {staff.used:,}."
    found = (
        f" With {people} the smallest difference you can ever see is {number(_finite(staff.smallest_ever))}, {most}."
    )
    fewer = next((row.items_needed for row in staff.by_pool if row.pool == staff.recruit), None)
    if staff.recruit > staff.asked and fewer is not None:
        found += f" With {staff.recruit:,} people {count(fewer, 'item')} would do."
    return found


def _purchase(best: Row, option: Option, ask: Ask) -> str:
    if ask.have is not None:
        return _next_purchase(best, option, ask.have)
    fixed = ask.items is not None and ask.raters is not None and len(ask.items) == len(ask.raters) == 1
    size = f"{count(best.n_items, 'item')} with {_raters(best.n_raters)} each"
    size += "" if best.n_raters == 1 else f", {best.responses:,} ratings in all"
    price = "" if ask.prices == Prices() else f", for {_money(best.cost)}"
    return f"{size}{price}" if fixed else f"Buy {size}{price}"


def _next_purchase(best: Row, option: Option, have: tuple[int, int]) -> str:
    there = f"{count(have[0], 'item')} with {_raters(have[1])} each"
    if option.name == "buy nothing":
        return (
            f"Buy nothing, the {there} are enough" if best.power > 0.5 else f"Nothing is worth buying for the {there}"
        )
    if option.name == "more items":
        added = f"{count(best.n_items - have[0], 'more item')} with {_raters(have[1])} each"
    else:
        added = f"{count(best.n_raters - have[1], 'more rater')} for each of the {count(have[0], 'item')}"
    return f"To the {there} add {added}, for {_money(option.cost)}, and decide that number now"


def _promise(source: Source, best: Row, ask: Ask) -> str:
    title, chance = source.metric.title, f"with {percent(best.power)} chance"
    if ask.goal.kind == "equivalence":
        return f"this shows {chance} that the systems differ by less than {number(ask.margin)} in {title}"
    if ask.margin is not None:
        return f"this rules out {chance} that system A is worse by {number(ask.margin)} or more in {title}"
    seen = f"a difference of {number(best.difference)} in {title}"
    if ask.goal.kind == "width":
        return f"the interval for {seen} is about {number(best.ci_width)} wide, and it is seen {chance}"
    if ask.goal.kind == "p":
        return f"{seen} has an expected p of {number(best.expected_p)}, and a test of one study sees it {chance}"
    return f"{seen} is seen {chance} (two-sided test, {percent(ask.confidence)} confidence)"


def _why(source: Source, best: Row, ask: Ask) -> str:
    """Say why this number of raters."""
    if ask.raters is not None and len(ask.raters) == 1:
        least = number(_finite(best.detectable))
        return f"With {percent(ask.goal.power)} chance this size sees differences from {least} up."
    if best.n_raters == 1:
        return "One rater per item, because a new item tells more than a second opinion on an old one."
    if ask.have is not None:
        return "Looking first and buying more afterwards would break the error rate."
    if ask.prices.item > 0:
        return "More than one rater per item pays here, because items cost money too."
    if best.n_items <= ask.min_items:
        return f"More than one rater only because fewer than {count(ask.min_items, 'item')} are not trusted."
    if source.answers == "raters":
        return "More raters per item pay here, because the systems answer as often as the raters, free of charge."
    return f"More raters per item pay here, because {source.metric.title} reads an item's whole panel."


def _raters(n: int) -> str:
    return "one rater" if n == 1 else count(n, "rater")


def _sizes(row: Row) -> list[str]:
    return [
        f"{row.n_items:,}",
        f"{row.n_raters}",
        f"{row.responses:,}",
        _money(row.cost),
        percent(row.power),
        number(_finite(row.expected_p)),
        number(_finite(row.ci_width)),
        number(_finite(row.detectable)),
    ]


def _bar(share: float) -> str:
    return "█" * max(1, round(24 * share))


def _money(cost: float) -> str:
    return f"{cost:,.0f}" if cost >= 100 or cost == int(cost) else f"{cost:,.2f}"


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {key: None if isinstance(value, float) and not isfinite(value) else value for key, value in row.items()}
