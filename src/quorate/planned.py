"""What `plan` recommends: the purchase, its alternatives, and how it is said."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isnan
from typing import Any, ClassVar

import polars as pl

from quorate._result import Result
from quorate._text import count, number, percent, table
from quorate.planning.search import Row

__all__ = ["Option", "Planned"]

BARS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class Option:
    """One purchase to choose from, with the one assumption that would break it."""

    name: str
    n_items: int
    n_raters: int
    responses: int
    cost: float
    power: float
    detectable: float | None
    inconclusive: float
    assumption: str


@dataclass(frozen=True)
class Planned(Result):
    """The answer of `plan`: print it, `to_dict` it, or take `to_frame` with one row per size of study.

    Parameters
    ----------
    metric, effect
        The metric, and the perturbation ε used or solved (None for a pilot with answers).
    best
        The recommended study.
    options
        Three or four purchases to choose from, "buy nothing" among them.
    by_raters
        The cheapest study for each number of raters per item.
    grid
        Every size asked for.
    by_metric
        With several metrics, the cheapest study of each.
    pilot
        From a pilot: variance components, the range of items that other pilots of this size would recommend, the
        assurance of the plan, and how often studies drawn from the pilot would have been decided.
    """

    verb: ClassVar[str] = "plan"
    metric: str
    effect: float | None
    best: Row
    options: tuple[Option, ...]
    by_raters: tuple[Row, ...]
    words: str
    grid: tuple[Row, ...] = ()
    by_metric: Mapping[str, Row] | None = None
    pilot: Mapping[str, Any] | None = None

    def sentence(self) -> str:
        """Say what to buy and what it promises."""
        return self.words

    def content(self) -> dict[str, Any]:
        """Return the fields of the contract."""
        return {
            "metric": self.metric,
            "effect": self.effect,
            "best": _plain(asdict(self.best)),
            "options": [_plain(asdict(option)) for option in self.options],
            "by_raters": [_plain(asdict(row)) for row in self.by_raters],
            "grid": [_plain(asdict(row)) for row in self.grid],
            "by_metric": {k: _plain(asdict(row)) for k, row in self.by_metric.items()} if self.by_metric else None,
            "pilot": None if self.pilot is None else _plain(dict(self.pilot)),
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one row per size of study: the grid if one was asked for, else the cheapest by raters."""
        return pl.DataFrame([_plain(asdict(row)) for row in self.grid or self.by_raters or (self.best,)])

    def __str__(self) -> str:
        parts = [self.words, "What to buy\n" + self._options_table()]
        if len(self.by_raters) > 1:
            parts.append("Cheapest study by raters per item\n" + self._raters_table())
        if self.by_metric:
            rows = [[name, *_sizes(row)] for name, row in sorted(self.by_metric.items(), key=lambda x: x[1].cost)]
            parts.append("Cheapest study by metric\n" + table(rows, ["metric", *SIZES]))
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
                number(option.detectable),
                option.assumption,
            ]
            for option in self.options
        ]
        header = ["purchase", "items", "raters each", "cost", "chance of verdict", "sees from", "breaks if"]
        return table(rows, header)

    def _raters_table(self) -> str:
        rows, most = [], max(row.cost for row in self.by_raters)
        for row in self.by_raters:
            bar = BARS[-1] * max(1, round(24 * row.cost / most))
            rows.append([*_sizes(row), bar])
        return table(rows, [*SIZES, "cost"])

    def _pilot_words(self) -> str:
        p = dict(self.pilot or {})
        lines = []
        if p.get("between") is not None:
            lines.append(
                f"Pilot: variance {number(p['between'], 4)} between items and {number(p['within'], 4)} between raters "
                "of an item."
            )
        lines.append(
            f"Other pilots like this would recommend {p['items_low']:,} to {p['items_high']:,} items (5 to 95 %); "
            f"counting that, the chance of a verdict is {percent(p['assurance'])}."
        )
        lines.append(
            f"Of studies of this size drawn from the pilot itself, {percent(p['replay'])} would have been decided."
        )
        return "\n".join(lines)


SIZES = ["items", "raters each", "ratings", "cost", "power", "expected p", "interval width", "sees from"]


def _sizes(row: Row) -> list[str]:
    return [
        f"{row.n_items:,}",
        f"{row.n_raters}",
        f"{row.responses:,}",
        _money(row.cost),
        percent(row.power),
        "–" if isnan(row.expected_p) else number(row.expected_p),
        number(row.ci_width),
        number(row.detectable),
    ]


def _money(cost: float) -> str:
    return f"{cost:,.0f}" if cost >= 100 or cost == int(cost) else f"{cost:,.2f}"


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {key: None if isinstance(value, float) and isnan(value) else value for key, value in row.items()}


def purchase_words(n_items: int, n_raters: int) -> str:
    """Say a purchase: 420 items with one rater each."""
    each = "one rater" if n_raters == 1 else count(n_raters, "rater")
    return f"{count(n_items, 'item')} with {each} each"
