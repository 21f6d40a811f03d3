"""One specification of a table, read by the terminal and by the page alike."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from quorate._text import NUMBER, number, printable, printable_lines
from quorate._text import table as aligned
from quorate.results.latex import latex_table

BAR = 24
"""Longest bar of a column of bars."""
LISTED, ON_PAGE, ON_PAPER = 20, 200, 40
"""Rows a terminal shows, a page, and a sheet of paper."""
ON_PHONE, ON_CARD, BOLDER = 36, 14, 4
"""Letters of a row that a phone has room for, of a cell where three stand side by side, and how many bold ones cost."""
NAMES = ("item", "rater", "system", "group", "response", "category")
"""Columns of names, which may look like numbers."""
MARKDOWN = str.maketrans({character: f"\\{character}" for character in "\\`*_[]<>|#~$!&"})
"""What Markdown would read as more than the character itself."""


@dataclass(frozen=True)
class Column:
    """How one key of the rows is shown.

    Parameters
    ----------
    title
        Heading of the column.
    write
        Turns a value that is there into text; what is not known is a dash.
    terminal, page
        False for a column that only the other shows: one there is no room for, or a bar drawn with blocks.
    """

    title: str
    write: Callable[[Any], str] = str
    terminal: bool = True
    page: bool = True


@dataclass(frozen=True)
class Table:
    """A table of text.

    Parameters
    ----------
    caption
        What the rows are.
    header, rows
        Titles of the columns, and the cells of each row.
    strong
        The row to point out, if there is one.
    note
        A line below the table.
    terminal, page
        Columns shown on a terminal and on a page, all if not given.
    numbers
        True for the numbers behind a plot, which only a page shows.
    listed
        Rows a terminal shows.
    """

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    strong: int | None = None
    note: str = ""
    terminal: tuple[bool, ...] = ()
    page: tuple[bool, ...] = ()
    numbers: bool = False
    listed: int = LISTED

    def __str__(self) -> str:
        """Return the table as a terminal shows it, cut after some rows."""
        shown = self._shown(self.terminal, self.listed, "  … {} more rows (-o FILE.csv writes all)")
        text = aligned(shown.rows, shown.header)
        body = text if any(shown.header) else text.split("\n", 1)[1]
        lines = [printable_lines(shown.caption), body, printable_lines(shown.note)]
        return "\n".join(line for line in lines if line)

    def for_page(self) -> "Table":
        """Return the table as a page shows it, cut after some more rows."""
        return self._shown(self.page, ON_PAGE, "{} more rows; -o FILE.csv writes all.")

    def to_markdown(self) -> str:
        """Return the table as Markdown shows it, with the columns of a page; names from files stay text."""
        shown = self.for_page()
        lines = [[markdown_text(cell) for cell in line] for line in (shown.header, *shown.rows)]
        rule = ["---:" if right else "---" for right in shown.right]
        body = [f"| {' | '.join(line)} |" for line in (lines[0], rule, *lines[1:])]
        note = ["", markdown_text(shown.note)] if shown.note else []
        return "\n".join([f"**{markdown_text(shown.caption)}**", "", *body, *note])

    def to_latex(self) -> str:
        """Return the table as LaTeX, for the package booktabs, with the columns of a page; no longer than one."""
        shown = self._shown(self.page, ON_PAPER, "{} more rows; -o FILE.csv writes all.")._once("metric")
        return latex_table(shown.caption, shown.header, shown.rows, shown.right, shown.note)

    def _once(self, title: str) -> "Table":
        """Say in the caption what a column says in every row of several."""
        place = self.header.index(title) if title in self.header else -1
        said = {row[place] for row in self.rows}
        if place < 0 or len(said) > 1 or len(self.rows) < 2:
            return self
        caption = f"{self.caption}, {title} {said.pop()}"
        return replace(
            self,
            caption=caption,
            header=[name for name in self.header if name != title],
            rows=[[cell for at, cell in enumerate(row) if at != place] for row in self.rows],
        )

    @property
    def right(self) -> tuple[bool, ...]:
        """Columns that hold numbers only, which stand to the right."""
        return tuple(
            name not in NAMES and all(NUMBER.fullmatch(row[place]) for row in self.rows)
            for place, name in enumerate(self.header)
        )

    @property
    def wide(self) -> bool:
        """Whether a phone has no room for the columns side by side."""
        cells = zip(self.header, *self.rows, strict=True)
        return sum(max(3, *map(len, column)) + 1 for column in cells) > ON_PHONE

    @property
    def half(self) -> tuple[bool, ...]:
        """Columns with a cell that takes more room than a third of a phone."""
        room = [ON_CARD - BOLDER * (place == self.strong) for place in range(len(self.rows))]
        return tuple(
            any(len(cell) > most for cell, most in zip(column, room, strict=True))
            for column in zip(*self.rows, strict=True)
        )

    def _shown(self, columns: tuple[bool, ...], most: int, more: str) -> "Table":
        places = [place for place in range(len(self.header)) if not columns or columns[place]]
        left = f"{len(self.rows) - most:,}" if len(self.rows) > most else ""
        return replace(
            self,
            header=[self.header[place] for place in places],
            rows=[[row[place] for place in places] for row in self.rows[:most]],
            note="\n".join(line for line in (more.format(left) if left else "", self.note) if line),
            terminal=(),
            page=(),
        )


def table_of(
    caption: str,
    rows: Sequence[Mapping[str, Any]],
    columns: Mapping[str, Column],
    *,
    strong: int | None = None,
    note: str = "",
    numbers: bool = False,
) -> Table:
    """Return the table of some rows: the columns any of them fills, a dash where nothing is known."""
    there = {key: column for key, column in columns.items() if any(row.get(key) not in (None, "") for row in rows)}
    cells = tuple(
        tuple("–" if row.get(key) is None else column.write(row[key]) for key, column in there.items()) for row in rows
    )
    shown = there.values()
    return Table(
        caption,
        tuple(column.title for column in shown),
        cells,
        strong,
        note,
        tuple(column.terminal for column in shown),
        tuple(column.page for column in shown),
        numbers,
    )


def markdown_text(text: str) -> str:
    """Write text so that Markdown shows it as it is, on one line."""
    return printable(text).translate(MARKDOWN).replace("\\< ", "< ")  # before a space it begins no tag anywhere


def integer(value: float) -> str:
    """Write a whole number with commas."""
    return f"{value:,.0f}"


def interval(low: float | None, high: float | None, digits: int = 3) -> str:
    """Write an interval that stays on one line; a dash where there is none."""
    return "–" if low is None or high is None else f"{number(low, digits)}\xa0to\xa0{number(high, digits)}"


def bar(share: float) -> str:
    """Draw a share as a bar of blocks."""
    return "█" * max(1, round(BAR * share))
