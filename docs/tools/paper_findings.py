"""What the papers leave out or got wrong, said from the cells of a reproduction: no figure here is written by hand."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from quorate.reproducing.cell import Cell

__all__ = ["FINDINGS", "CellTable"]


@dataclass(frozen=True)
class CellTable:
    """The cells of a reproduction, to be looked up."""

    cells: tuple[Cell, ...]

    def all(self, paper: str, table: str, row: str = "", column: str = "") -> list[Cell]:
        """Return the cells we have a figure for, of a table, and of a row and a column that begin like this."""
        return [
            cell
            for cell in self.cells
            if cell.ours is not None
            and (cell.paper, cell.table) == (paper, table)
            and cell.row.startswith(row)
            and column in cell.column
        ]

    def one(self, paper: str, table: str, row: str = "", column: str = "") -> Cell | None:
        """Return the first such cell."""
        return next(iter(self.all(paper, table, row, column)), None)


def _beside(cell: Cell) -> str:
    return f"published {cell.published:.3g}, this way {cell.ours:.3g}"


def _reading(row: str, lead: str) -> Callable[[CellTable], str]:
    """Make a finding of one cell under another reading of the text."""

    def text(cells: CellTable) -> str:
        cell = cells.one("forest", "Other readings", row)
        return "" if cell is None else f"{lead} ({cell.row}, {cell.column}: {_beside(cell)}.)"

    return text


def _matches(cells: Sequence[Cell]) -> str:
    return f"{sum(cell.verdict == 'match' for cell in cells)} of {len(cells)}"


def _free_answers(cells: CellTable) -> str:
    many, once = (cells.all("forest", table) for table in ("Text", "Text, systems answer once"))
    if not many or not once:
        return ""
    lines = [
        "Both systems answer K times per item in the papers, and nobody pays for it. That, not the metric, makes many "
        "raters look good: more answers per system sharpen the contest at no price. The claims of the text, in how "
        "many of the ten populations they hold as published, and when each system answers once:",
        "",
        "| claim | as published | systems answer once |",
        "|---|--:|--:|",
    ]
    for claim in dict.fromkeys(cell.column for cell in many):
        counts = [sum(cell.ours or 0 for cell in group if cell.column == claim) for group in (many, once)]
        lines.append(f"| {claim} | {counts[0]:g} | {counts[1]:g} |")
    return "\n".join(lines)


def _priors(cells: CellTable) -> str:
    table = cells.all("forest", "Table 1")
    spread = [cell for cell in cells.all("forest", "Other readings", "jobs") if "correlation" in cell.column]
    if not table or not spread:
        return ""
    text = "; ".join(
        f"{cell.row}: {cell.published:.2g} under the printed α, {cell.ours:.2g} in the data" for cell in spread
    )
    return (
        f"The mean absolute biases of Table 1 come out to the printed digit from the printed α and the public data "
        f"({_matches(table)}), so α and data are the paper's. But a bias of the mean does not see how items differ: "
        f"the correlation of two answers to one item is {text}. With those α all tweets are alike. "
        "`quorate fit` therefore checks the spread of items beside the mean."
    )


def _tables(cells: CellTable) -> str:
    two, three = cells.all("forest", "Table 2"), cells.all("forest", "Table 3")
    if not two or not three:
        return ""
    groups = {
        "p of Table 2": [cell for cell in two if cell.column.startswith("p ")],
        "Δ of Table 2": [cell for cell in two if cell.column.startswith("Δ")],
        "interval widths of Table 3": [cell for cell in three if cell.column.startswith("width")],
        "Δ of Table 3": [cell for cell in three if cell.column.startswith("Δ")],
    }
    text = ", ".join(f"{name} {_matches(group)}" for name, group in groups.items())
    return f"Matches: {text}. The Δ column of Table 3 does not belong to the (NK, K) of its own rows; its widths do."


def _coverage(cells: CellTable) -> str:
    rows = [cell for cell in cells.all("maven", "Figure 4") if "coverage" in cell.column]
    if not rows:
        return ""
    lines = [
        "The pseudo-likelihood of the scores adds one Gaussian per pair of vote sets as if pairs were independent, so "
        "every item is counted many times over. Errors are as small as claimed, but 95 % intervals cover less than "
        "95 % of the truths; giving the win rates their full covariance mends it.",
        "",
        "| experts | figure | coverage as published | remark |",
        "|---|---|--:|---|",
    ]
    lines += [f"| {cell.row} | {cell.column.split(':')[0]} | {cell.ours:.2f} | {cell.reason} |" for cell in rows]
    return "\n".join(lines)


def _crossed(cells: CellTable) -> str:
    rows = cells.all("multilevel", "Summary", "dices", "p of")
    if not rows:
        return ""
    printed, distinct = (
        "; ".join(f"{cell.column}: published {cell.published:g}, ours {cell.ours:.3f}" for cell in group)
        for group in (rows, cells.all("multilevel", "Other readings", "dices"))
    )
    return (
        "The paper is known here by a third party's summary, which says both that S1 ignores and that S2 accounts for "
        "raters who come back. On the ratings themselves S1, which keeps the block of items × raters, lets one rater's "
        f"habits hit every item and gives the higher p. {printed}. The order is the same; the digits cannot be, "
        "because 104 of 123 raters were kept by a rule we do not know. Raters drawn without replacement give the "
        f"printed p of accuracy, but not those of MAE ({distinct})."
    )


def _true_p(cells: CellTable, *, emd: bool) -> list[Cell]:
    """True p-values of tables 5 to 14, of the EMD rows or of the others."""
    rows = [cell for table in range(5, 15) for cell in cells.all("leaderboard", f"Table {table}", column="true p")]
    return [cell for cell in rows if cell.row.startswith(("EMD", "Mean Agg")) == emd]


def _readings(cells: CellTable, *rows: str) -> str:
    readings = [cell for row in rows if (cell := cells.one("leaderboard", "Other readings", row)) is not None]
    return "; ".join(f"{c.row}: {c.column}, published {c.published:.3g}, this way {c.ours:.3g}" for c in readings)


def _world(cells: CellTable) -> str:
    true, text = _true_p(cells, emd=False), _readings(cells, "sds U(0, 2)", "sds U(0, 0.2)", "B's means", "cosine")
    if not true or not text:
        return ""
    return (
        "Algorithm 3 prints sds from U(0, 2) and does not say that B's shifted means stay on the scale. The tables "
        f"need U(0, 0.3) and means clamped to [0, 1]: then {_matches(true)} true p-values of tables 5 to 14 are met "
        f"(rows of EMD apart). Other readings miss them: {text}."
    )


def _counts(cells: CellTable) -> str:
    true, text = _true_p(cells, emd=True), _readings(cells, "EMD of item means", "EMD of each item")
    if not true or not text:
        return ""
    return (
        "The EMD rows are met by the distance between the *counts* of two histograms on [0, 1], as if counts were "
        f"answers: 100 bins for a set and 5 for an item give {_matches(true)} true p-values. Such a distance forgets "
        f"where the bins lie. The distance proper sees far more: {text}. It is what quorate computes."
    )


def _promise(cells: CellTable) -> str:
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


def _one_set(cells: CellTable) -> str:
    simulated, real = (
        [c for t in tables for c in cells.all("leaderboard", f"Table {t}", column="p estimated from one test set")]
        for tables in (range(5, 10), range(10, 15))
    )
    claims = cells.all("leaderboard", "Text, sec. 7")
    if not simulated:
        return ""
    text = "".join(f"\n- {cell.row}: {cell.column}? {cell.reason[0].upper()}{cell.reason[1:]}." for cell in claims)
    return (
        "Every estimated p, and with it every ranking of metrics and samplers in tables 1 to 4, rests on one random "
        f"test set. Of the printed estimates {_matches(simulated)} lie in the central 99.9 % of ours over many "
        f"simulated test sets, {_matches(real)} where the paper has 1000 real comments and we draw them."
        + (f" What is said about the smallest error, on the average over test sets:\n{text}" if text else "")
    )


def _power(cells: CellTable) -> str:
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


def _once(cells: CellTable) -> str:
    rows = [cell for cell in cells.all("ratings", "Figure 2") if "answer once" in cell.row]
    if not rows:
        return ""
    text = "\n".join(f"- {cell.row.split(', systems')[0]}: {cell.reason.split(': the trend')[0]}." for cell in rows)
    return (
        "At a fixed number of responses p falls as raters per item rise, as figure 2 shows – as long as each system "
        f"answers as often as there are raters, for free. With one answer per system p rises instead:\n\n{text}"
    )


FINDINGS: Mapping[str, Callable[[CellTable], str]] = {
    "Systems answer for free": _free_answers,
    "The tables of forest": _tables,
    "Ties go to the first category": _reading(
        "d3code",
        "The text does not say how plurality ties are settled. Only giving them to the first category yields the "
        "printed p-values; at small, even K part of what is called the sensitivity of accuracy is this rule.",
    ),
    "Total variation is divided by the number of categories": _reading(
        "dices", "The formula of the text has no 1 / M; the printed differences do."
    ),
    "KL with 1e-12 counts empty cells": _reading(
        "jobsq1",
        "Adding 1e-12 to counts before the logarithm makes KL at few raters a count of categories a system missed; "
        "only that yields the printed differences.",
    ),
    "The priors of the Jobs data": _priors,
    "Intervals that count items many times": _coverage,
    "Which scheme is honest about raters": _crossed,
    "The world behind leaderboard's tables": _world,
    "An earth mover's distance between counts": _counts,
    "p-values that do not keep their promise": _promise,
    "One test set behind every estimate": _one_set,
    "A powerful test, and its error rate": _power,
    "More raters or more items, once more": _once,
}
"""Title and text of each finding; the text is empty where the cells it needs are not there."""
