"""The page of a sweep: power by raters per item, and the cheapest study of each setting."""

from quorate._text import number, percent
from quorate.planning.sweep import Sweep, SweepRow
from quorate.report import plots
from quorate.report.assemble import Column, assemble, draw, integer, rows_table
from quorate.report.page import Page, Plot, Section

__all__ = ["page"]

PLOTS = 4
"""Settings that are drawn; the table has them all."""
WANTED = 0.8
COLUMNS: dict[str, Column] = {
    "population": ("population", str),
    "metric": ("metric", str),
    "effect": ("effect", lambda effect: f"{effect:g}"),
    "responses": ("responses", integer),
    "n_items": ("items", integer),
    "n_raters": ("raters each", integer),
    "power": ("power", percent),
    "expected_p": ("expected p", number),
    "difference": ("difference", number),
    "ci_width": ("interval width", number),
}
METHOD = (
    "Every cell is worked out from the law of one item's difference at its number of raters, so all numbers of "
    "items come from the same draws. Expected p is the mean one-sided p over studies [forest]; power is the "
    "chance that the two-sided test of one study sees the difference, which is what a plan should promise.",
)


def page(result: Sweep, command: str = "") -> Page:
    """Return the page of a sweep."""
    settings = list(dict.fromkeys((row.population, row.metric, row.effect) for row in result.rows))
    cheapest = [vars(row) for key in settings if (row := _cheapest(result, key)) is not None]
    table = rows_table(f"Fewest responses with {percent(WANTED)} power, where the grid has one", cheapest, COLUMNS)
    return assemble(
        result,
        facts=[
            ("cells", integer(len(result.rows))),
            ("populations", integer(len({row.population for row in result.rows}))),
            ("metrics", integer(len({row.metric for row in result.rows}))),
        ],
        sections=[
            Section("At a glance", plots=[_plot(result, key) for key in settings[:PLOTS]]),
            Section("The cheapest study of each setting", tables=[table] if cheapest else []),
        ],
        method=METHOD,
        command=command,
    )


def _cheapest(result: Sweep, key: tuple[str, str, float]) -> SweepRow | None:
    enough = [row for row in _rows(result, key) if row.power >= WANTED]
    return min(enough, key=lambda row: (row.responses, -row.power), default=None)


def _plot(result: Sweep, key: tuple[str, str, float]) -> Plot:
    rows = _rows(result, key)
    best = max(rows, key=lambda row: row.power)
    alt = (
        f"Lines of power by raters per item for {key[0]}, {key[1]}, effect {key[2]:g}; the highest is "
        f"{percent(best.power)} with {best.n_items:,} items and {best.n_raters:,} raters each."
    )
    return draw(plots.sweep(result, *key), alt, rows_table("Every cell", [vars(row) for row in rows], COLUMNS))


def _rows(result: Sweep, key: tuple[str, str, float]) -> list[SweepRow]:
    return [row for row in result.rows if (row.population, row.metric, row.effect) == key]
