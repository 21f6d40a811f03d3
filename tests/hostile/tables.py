"""Hostile tables: good ratings, answers, votes and scores, and what may befall their cells, rows and bytes."""

import gzip
import io
import json
import random
import zlib
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Any, Literal, TypeAlias

Rows: TypeAlias = list[list[str]]
"""A header and rows of text."""
Random: TypeAlias = random.Random

ODD_CELLS = (
    "", " ", "NA", "nan", "NaN", "inf", "-inf", "Infinity", "1e308", "-1e308", "1e-320", "1e400", "-0", "+1", "0x10",
    "9007199254740993", "9007199254740992", "-9223372036854775809", "18446744073709551616", "1" * 400, "7" * 5000, "1,5", "1_000",
    "１", "=1+1", "@sum(a1)", "-2+3", "+cmd|'/c calc'!a0", "\x1b[31mred", "\x07", "\u202eevil", "a\nb", "a\r\nb", "a\rb",
    'a"b', '"', '""', "'", "\u2028", "\u0085", "\x00", "é", "e\u0301", "😀", "日本", "x" * 70_000, "null", "None", "true", "TRUE",
    "\ud800", "\uffff", "a\u0301\u0327", "\U000e0041", "ﬀ", "İ", "ẞ", "\u2066x\u2069", "1e", "--1", "1.2.3", "1e1000000000", "0b1", "¹", "١", "½",
    "9223372036854775807", "9223372036854775808", "-9223372036854775808", "1.7976931348623159e308", "0.1" + "0" * 400 + "1", "1E5", " 1", "1 ", ".5", "5.",
    "2024-01-01", "12:30", "$5", "5%", "(1)", "\x1f", "\x0b", "\x85", "a\tb", "q0", "r0", "yes", "[1, 2]", '{"a": 1}', "b'x'",
    "*", "^.*$", "item", "..", "../x", "<script>alert(1)</script>", "{{7*7}}", "%s%n", "{}", "[]", "\ufeff", "\u200b", "1e18", "0.1", "1 000",
    "1e-400", "1\u00a0000", "1\u2009000", "−1", "Ⅳ", "0x1p3", "1d5", "1+2j", "010", "€5", "1e" + "0" * 5000 + "1", "1.0000000000000002", "2024-02-30",
)  # fmt: skip
ODD_NAMES = (
    "*", "^.*$", "^i.*$", "", " ", "item", "rater", "response", "count", "row", "code", "p_yes", "system", "run", "column",
    "cell", "label", "score", "weight", "total", "positive", "=x", "\x1b[2J", "\u202e", "a,b", 'q"q', "x" * 140_000, "é", "group", "literal",
    "e\u0301", "\ud800", "İtem", "ITEM_ID", "item.id", "item id", "rater_1", "votes", "gold", "probability", "p(yes)", "n", "id", "annotator", "1e5",
    "name", "len", "index", "place", "how often", "<item", "ITEM", "Item ", "polars", "0", "-1", "\n", "None",
    "item\u200b", "\u0456tem", "\ufeffitem", "RESPONSE", "$1", "__index_level_0__", "\x00",
)  # fmt: skip
ODD_WORDS = (
    "=1+1", "@sum(a1)", "-2+3", "\t=1", "\x1b[31mred", "\x9b2J", "\x07", "\u202eevil", "\u2066x", "\u061ca", "\u200e", "\u2028", "::error::x", "<script>x</script>",
    "a|b", "`x`", "$\\input{x}$", "%0A::error::x", "]]>", "{{7*7}}", "&amp;", "</script>", '"', "\\u003c", "\ufff9a", "\U000e0041",
)  # fmt: skip
"""Names that are somebody's command elsewhere."""
LABELS = (("no", "unsure", "yes"), ("0", "1"), ("1", "2", "3", "4", "5"), ("a",), ("0.5", "1.25", "3", "7.75", "2.5e1"))


def ratings(rng: Random) -> Rows:
    labels = rng.choice(LABELS)
    items, people = rng.randint(1, 14), rng.randint(1, 5)
    rows = [["item", "rater", "response"]]
    for item in range(items):
        for person in range(people):
            if rng.random() < 0.8:
                rows.append([f"q{item}", f"r{person}", rng.choice(labels)])
    if rng.random() < 0.3:
        rows = [[*row, "domain" if place == 0 else f"d{hash_of(row[0]) % 3}"] for place, row in enumerate(rows)]
    return rows


