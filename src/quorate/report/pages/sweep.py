"""The page of a sweep: power by raters per item, and the cheapest study of each setting."""

from quorate._text import percent
from quorate.planning.sweep import Sweep
from quorate.report import plots
from quorate.report.assemble import assemble, draw
from quorate.report.page import Page, Plot, Section
from quorate.results.table import integer

__all__ = ["page"]

PLOTS = 4
"""Settings that are drawn; the table has them all."""
METHOD = (
    "Every cell is worked out from the law of one item's difference at its number of raters, so all numbers of "
    "items come from the same draws. Expected p is the mean one-sided p over studies [forest]; power is the "
    "chance that the two-sided test of one study sees the difference, which is what a plan should promise.",
)


def page(result: Sweep, command: str = "") -> Page:
    """Return the page of a sweep."""
    swept, cheapest = result.settings_swept, result.tables()["cheapest"]
    return assemble(
        result,
        facts=[
            ("cells", integer(len(result.rows))),
            ("populations", integer(len({row.population for row in result.rows}))),
            ("metrics", integer(len({row.metric for row in result.rows}))),
        ],
        sections=[
            Section("At a glance", plots=[_plot(result, key) for key in swept[:PLOTS]]),
            Section("The cheapest study of each setting", tables=[cheapest]),
        ],
        method=METHOD,
        command=command,
    )


def _plot(result: Sweep, key: tuple[str, str, float]) -> Plot:
    rows = result.rows_of(key)
    best = max(rows, key=lambda row: row.power)
    alt = (
        f"Lines of power by raters per item for {key[0]}, {key[1]}, effect {key[2]:g}; the highest is "
        f"{percent(best.power)} with {best.n_items:,} items and {best.n_raters:,} raters each."
    )
    return draw(plots.sweep(result, *key), alt, result.cell_table(key))
