"""What `plan` recommends: the purchase and its alternatives."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any, ClassVar

import polars as pl

from quorate._text import count, number, percent, table
from quorate.planning.people import PoolRow
from quorate.planning.purchases import Option
from quorate.planning.study_size import StudySize
from quorate.planning.words import asked_for, finite, money
from quorate.results.result import Result

__all__ = ["Option", "Planned"]

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
    best: StudySize
    options: tuple[Option, ...]
    by_raters: tuple[StudySize, ...]
    words: str
    grid: tuple[StudySize, ...] = ()
    curve: tuple[tuple[int, float], ...] = ()
    by_metric: Mapping[str, StudySize] | None = None
    by_pool: tuple[PoolRow, ...] = ()
    people: Mapping[str, Any] | None = None
    pilot: Mapping[str, Any] | None = None
    make_grid: Callable[[], tuple[StudySize, ...]] = field(default=tuple, repr=False)

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
                money(option.cost),
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
                number(finite(row.expected_p)),
                number(finite(row.detectable)),
                number(finite(row.smallest_ever)),
                "never enough" if row.items_needed is None else f"{row.items_needed:,}",
            ]
            for row in self.by_pool
        ]
        header = ["people", "items each", "items", "power", "expected p", "smallest seen", "smallest ever"]
        return table(rows, [*header, "items needed"])

    def _curve_chart(self) -> str:
        rows = [[f"{n:,}", percent(power), _bar(power)] for n, power in self.curve]
        each = "one rater" if self.best.n_raters == 1 else count(self.best.n_raters, "rater")
        return f"Power with {each} per item\n" + table(rows, ["items", "power", ""])

    def _pilot_words(self) -> str:
        p, lines = dict(self.pilot or {}), []
        if p.get("between") is not None:
            item, rest = (number(p[part], 4) for part in ("between", "within"))
            raters = f" and between raters of an item ({rest})"
            if p.get("between_raters") is not None:
                raters = f", between raters ({number(p['between_raters'], 4)}) and from answer to answer ({rest})"
            lines.append(f"Pilot: the difference varies between items (variance {item}){raters}.")
        lines.append(
            f"Other pilots like this one would {asked_for(p)} (5 to 95 %); counting that, power is "
            f"{percent(p['assurance'])}."
        )
        if p["replay"] is not None:
            lines.append(
                f"Of studies of this size drawn from the pilot itself, {percent(p['replay'])} favour the first system."
            )
        return "\n".join(lines)


SIZES = ["items", "raters each", "ratings", "cost", "power", "expected p", "interval width", "smallest seen"]


def _sizes(row: StudySize) -> list[str]:
    return [
        f"{row.n_items:,}",
        f"{row.n_raters}",
        f"{row.responses:,}",
        money(row.cost),
        percent(row.power),
        number(finite(row.expected_p)),
        number(finite(row.ci_width)),
        number(finite(row.detectable)),
    ]


def _bar(share: float) -> str:
    return "█" * max(1, round(24 * share))


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {key: None if isinstance(value, float) and not isfinite(value) else value for key, value in row.items()}