def hash_of(text: str) -> int:
    return sum(map(ord, text))


def wide(rng: Random) -> Rows:
    labels, people = rng.choice(LABELS), rng.randint(2, 6)
    header = ["item", *(f"rater_{p}" for p in range(people))]
    return [header, *([f"q{i}", *(rng.choice(labels) for _ in range(people))] for i in range(rng.randint(1, 12)))]


def counts(rng: Random) -> Rows:
    labels = rng.choice(LABELS[:3])
    return [
        ["item", *labels],
        *([f"q{i}", *(str(rng.randint(0, 5)) for _ in labels)] for i in range(rng.randint(1, 12))),
    ]


def answers(rng: Random, like: Rows | None = None) -> Rows:
    """Answers of two or three systems to the items of ratings, as labels, runs or probabilities."""
    of = [row for row in (like or [])[1:] if len(row) > 2]
    items = sorted({row[0] for row in of}) or [f"q{i}" for i in range(6)]
    labels = sorted({row[2] for row in of}) or ["no", "yes"]
    systems = ["a", "b", "c"][: rng.randint(1, 3)]
    form = rng.choice(["labels", "labels", "runs", "probabilities"])
    if form == "probabilities":
        rows = [["item", "system", *labels]]
        for system in systems:
            for item in items:
                parts = [rng.random() + 0.01 for _ in labels]
                rows.append([item, system, *(repr(part / sum(parts)) for part in parts)])
        return rows
    runs = range(2) if form == "runs" else range(1)
    head = ["item", "system", "response", *(["run"] if form == "runs" else [])]
    return [head] + [
        [item, system, rng.choice(labels), *([str(run)] if form == "runs" else [])]
        for system in systems
        for item in items
        for run in runs
    ]


def outputs(rng: Random) -> Rows:
    rows = [["item", "system", "rater", "response"]]
    for item in range(rng.randint(1, 10)):
        for system in "ab":
            for person in range(rng.randint(1, 3)):
                rows.append([f"q{item}", system, f"r{person}", str(rng.randint(1, 5))])
    return rows


def votes(rng: Random) -> Rows:
    """Votes side by side: who won, in one of the ways people write it."""
    names = rng.choice(
        [("system_a", "system_b", "winner"), ("model_a", "model_b", "vote"), ("left", "right", "preference")]
    )
    words = rng.choice(
        [
            ("a", "b", "tie"),
            ("left", "right", "tie"),
            ("model_a", "model_b", "both_bad"),
            ("1", "2", "0"),
            ("A>B", "B>A", "A=B"),
            ("x", "y", "tie"),
        ]
    )
    systems = ["x", "y", "z", "w"][: rng.choice([2, 2, 3, 4])]
    rows = [["item", "rater", *names]]
    for item in range(rng.randint(1, 12)):
        for person in range(rng.randint(1, 4)):
            two = rng.sample(systems, 2)
            said = rng.choice(words)
            rows.append([f"q{item}", f"r{person}", *two, said if said not in "xy" else rng.choice(two)])
    if rng.random() < 0.3:
        rows = [[*row, "shown_first" if place == 0 else rng.choice(row[2:4])] for place, row in enumerate(rows)]
    if rng.random() < 0.2:
        rows = [
            [*row, *(("output_a", "output_b") if place == 0 else ("same", rng.choice(["same", "other"])))]
            for place, row in enumerate(rows)
        ]
    return rows


def crowd(rng: Random) -> tuple[Rows, Rows, Rows]:
    """Votes, expert labels and scores of the same items: of two classes or more, perhaps counted, weighted, in groups."""
    n, labels = rng.randint(2, 40), rng.choice([("0", "1"), ("0", "1"), ("0", "1"), ("a", "b", "c"), tuple("12345")])
    votes, experts, scores = [["item", "rater", "response"]], [["item", "label"]], [["item", "score"]]
    for i in range(n):
        truth = rng.randrange(len(labels))
        said = [truth if rng.random() < 0.8 else rng.randrange(len(labels)) for _ in range(rng.randint(1, 4))]
        votes += [[f"q{i}", f"r{p}", labels[vote]] for p, vote in enumerate(said)]
        guess = truth if rng.random() < 0.8 else rng.randrange(len(labels))
        chance = f"{min(max(rng.gauss(0.7 if truth else 0.3, 0.2), 0), 1):.4f}"
        scores.append([f"q{i}", chance if len(labels) == 2 else labels[guess]])
        for _ in range(rng.choice([0, 0, 1, 1, 1, 2])):
            experts.append([f"q{i}", labels[truth] if rng.random() < 0.95 else labels[0]])
    _dress(votes, experts, scores, rng, two=len(labels) == 2)
    return votes, experts, scores


