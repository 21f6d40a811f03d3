"""A map of raters: how far each goes along with the others, and how far they lean."""

from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from quorate._text import count, number
from quorate.report.plots.style import BLUE, GREY, ORANGE, figure, label

if TYPE_CHECKING:
    from quorate.describing.result import Description

__all__ = ["describe_habits", "placed"]

WHISKERS = {"type": "data", "color": GREY, "thickness": 1, "width": 0}
NAMED = 25
"""Up to so many raters have their name in the plot; of more, only those who never vary."""


def placed(result: "Description") -> list[dict[str, Any]]:
    """Return the raters who can be placed: those who answered items that others answered too, and went along or not.

    Examples
    --------
    >>> from quorate import describe as verb
    >>> len(placed(verb("example:support")))
    14
    """
    if result.habits is None:
        return []
    rows = result.rater_frame().to_dicts()
    along = "agreement" if result.habits.correlation is None else "correlation"
    placed = [{**row, "along": row[along]} for row in rows]
    return [row for row in placed if row["along"] is not None and row["leaning"] is not None]


def describe_habits(result: "Description") -> Any:
    """Draw every rater: to the right who goes along with the others, away from 0 who leans; bars are ± 2 errors.

    Examples
    --------
    >>> from quorate import describe as verb
    >>> describe_habits(verb("example:support")).layout.xaxis.title.text
    'share of others who gave the same answer'
    """
    rows = placed(result)
    nominal = result.habits is not None and result.habits.correlation is None
    traces = []
    for name, same, colour, symbol in (("varies", False, BLUE, "circle"), ("never varies", True, ORANGE, "square")):
        part = [row for row in rows if row["always_the_same"] == same]
        traces.append(
            go.Scatter(
                x=[row["along"] for row in part],
                y=[row["leaning"] for row in part],
                error_y={"array": [2 * (row["leaning_error"] or 0) for row in part], **WHISKERS},
                mode="markers+text" if len(rows) <= NAMED or same else "markers",
                marker={"color": colour, "symbol": symbol, "size": 10},
                text=[label(row["rater"], 12) for row in part],
                textposition="top right",
                textfont={"size": 11},
                customdata=[_words(row) for row in part],
                hovertemplate="%{customdata}<extra></extra>",
                name=name,
            )
        )
    return figure(
        [trace for trace in traces if trace.x],
        f"How {count(len(rows), 'rater')} answer beside the others",
        x={
            "title": "share of others who gave the same answer" if nominal else "correlation with the mean of others",
            "zeroline": False,
            "range": _with_room([row["along"] for row in rows]),
        },
        y={"title": "leaning, share more than others" if nominal else "leaning, mean distance from others"},
        height=420,
    )


def _with_room(values: list[float]) -> list[float]:
    """Return the ends of an axis, with room for names to the right of the points."""
    low, high = min(values), max(values)
    reach = (high - low) or 0.1
    return [low - 0.06 * reach, high + 0.14 * reach]


def _words(row: dict[str, Any]) -> str:
    to = f" to {label(row['towards'])}" if row["towards"] else ""
    return (
        f"{label(row['rater'], 40)}: {row['responses']:,} responses<br>leans {number(row['leaning'])}{to}, goes along "
        f"{number(row['along'])}"
    )
