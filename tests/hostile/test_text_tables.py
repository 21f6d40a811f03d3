"""Random tables of text, read as Python's `csv` reads them, or refused where it finds something wrong."""

import csv
import io
import random

import pytest

from quorate import InputError
from quorate.data.tables import parse_table
from tests.studies import pick

N_TABLES = pick(3000, 8900)
CELLS = (
    *(
        "a",
        "b",
        "1",
        "2.5",
        "",
        "",
        " ",
        "x y",
        "é",
        "日",
        "a,b",
        "a;b",
        "a|b",
        "a\tb",
        'say "hi"',
        '"',
        '""',
        "'",
        "\n",
        "two\nlines",
    ),
    *("\r", "two\r\nlines", "a\rb", " lead", "trail ", "\u2028", "\u0085", "\\", '\\"', "#", "NA", "0" * 40),
)
MESSY = ('"', '""', "\r", "\n", "\r\n", ",", ",,", ' "a"', '"a" ', '"a"b', 'a"b', '"a\nb"')


def make_table(number: int) -> bytes:
    """Write a table with care, or cell by cell without any, or with something thrown in."""
    rng = random.Random(f"text table {number}")
    width, height = rng.randint(1, 4), rng.randint(0, 6)
    rows = [[f"h{place}" for place in range(width)]]
    rows += [[rng.choice(CELLS) for _ in range(width)] for _ in range(height)]
    ends = rng.choice(["\n", "\n", "\r\n", "\r"])
    if rng.random() < 0.25:
        text = ends.join(",".join(row) for row in rows) + rng.choice(["", ends])
    else:
        out = io.StringIO()
        csv.writer(out, lineterminator=ends, quoting=rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])).writerows(rows)
        text = out.getvalue()
    if rng.random() < 0.3:
        place = rng.randrange(len(text) + 1)
        text = text[:place] + rng.choice(MESSY) + text[place:]
    return text.encode()


def read_plainly(data: bytes) -> list[list[str]] | None:
    """Return header and rows, blank ones left out, as Python's csv reads them; None if something is wrong.

    Columns in which nothing stands, no name either, are none.
    """
    try:
        rows = [row for row in csv.reader(io.StringIO(data.decode(), newline=""), strict=True) if any(row)]
    except csv.Error:
        return None
    if not rows:
        return None
    header = [cell.strip() for cell in rows[0]]
    if any(len(row) != len(header) for row in rows):
        return None
    kept = [k for k, cell in enumerate(header) if cell or not any(header) or any(row[k] for row in rows[1:])]
    rows = [[row[k] for k in kept] for row in [header, *rows[1:]]]
    return rows if len(set(rows[0])) == len(rows[0]) else None


def read_with_quorate(data: bytes) -> list[list[str]] | None:
    try:
        frame = parse_table("t.csv", data, ".csv").frame
    except InputError:
        return None
    rows = [["" if cell is None else cell for cell in row] for row in frame.rows()]
    return [frame.columns, *(row for row in rows if any(row))]


@pytest.mark.parametrize("part", range(10))
def test_tables_are_read_as_by_python(part: int) -> None:
    numbers = range(part, N_TABLES, 10)
    wrong = [n for n in numbers if read_plainly(make_table(n)) != read_with_quorate(make_table(n))]
    assert wrong == []


def test_most_tables_are_good() -> None:
    """Negative control: a test in which everything were refused would show nothing."""
    good = sum(read_plainly(make_table(number)) is not None for number in range(1000))
    assert 500 < good < 950