def _dress(votes: Rows, experts: Rows, scores: Rows, rng: Random, *, two: bool) -> None:
    """Give a crowd's tables another form, or columns more."""
    if two and rng.random() < 0.2:
        items = list(dict.fromkeys(row[0] for row in votes[1:]))
        votes[:] = [["item", "positive", "total"], *([item, str(rng.randint(0, 2)), "3"] for item in items)]
    if rng.random() < 0.2:
        for place, row in enumerate(experts):
            row.append("weight" if place == 0 else rng.choice(["1", "2", "0.5", "3"]))
    if rng.random() < 0.3:
        for place, row in enumerate(scores):
            row.append("domain" if place == 0 else f"d{hash_of(row[0]) % 3}")
    if rng.random() < 0.2 and scores[0][1] == "score":
        scores[:] = [
            [*row[:1], "system" if place == 0 else system, *row[1:]]
            for system in "ab"
            for place, row in enumerate(scores)
            if place or system == "a"
        ]


def _cell(rows: Rows, rng: Random) -> None:
    for _ in range(rng.choice([1, 1, 2, 5])):
        row = rng.choice(rows[1:] or rows)
        row[rng.randrange(len(row))] = rng.choice(ODD_CELLS)


def _column(rows: Rows, rng: Random) -> None:
    place, cell = rng.randrange(len(rows[0])), rng.choice(ODD_CELLS)
    for row in rows[1:]:
        if place < len(row):  # another mutation may have cut it
            row[place] = cell


def _name(rows: Rows, rng: Random) -> None:
    rows[0][rng.randrange(len(rows[0]))] = rng.choice(ODD_NAMES)


def _new_column(rows: Rows, rng: Random) -> None:
    name, cells = rng.choice(ODD_NAMES), rng.choice([ODD_CELLS, ("u", "v"), tuple(map(str, range(90)))])
    for place, row in enumerate(rows):
        row.append(name if place == 0 else rng.choice(cells))


def _drop_column(rows: Rows, rng: Random) -> None:
    place = rng.randrange(len(rows[0]))
    for row in rows:
        if len(row) > place:
            del row[place]


def _repeat_rows(rows: Rows, rng: Random) -> None:
    rows += [list(rng.choice(rows[1:] or rows)) for _ in range(rng.choice([1, 3, 20]))]


def _ragged(rows: Rows, rng: Random) -> None:
    row = rng.choice(rows)
    if rng.random() < 0.5 and row:
        row.pop()
    else:
        row.append(rng.choice(ODD_CELLS))


def _few_rows(rows: Rows, rng: Random) -> None:
    del rows[rng.choice([0, 1, 2, 3]) :]
    if not rows:
        rows.append([])


def _shuffle(rows: Rows, rng: Random) -> None:
    body = rows[1:]
    rng.shuffle(body)
    rows[1:] = body


def _blank(rows: Rows, rng: Random) -> None:
    rows.insert(rng.randrange(len(rows) + 1), [""] * rng.choice([1, len(rows[0])]))


def _many_labels(rows: Rows, rng: Random) -> None:
    place = rng.randrange(len(rows[0]))
    for number, row in enumerate(rows[1:]):
        row[place] = rng.choice([f"free text {number}", f"{number}.5", str(number * 10**15 + 1)])


def _odd_everywhere(rows: Rows, rng: Random) -> None:
    for row in rows[1:]:
        for place in range(len(row)):
            if rng.random() < 0.3:
                row[place] = rng.choice(ODD_CELLS)


def _twice_named(rows: Rows, rng: Random) -> None:
    if len(rows[0]) > 1:
        rows[0][rng.randrange(len(rows[0]))] = rng.choice(rows[0])


def _case_and_space(rows: Rows, rng: Random) -> None:
    """The same names in other letters: composed otherwise, in capitals, with spaces around."""
    turns: tuple[Callable[[str], str], ...] = (str.upper, str.title, " {}".format, "{}\u00a0".format)
    for row in rows[1:]:
        if row and rng.random() < 0.3:
            place = rng.randrange(len(row))
            row[place] = rng.choice(turns)(row[place])


