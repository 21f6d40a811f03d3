"""Random tables of odd names, written in every form: each gives the responses that a plain loop counts."""

import csv
import json
import random
import sqlite3
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from quorate import read_ratings
from tests.ratings import known
from tests.studies import pick

N_TABLES = pick(25, 200)
HEADER = ("item", "rater", "response")
NAMES = (
    ("q0", "q1", "q2"),
    ("9007199254740992", "9007199254740993", "18446744073709551615"),
    ("1", "1.0", "01", "1e0", "+1"),
    ("NA", "nan", "null", "None", "true", "-"),
    (" a", "a", "a ", "A", "á", "a\u0301", "a\u200b", "a\u00a0"),
    ("a,b", "a;b", 'a"b', "a\nb", "a\tb", "=1+1", "@a"),
    ("0.1", "0.10000000000000001", "1e400", "-0", "0"),
    ("x" * 300, "x" * 299, "\u2028", "\u0085", "😀"),
)
LABELS = (NAMES[0], NAMES[1], NAMES[3], NAMES[4], NAMES[5], NAMES[7])
"""What is no number, or one that a float would make another: numbers may be written in two ways."""
Row = tuple[str, str, str]


def make_rows(number: int) -> list[Row]:
    """Return a table with holes: raters without a name, no response, rows that come twice."""
    rng = random.Random(f"forms {number}")
    items, raters, labels = rng.choice(NAMES), rng.choice(NAMES), rng.choice(LABELS)
    rows = [(item, rater, rng.choice(labels)) for item in items for rater in raters if rng.random() < 0.8]
    rows += rng.sample(rows, len(rows) // 4) or [(items[0], raters[0], labels[0])]
    holes = [
        (item, rater if rng.random() < 0.9 else "", said if rng.random() < 0.9 else "") for item, rater, said in rows
    ]
    return [*holes, rows[0]]


def as_csv(rows: list[Row], folder: Path) -> str:
    with (folder / "t.csv").open("w", newline="") as file:
        csv.writer(file).writerows([HEADER, *rows])
    return str(folder / "t.csv")


def as_lines(rows: list[Row], folder: Path) -> str:
    lines = (json.dumps(dict(zip(HEADER, row, strict=True))) for row in rows)
    (folder / "t.jsonl").write_text("\n".join(lines))
    return str(folder / "t.jsonl")


def as_columns(rows: list[Row], folder: Path) -> str:
    columns = dict(zip(HEADER, map(list, zip(*rows, strict=True)), strict=True))
    (folder / "t.json").write_text(json.dumps(columns))
    return str(folder / "t.json")


def as_parquet(rows: list[Row], folder: Path) -> str:
    pl.DataFrame(rows, schema=list(HEADER), orient="row").write_parquet(folder / "t.parquet")
    return str(folder / "t.parquet")


def as_folder(rows: list[Row], folder: Path) -> str:
    (folder / "parts").mkdir()
    for number, part in enumerate((rows[::2], rows[1::2])):
        pl.DataFrame(part, schema=list(HEADER), orient="row").write_parquet(folder / "parts" / f"{number}.parquet")
    return str(folder / "parts")


def as_database(rows: list[Row], folder: Path) -> str:
    base = sqlite3.connect(folder / "t.db")
    base.execute("CREATE TABLE t (item, rater, response)")
    base.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    base.commit()
    base.close()
    return f"sqlite:{folder}/t.db?t"


FORMS: tuple[Callable[[list[Row], Path], str], ...] = (
    as_csv,
    as_lines,
    as_columns,
    as_parquet,
    as_folder,
    as_database,
)


def counted(source: str) -> Counter[Row]:
    """Count the responses that were read, whoever has no name called by nothing."""
    ratings = read_ratings(source, scale="nominal")
    names = known(ratings.raters)
    found: Counter[Row] = Counter()
    rows = (ratings.item.tolist(), known(ratings.rater).tolist(), ratings.response.tolist(), ratings.count)
    for item, rater, said, times in zip(*rows, strict=True):
        name = "" if names[rater].startswith("(unknown ") else names[rater]
        found[ratings.items[item], name, ratings.scale.categories[said]] += int(times)
    return found


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_table_holds_the_same_responses(form: Callable[[list[Row], Path], str], tmp_path: Path) -> None:
    for number in range(N_TABLES):
        rows, folder = make_rows(number), tmp_path / str(number)
        folder.mkdir()
        assert counted(form(rows, folder)) == Counter(row for row in rows if row[2]), (number, rows)
