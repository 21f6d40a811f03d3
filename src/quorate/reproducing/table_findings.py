"""Findings about [leaderboard] and [ratings], said from the cells of a reproduction; see `findings`."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from quorate.reproducing.cell import Cell

if TYPE_CHECKING:
    from quorate.reproducing.findings import Cells

__all__ = ["TABLE_FINDINGS"]


def _true_p(cells: "Cells", *, emd: bool) -> list[Cell]:
    """True p-values of tables 5 to 14, of the EMD rows or of the others."""
    found = [cell for table in range(5, 15) for cell in cells.all("leaderboard", f"Table {table}", column="true p")]
    return [cell for cell in found if cell.row.startswith(("EMD", "Mean Agg")) == emd]


def _matches(cells: Sequence[Cell]) -> str:
    return f"{sum(cell.verdict == 'match' for cell in cells)} of {len(cells)}"


def _readings(cells: "Cells", *rows: str) -> str:
    found = [cell for row in rows if (cell := cells.one("leaderboard", "Other readings", row)) is not None]
    return "; ".join(f"{c.row}: {c.column}, published {c.published:.3g}, this way {c.ours:.3g}" for c in found)


def _world(cells: "Cells") -> str:
    true, said = _true_p(cells, emd=False), _readings(cells, "sds U(0, 2)", "sds U(0, 0.2)", "B's means", "cosine")
    if not true or not said:
        return ""
    return (
        "Algorithm 3 prints sds from U(0, 2) and does not say that B's shifted means stay on the scale. The tables "
        f"need U(0, 0.3) and means clamped to [0, 1]: then {_matches(true)} true p-values of tables 5 to 14 are met "
        f"(rows of EMD apart). Other readings miss them: {said}."
    )


def _counts(cells: "Cells") -> str:
    true, said = _true_p(cells, emd=True), _readings(cells, "EMD of item means", "EMD of each item")
    if not true or not said:
        return ""
    return (
        "The EMD rows are met by the distance between the *counts* of two histograms on [0, 1], as if counts were "
        f"answers: 100 bins for a set and 5 for an item give {_matches(true)} true p-values. Such a distance forgets "
        f"where the bins lie. The distance proper sees far more: {said}. It is what quorate computes."
    )


def _promise(cells: "Cells") -> str:
    rates = cells.all("leaderboard", "Error rates")
    if not rates:
        return ""
    lines = [
        "With *all* or the *first* answers both systems of the null world get the same pooled answers; the null is a "
        "point, and p a one-sided tail whose side is chosen afterwards. With resampled answers the noise of "
        "resampling is added to that of the test set. How often systems that are the same are told apart at p ≤ 0.05:",
        "",
        "| sampler | rejected |",
        "|---|--:|",
    ]
    return "\n".join([*lines, *(f"| {cell.row} | {cell.ours:.3f} ± {cell.error:.3f} |" for cell in rates)])


def _one_set(cells: "Cells") -> str:
    simulated, real = (
        [c for t in tables for c in cells.all("leaderboard", f"Table {t}", column="p estimated from one test set")]
        for tables in (range(5, 10), range(10, 15))
    )
    claims = cells.all("leaderboard", "Text, sec. 7")
    if not simulated:
        return ""
    said = "".join(f"\n- {cell.row}: {cell.column}? {cell.reason[0].upper()}{cell.reason[1:]}." for cell in claims)
    return (
        "Every estimated p, and with it every ranking of metrics and samplers in tables 1 to 4, rests on one random "
        f"test set. Of the printed estimates {_matches(simulated)} lie in the central 99.9 % of ours over many "
        f"simulated test sets, {_matches(real)} where the paper has 1000 real comments and we draw them."
        + (f" What is said about the smallest error, on the average over test sets:\n{said}" if said else "")
    )


def _power(cells: "Cells") -> str:
    power = cells.all("ratings", "Figure 5", column="power")
    rates = {cell.row: cell for cell in cells.all("ratings", "Figure 5", column="type-I error")}
    if not power:
        return ""
    lines = [
        "The multistage bootstrap is shown as the most powerful test. Read as a comparison with a *known* null world "
        "it is, being one-sided and knowing more than one data set can tell; read as resampling one test set it is "
        "the least powerful, because it adds the noise of resampling to that of the data.",
        "",
        "| size and test | power | type-I error |",
        "|---|--:|--:|",
    ]
    both = [(cell, rates[cell.row]) for cell in power if cell.published is None and cell.row in rates]
    return "\n".join([*lines, *(f"| {cell.row} | {cell.ours:.2f} | {rate.ours:.3f} |" for cell, rate in both)])


def _once(cells: "Cells") -> str:
    rows = [cell for cell in cells.all("ratings", "Figure 2") if "answer once" in cell.row]
    if not rows:
        return ""
    said = "\n".join(f"- {cell.row.split(', systems')[0]}: {cell.reason.split(': the trend')[0]}." for cell in rows)
    return (
        "At a fixed number of responses p falls as raters per item rise, as figure 2 shows – as long as each system "
        f"answers as often as there are raters, for free. With one answer per system p rises instead:\n\n{said}"
    )


TABLE_FINDINGS: Mapping[str, Callable[["Cells"], str]] = {
    "The world behind leaderboard's tables": _world,
    "An earth mover's distance between counts": _counts,
    "p-values that do not keep their promise": _promise,
    "One test set behind every estimate": _one_set,
    "A powerful test, and its error rate": _power,
    "More raters or more items, once more": _once,
}
"""Title and text of each finding; the text is empty where the cells it needs are not there."""