def _header_again(rows: Rows, rng: Random) -> None:
    rows.insert(rng.randrange(len(rows) + 1), list(rows[0]))


def _turned(rows: Rows, rng: Random) -> None:
    """Rows for columns."""
    width = max(map(len, rows))
    rows[:] = [[row[place] if place < len(row) else "" for row in rows] for place in range(width)]


def _many_columns(rows: Rows, rng: Random) -> None:
    more = rng.choice([30, 300])
    for place, row in enumerate(rows):
        row += [f"c{k}" if place == 0 else rng.choice("01 ") for k in range(more)]


def _one_group_each(rows: Rows, rng: Random) -> None:
    for place, row in enumerate(rows):
        row.append("domain" if place == 0 else f"g{place}")


def _long_name(rows: Rows, rng: Random) -> None:
    """A name of a hundred thousand letters, in the header or in a cell."""
    row = rng.choice([rows[0], rows[-1]])
    row[rng.randrange(len(row))] = rng.choice(["x", "é", "\u202e", "=", '"', "\x1b"]) * 100_000


def _all_missing(rows: Rows, rng: Random) -> None:
    """A column, or all of them, in which nothing stands."""
    places, word = (
        [rng.randrange(len(rows[0]))] if rng.random() < 0.8 else range(len(rows[0])),
        rng.choice(["", "NA", " ", "-", "null"]),
    )
    for row in rows[1:]:
        for place in places:
            if place < len(row):
                row[place] = word


def _one_of(rows: Rows, rng: Random) -> None:
    """One item, rater, system or answer throughout."""
    place = rng.randrange(len(rows[0]))
    for row in rows[1:]:
        if place < min(len(row), len(rows[1])):
            row[place] = rows[1][place]


def _many_of(rows: Rows, rng: Random) -> None:
    """As many items, raters, systems or answers as there are rows, and there are many rows."""
    place, more = rng.randrange(len(rows[0])), rng.choice([200, 200, 200, 2500])
    rows += [list(rows[1 + number % (len(rows) - 1)]) for number in range(more)] if len(rows) > 1 else []
    for number, row in enumerate(rows[1:]):
        if place < len(row):
            row[place] = f"{row[place][:40]}{number}"


def _same_rows(rows: Rows, rng: Random) -> None:
    rows += [list(rows[-1]) for _ in range(rng.choice([1000, 3000]))]


def _mixed_kinds(rows: Rows, rng: Random) -> None:
    """Words, numbers, dates and truths in one column."""
    place, kinds = (
        rng.randrange(len(rows[0])),
        ["1", "1.0", "01", "1e0", "true", "2024-01-01", "01.02.2024", "yes", "-0", "-0.0", "+0", "0", "1,0", "1.000,5"],
    )
    for row in rows[1:]:
        if place < len(row):
            row[place] = rng.choice(kinds)


def _numbers(rows: Rows, rng: Random) -> None:
    """Numbers where some were: negative, nought, beyond one, hardly more than nought, not summing to one."""
    kinds = rng.choice(
        [
            ["-1", "-0.5"],
            ["0", "0.0"],
            ["1.0000001", "2"],
            ["1e-320", "5e-324"],
            ["0.3", "0.3000001"],
            ["1e49", "-1e49"],
            ["1e154", "2e154", "-1e154"],
            ["1e17", "1e17"],
            ["0.5"],
        ]
    )
    for row in rows[1:]:
        for place, cell in enumerate(row):
            if cell.replace(".", "").isdecimal():
                row[place] = rng.choice(kinds)


def _invisible(rows: Rows, rng: Random) -> None:
    """Names that look alike: with marks nobody sees, or letters of another script."""
    turns = ["\u200b", "\u200f", "\u00ad", "\ufeff", "\u0000", "\u3000", "\u2060", "\U000e0001"]
    for row in rows[rng.choice([0, 1]) :]:
        if row and rng.random() < 0.3:
            place = rng.randrange(len(row))
            row[place] = rng.choice(
                [row[place] + rng.choice(turns), rng.choice(turns) + row[place], row[place].replace("a", "\u0430")]
            )


def _renamed(rows: Rows, rng: Random) -> None:
    """Give each name of a column another, which no terminal, spreadsheet or page should meet as it is."""
    place = rng.randrange(len(rows[0]))
    named = {row[place] for row in rows[1:] if place < len(row)}
    turned = dict(zip(sorted(named), rng.sample(ODD_WORDS, min(len(named), len(ODD_WORDS))), strict=False))
    for row in rows[1:]:
        if place < len(row):
            row[place] = turned.get(row[place], row[place])


ROW_MUTATIONS: tuple[Callable[[Rows, Random], None], ...] = (
    _cell, _cell, _cell, _column, _name, _name, _new_column, _drop_column, _repeat_rows, _ragged, _few_rows, _shuffle,
    _blank, _many_labels, _odd_everywhere, _twice_named, _case_and_space, _header_again, _turned, _many_columns, _one_group_each,
    _all_missing, _one_of, _one_of, _many_of, _same_rows, _mixed_kinds, _mixed_kinds, _numbers, _numbers, _invisible,
    _renamed, _renamed, _renamed,
)  # fmt: skip


def mutated(rows: Rows, rng: Random) -> Rows:
    """Let up to three things befall a table, or none."""
    made = [list(row) for row in rows]
    for _ in range(rng.choice([0, 0, 0, 1, 1, 2])):
        if made and made[0]:
            rng.choice(ROW_MUTATIONS)(made, rng)
    if made and made[0] and rng.random() < 0.01:
        _long_name(made, rng)
    return made


def as_delimited(rows: Rows, rng: Random) -> bytes:
    """Write a table as text, with any separator, line end and care for quotes."""
    import csv

    separator, ends = rng.choice(",,,;\t|"), rng.choice(["\n", "\n", "\n", "\r\n", "\r"])
    if rng.random() < 0.1:  # by somebody who does not know about quotes
        return ends.join(separator.join(row) for row in rows).encode(errors="surrogatepass")
    out = io.StringIO()
    quoting: Literal[0, 1] = rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    csv.writer(out, delimiter=separator, lineterminator=ends, quoting=quoting).writerows(rows)
    return out.getvalue().encode(errors="surrogatepass")


ODD_VALUES: tuple[Any, ...] = (
    None, True, False, [], {}, [1, "a"], {"a": 1}, [[[]]], "", "x", "\ud800", "\u2028", 0, -1, 1, 2, 0.5, -0.0, 1e308, -1e308, 5e-324,
    10**20, 10**400, 2**53 + 1, -(2**63) - 1, float("nan"), float("inf"), float("-inf"), "1e5", "*", "\x00", "dirichlet", 1e18, [0], [1e308, 1e-308],
)  # fmt: skip


def odd_value(rng: Random) -> Any:
    """Return an odd value of its own, which may be changed without changing the next case."""
    return deepcopy(rng.choice(ODD_VALUES))


def as_json(rows: Rows, rng: Random) -> bytes:
    """Write a table as a list of objects, lines, or columns, with a few values of other kinds."""
    header = [str(name) for name in rows[0]] if rows else []
    records: list[Any] = [dict(zip(header, map(_guess, row), strict=False)) for row in rows[1:]]
    for _ in range(rng.choice([0, 0, 0, 1])):
        if records and header:
            records[rng.randrange(len(records))][rng.choice(header)] = odd_value(rng)
    if rng.random() < 0.05 and records:
        records[rng.randrange(len(records))] = odd_value(rng)
    form = rng.choice(["lines", "lines", "list", "columns", "lewidi", "nested"])
    plain = rng.random() < 0.7
    if form == "nested":
        return json.dumps(_nested(records, rng), ensure_ascii=plain).encode(errors="surrogatepass")
    if form == "lines":
        return "\n".join(json.dumps(each, ensure_ascii=plain) for each in records).encode(errors="surrogatepass")
    if form == "list":
        return json.dumps(records, ensure_ascii=plain).encode(errors="surrogatepass")
    whole = [each for each in records if isinstance(each, dict)]
    if form == "columns":
        return json.dumps({name: [each.get(name) for each in whole] for name in header}).encode()
    entries: dict[str, Any] = {}
    for each in whole:
        entry = entries.setdefault(str(each.get("item")), {"annotators": [], "annotations": []})
        entry["annotators"].append(str(each.get("rater")))
        entry["annotations"].append(str(each.get("response")))
    joined: dict[str, Any] = {key: {k: ",".join(v) for k, v in entry.items()} for key, entry in entries.items()}
    if rng.random() < 0.4 and joined:
        joined[rng.choice(list(joined))] = odd_value(rng)
    if rng.random() < 0.3 and joined:
        joined[rng.choice(list(joined))] = {"annotators": "a,b", "annotations": odd_value(rng)}
    return json.dumps(joined).encode()


def _nested(records: list[Any], rng: Random) -> Any:
    """Put records where somebody's program might: under a key, by item, in lists of lists, one deeper."""
    of = [each for each in records if isinstance(each, dict)]
    by_item: dict[str, Any] = {}
    for each in of:
        by_item.setdefault(str(each.get("item")), []).append({k: v for k, v in each.items() if k != "item"})
    return rng.choice(
        [
            {"data": records},
            {"data": {"rows": records}, "version": 1},
            by_item,
            [{"item": name, "ratings": rows} for name, rows in by_item.items()],
            [[list(each.values()) for each in of]],
            [[each] for each in records],
            [{"row": each} for each in records],
            {str(place): each for place, each in enumerate(records)},
            [{**each, "meta": {"deep": [[{}]] * 3}} for each in of],
            [{**each, "more": [1, "x", None, {}]} for each in of],
        ]
    )


def _guess(cell: str) -> Any:
    try:
        return int(cell) if len(cell) < 30 else cell
    except ValueError:
        return cell


def as_parquet(rows: Rows, rng: Random) -> bytes:
    """Write a table as Parquet, a column or two in a kind nobody rates in."""
    import polars as pl

    names = list(dict.fromkeys(name.encode("utf-8", "replace").decode() for name in rows[0])) if rows else []
    columns = []
    for place, name in enumerate(names):
        cells = [row[place].encode("utf-8", "replace").decode() if place < len(row) else None for row in rows[1:]]
        columns.append(_odd_series(pl.Series(name, cells, dtype=pl.String), rng))
    out = io.BytesIO()
    if rng.random() < 0.25 and columns and "\0" not in "".join(names):  # which Arrow cannot name a column by
        _write_by_another(pl.DataFrame(columns), out, rng)
    else:
        pl.DataFrame(columns).write_parquet(out)
    return out.getvalue()


def _write_by_another(frame: Any, out: io.BytesIO, rng: Random) -> None:
    """Write a table by another library: kinds that polars has not, old ways to store it, or another format."""
    import polars as pl
    import pyarrow as pa
    from pyarrow import ipc, parquet

    table, n, place = frame.to_arrow(), frame.height, rng.randrange(frame.width)
    whole = pl.Series([rng.randint(0, 4) for _ in range(n)], dtype=pl.Int64).to_arrow()
    stamps = [pa.decimal256(60, 3), pa.float16(), pa.timestamp("us", "+13:45"), pa.timestamp("ns"), pa.time64("ns")]
    kinds: list[Callable[[], Any]] = [
        lambda: whole.cast(rng.choice(stamps)),
        lambda: whole.dictionary_encode(),
        lambda: pa.nulls(n, pa.map_(pa.string(), pa.int64())),
        lambda: pa.nulls(n, pa.list_(pa.struct([("a", pa.null())]))),
        lambda: pl.Series([rng.randbytes(16) for _ in range(n)], dtype=pl.Binary).to_arrow().cast(pa.binary(16)),
    ]
    if rng.random() < 0.7:
        table = table.set_column(place, table.column_names[place], rng.choice(kinds)())
    if rng.random() < 0.1:
        table = table.rename_columns([table.column_names[0]] * table.num_columns)
    if rng.random() < 0.15:
        with rng.choice([ipc.new_file, ipc.new_stream])(out, table.schema) as writer:
            writer.write_table(table)
        return
    parquet.write_table(
        table,
        out,
        compression=rng.choice(["snappy", "gzip", "brotli", "lz4", "none"]),
        use_deprecated_int96_timestamps=rng.random() < 0.5,
        use_dictionary=rng.random() < 0.5,
        data_page_version=rng.choice(["1.0", "2.0"]),
    )


def _odd_series(series: Any, rng: Random) -> Any:
    return series if rng.random() < 0.85 else rng.choice(odd_kinds(series, rng))().alias(series.name)


def odd_kinds(series: Any, rng: Random) -> list[Callable[[], Any]]:
    """Return what makes columns as long as one of text, each of another kind."""
    import polars as pl

    whole: list[Any] = [pl.Int8, pl.UInt64, pl.Float32, pl.Float64, pl.Boolean, pl.Decimal(10, 2)]
    numbers, n = pl.Series([rng.randint(0, 4) for _ in range(len(series))], dtype=pl.Int64), len(series)
    return [
        lambda: numbers.cast(rng.choice(whole)),
        lambda: numbers.cast(rng.choice([pl.Date, pl.Datetime, pl.Duration, pl.Time])),
        lambda: series.cast(rng.choice([pl.Categorical, pl.Binary])),
        lambda: pl.Series([b"\xff\xfe\x00"] * n, dtype=pl.Binary),
        lambda: pl.Series([rng.choice([[], [1], None]) for _ in range(n)], dtype=pl.List(pl.Int64)),
        lambda: pl.Series([{"a": 1}] * n),
        lambda: pl.Series([[{"a": [1, None]}]] * n),
        lambda: pl.Series([[[1.5], []]] * n),
        lambda: numbers.cast(pl.Datetime("ns", "Europe/Vienna")),
        lambda: pl.Series([rng.choice([2**31 - 1, 0, -(2**31)]) for _ in range(n)], dtype=pl.Int64).cast(pl.Date),
        lambda: pl.Series([rng.choice([2**63 - 1, 0, -(2**62)]) for _ in range(n)], dtype=pl.Int64).cast(
            pl.Datetime(rng.choice(["ms", "us"]), rng.choice([None, "Europe/Vienna"]))
        ),
        lambda: numbers.cast(pl.Decimal(38, 18)),
        lambda: pl.Series([rng.choice(["a", "b", None]) for _ in range(n)], dtype=pl.Enum(["a", "b", "\x1b"])),
        lambda: series.cast(pl.Categorical),
        lambda: pl.Series([rng.choice([-(2**63), 2**63 - 1, 0, None]) for _ in range(n)], dtype=pl.Int64),
        lambda: pl.Series(
            [rng.choice(["\x00", "\u202e", "", " ", None, "x" * 3000]) for _ in range(n)], dtype=pl.String
        ),
        lambda: pl.Series([rng.choice([True, False, None]) for _ in range(n)], dtype=pl.Boolean),
        lambda: pl.Series([[float(k)] * 3 for k in range(n)], dtype=pl.Array(pl.Float64, 3)),
        lambda: pl.Series([None] * n, dtype=pl.Null),
        lambda: pl.Series([rng.choice([1.0, float("nan"), float("inf"), 1e308, -0.0, None]) for _ in range(n)]),
        lambda: pl.Series([rng.choice([2**64 - 1, 2**53 + 1, 2**53]) for _ in range(n)], dtype=pl.UInt64),
    ]


def mangled(data: bytes, rng: Random) -> bytes:
    """Let something befall the bytes of a file, or nothing."""
    if rng.random() < 0.93:
        return data
    place, end = rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)
    kinds: list[Callable[[], bytes]] = [
        lambda: data[:place],
        lambda: data[:place] + bytes([rng.randrange(256)]) + data[place + 1 :],
        lambda: data[:place] + rng.randbytes(rng.randint(1, 40)) + data[place:],
        lambda: data[:place] + rng.choice([b"\0", b'"', b"\n", b"\r", b",", b"\xff", b"\xe2\x80\xa8", b"\x1a"]) + data[place:],
        lambda: b"\xef\xbb\xbf" + data,
        lambda: b"\n" * rng.randint(1, 3) + data,
        lambda: b" \r\n\t\n" + data,
        lambda: data.replace(b"\n", b"\r"),
        lambda: data.replace(b"\n", b"\r\n"),
        lambda: data.decode(errors="replace").encode(rng.choice(["utf-16", "utf-32", "utf-16-le"]), errors="replace"),
        lambda: data.decode(errors="replace").encode("latin-1", errors="replace"),
        lambda: data + data,
        lambda: data[min(place, end) : max(place, end)],
        lambda: b"",
        lambda: b"\xef\xbb\xbf",
        lambda: b"[" * 200_000,
        lambda: b'{"a":' * 100_000,
        lambda: rng.choice([b"null", b"1", b'"x"', b"[]", b"{}", b"[null]", b"[[]]", b"{}\n{}", b"PAR1", b"PK\x03\x04", b"\x1f\x8b"]),
        lambda: data[:place] + rng.choice([b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe9", b"\x80", b"\x93"]) + data[place:],
        lambda: b"\xff\xfe" + data,
        lambda: b"\xef\xbb\xbf" * 2 + data,
        lambda: data.decode(errors="replace").encode(rng.choice(["cp1252", "shift-jis", "utf-7", "cp037", "gb18030"]), errors="replace"),
        lambda: b"sep=;\n" + data,
        lambda: b"# a note\n" + data,
        lambda: b"// a note\n" + data,
        lambda: data.replace(b",", b", "),
        lambda: data.replace(b'"', b"'"),
        lambda: data.replace(b":", b": NaN, ", 1),
        lambda: data.replace(b"}", b",}"),
        lambda: data.replace(b"}\n{", b"}{"),
        lambda: data.replace(b"\n", b"\n\x1e"),
        lambda: b"callback(" + data + b")",
        lambda: data.replace(b"\n", rng.choice([b"\n\r", b"\r\r\n", b"\x0c", b"\xc2\x85", b"\xe2\x80\xa8"])),
        lambda: rng.choice([b"+/v8-", b"\x84\x31\x95\x33", b"\xff\xfe\0\0", b"\xfe\xff", b"\x0e\xfe\xff"]) + data,
        lambda: rng.choice([b"ARROW1\0\0", b"ORC", b"\x28\xb5\x2f\xfd", b"BZh9", b"\xfd7zXZ\0", b"Obj\x01", b"\x89HDF\r\n\x1a\n"]) + data,
        lambda: data.replace(b"\n", b"\n\n"),
        lambda: data.replace(b"\n", b"\0\n"),
        lambda: data.replace(b"item", b"\xe9tem"),
        lambda: data + b"\x1a",
        lambda: data + b"\0" * 4096,
        lambda: data[::-1],
        lambda: data.rstrip(b"\n"),
        lambda: data + b"\n\n\n",
        lambda: b"\n".join(line + rng.choice([b"", b" ", b","]) for line in data.split(b"\n")),
        lambda: b"".join(line + rng.choice([b"\n", b"\r\n", b"\r"]) for line in data.splitlines()),
        lambda: data.replace(b",", rng.choice([b"\x01", b"\x1f", b"||", b", ,", b"\xa0"])),
        lambda: b"Study of 2024\n\n\n" + data,
        lambda: data + b"Total,,\n\nexported by nobody\n",
        lambda: b"<!doctype html><html><table>" + data,
        lambda: rng.choice([b"version https://git-lfs.github.com/spec/v1\n", b"SQLite format 3\0", b"%PDF-1.7\n", b"\xd0\xcf\x11\xe0", b"{\\rtf1"]) + data,
        lambda: b"\n".join(b'"' + line + b'"' for line in data.split(b"\n")),
        lambda: data.replace(b"1", "\u0661".encode()),
        lambda: data.replace(b"e", b"e\xcc\x81"),
    ]  # fmt: skip
    return rng.choice(kinds)()


def as_file(rows: Rows, rng: Random) -> tuple[str, bytes]:
    """Return the suffix and the bytes of a file that holds a table, or did."""
    suffix, write = rng.choice(
        [(".csv", as_delimited)] * 4
        + [(".tsv", as_delimited), (".jsonl", as_json), (".json", as_json), (".parquet", as_parquet)]
    )
    data = mangled(write(rows, rng), rng)
    if rng.random() < 0.07:
        return f"{suffix}.gz", _packed(data, rng)
    return suffix, data


def _packed(data: bytes, rng: Random) -> bytes:
    """Pack a file: well, cut off, twice, in two parts, with a wrong sum, or with something after it."""
    pack = partial(gzip.compress, compresslevel=1, mtime=0)
    packed, half = pack(data), len(data) // 2
    mark = rng.choice([b"\n", b",", b'"', b"a", b"{}\n", b"{},", b"a,b,c\n"])
    kinds: list[Callable[[], bytes]] = [
        lambda: mangled(packed, rng),
        lambda: packed[: rng.randrange(len(packed))],
        lambda: pack(packed),
        lambda: pack(data[:half]) + pack(data[half:]),
        lambda: packed[:-8] + rng.randbytes(8),
        lambda: packed + rng.randbytes(20),
        lambda: packed + b"\0" * 512,
        lambda: data,
        lambda: zlib.compress(data),
        lambda: packed[:3] + b"\x1f" + packed[4:],
        lambda: pack(data[:40] + mark * (40_000_000 // len(mark))),
    ]
    return rng.choice(kinds)()
