"""Which column holds what, and tables of any layout made long, a row per response.

Columns are guessed from the names people use; the guess is shown, and a flag overrides it. Layouts
are long, wide (a column per rater) or counts (a column per category).
"""

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from quorate._errors import InputError
from quorate.data.reading import Reading
from quorate.data.tables import BELOW_HEADER, InputTable, as_floats, as_text
from quorate.data.wide_columns import split_alike


@dataclass(frozen=True)
class Role:
    """What a column can be for: its name, its flag, and what people call it, likeliest first."""

    name: str
    flag: str
    words: str


# Words from crowd-kit (task, worker, label), cleanlab, R's irr and psych (subject, rater), Label Studio (completed_by),
# Figure Eight (_unit_id, _worker_id), MTurk (HITId, WorkerId, Answer), Prolific and others.
ITEM = Role(
    "item",
    "--item-column",
    """item item_id itemid task task_id example example_id doc_id document_id unit unit_id instance instance_id
    sample sample_id subject subject_id question_id prompt_id tweet_id comment_id text_id sentence_id hit_id hitid
    image_id segment_id record_id case case_id rev_id doc document question prompt image id instruction""",
)
RATER = Role(
    "rater",
    "--rater-column",
    """rater rater_id raterid worker worker_id workerid annotator annotator_id user user_id completed_by coder coder_id
    judge judge_id labeler labeler_id labeller labeller_id reviewer reviewer_id participant participant_id observer
    evaluator evaluator_id respondent performer""",
)
RESPONSE = Role(
    "response",
    "--response-column",
    "response label rating score vote answer annotation judgment judgement value choice class category grade stars",
)
SYSTEM = Role("system", "--system-column", "system system_id model model_id method method_id")
RUN = Role("run", "--run-column", "run run_id trial attempt replicate seed")
REPEAT = Role("repeat", "--run-column", "repeat repetition epoch")
"""Answers to one item, each drawn on its own: the second of an item shares nothing with the second of another."""

# A column whose name holds one of these words says something about an item; it is never a rater or a category.
ASIDE = re.compile(r"(^|_)(label|gold|truth|split|text|source|domain|lang|total|count|majority|task|question)($|_)")
RATER_NAME = re.compile(r"^(r|w|a|ann|rater|worker|annotator|coder|judge|observer|user|reviewer|expert)_?\d+$")
JOINT = " | "  # between the columns of an item key
MOST_WIDE_LABELS = 20  # a table with more distinct cells than this is not taken for ratings by column
STEADY = 0.9  # share of rows with the usual number of votes that makes a table of whole numbers one of counts
MOST_RESPONSES = 10**9  # their square still is a whole number of 64 bits
SUMMARY = re.compile(
    r"^(grand )?(totale?|sum|mean|average|median|summe|gesamt|mittelwert|durchschnitt|moyenne|somme|promedio)s?:?$",
    re.IGNORECASE,
)
"""What the last row of a sheet is called that sums up the others."""
MOST_SUMMARIES = 10  # such rows below a sheet
MOST_ASIDE = 100  # columns beside the ratings of a wide table that are kept, for groups
UNUSED_COUNT = "column 'count' is not used: each row is one response"
FEWEST_ROWS = 5  # below this many rows sums can be equal by chance


@dataclass(frozen=True)
class Long:
    """Columns ``item``, ``rater`` (if known), ``response``, ``count`` (if counted) and more.

    `columns` says which column of the file plays which role, `notes` what else was guessed,
    `n_rows` how many rows the source has, `others` which columns of a long table play no role, `told_apart_by` which
    of them tells repeated answers apart, where an engine looked.
    """

    table: InputTable
    columns: dict[str, str]
    notes: tuple[str, ...]
    n_rows: int
    others: tuple[str, ...] = ()
    told_apart_by: str | None = None


def _plain(name: str) -> str:
    """Reduce a column name to lower-case words joined by underscores."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.strip())
    return re.sub(r"[^0-9a-z]+", "_", words.lower()).strip("_")


def guess_column(role: Role, columns: Sequence[str]) -> str | None:
    """Return the column that most likely plays a role, or None."""
    by_name = {_plain(column): column for column in reversed(columns)}
    return next((by_name[alias] for alias in role.words.split() if alias in by_name), None)


def find_column(
    role: Role, columns: Sequence[str], given: str | None, where: str, taken: Sequence[str | None] = ()
) -> str | None:
    """Return the column the user gave, or refuse it; else a guess among those not taken."""
    if given is None:
        return guess_column(role, [column for column in columns if column not in taken])
    return named_columns([given], columns, role.flag, where)[0]


def find_items(columns: Sequence[str], given: str | None, where: str, taken: Sequence[str | None] = ()) -> list[str]:
    """Return the columns that together name an item, given or guessed; [] if none fits."""
    if given is not None and given not in columns:
        return named_columns([part.strip() for part in given.split(",")], columns, ITEM.flag, where)
    found = find_column(ITEM, columns, given, where, taken)
    return [found] if found else []


def named_columns(given: Sequence[str], columns: Sequence[str], flag: str, where: str) -> list[str]:
    """Return the columns the user named; refuse an unknown one and suggest the nearest."""
    for name in given:
        if name not in columns:
            near = difflib.get_close_matches(name, columns, n=1)
            hint = f"did you mean {flag} {near[0]}?" if near else f"name one of them with {flag}."
            raise InputError(f"{where} has no column '{name}', only {listed(columns)}; {hint}")
    return list(given)


def listed(names: Sequence[str], most: int = 8) -> str:
    """Name the first few of many."""
    return ", ".join(names[:most]) + (" …" if len(names) > most else "")


def to_long(table: InputTable, reading: Reading, aside: Sequence[str] = ()) -> Long:
    """Recognise the layout of a table and return it long; columns `aside` are kept and are no raters or responses."""
    long = _to_long(table, reading, aside)
    return replace(long, notes=(*table.notes, *long.notes))


def _to_long(table: InputTable, reading: Reading, aside: Sequence[str]) -> Long:
    item_column, layout, columns = reading.item_column, reading.layout, reading.columns
    if layout not in (None, "long", "wide", "counts"):
        raise InputError(f"'{layout}' is not a layout; use --layout long, wide or counts.")
    names = table.frame.columns
    response = find_column(RESPONSE, names, reading.response_column, table.name, aside)
    if layout is None and response is None:
        response = _only_one_left(table, item_column, reading.rater_column, aside)
    if layout == "long" or (layout is None and not columns and response is not None):
        return _long(table, item_column, reading.rater_column, response)
    item = find_items(names, item_column, table.name)
    if columns:
        chosen = named_columns(columns, names, "--columns", table.name)
    else:
        chosen = _answer_columns(table, [*item, *aside], guessing=layout is None)
    counted = (layout or _guess_layout(table, item, chosen)) == "counts"
    if counted:
        return _counts(table, item, chosen)
    table, below = _without_summary(table, item)
    raters, unlike = (chosen, []) if columns else _raters(table, chosen)
    named = [] if columns else [name for name in names if ASIDE.search(_plain(name)) and name not in (*item, *aside)]
    return _wide(table, item, raters, [name for name in names if name in {*unlike, *named}], below)


def _raters(table: InputTable, columns: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the columns of raters, and those unlike them; a column that is called like a rater is one."""
    named = [name for name in columns if RATER_NAME.match(_plain(name))]
    others = [as_text(table.frame[name], table.name) for name in columns if name not in named]
    if len(named) > 1 or not others:
        return (list(columns), []) if len(named) == len(columns) else (named, [each.name for each in others])
    alike, unlike = split_alike(table.name, others)
    return [name for name in columns if name in alike or name in named], unlike


def _only_one_left(
    table: InputTable, item_column: str | None, rater_column: str | None, aside: Sequence[str]
) -> str | None:
    """With item and rater known and one column left, that one must be the response; marks need no rater."""
    names = table.frame.columns
    item, rater = item_column or guess_column(ITEM, names), rater_column or guess_column(RATER, names)
    left = [name for name in names if name not in (item, rater, *aside)]
    known = item is not None and (rater is not None or bool(aside))
    return left[0] if known and len(left) == 1 else None


def _long(table: InputTable, item_column: str | None, rater_column: str | None, response: str | None) -> Long:
    names = table.frame.columns
    if response is None:
        raise _no_column(table, RESPONSE)
    rater = find_column(RATER, names, rater_column, table.name, taken=(response,))
    items = find_items(names, item_column, table.name, taken=(response, rater))
    if not items:
        raise _no_column(table, ITEM)
    used = {rater, response, *items, "item", "rater", "response", "count"}
    table, below = _without_summary(table, items, rater) if rater else (table, ())
    table, filled = _filled_down(table, items, rater, response)
    cells = table.frame
    frame = pl.DataFrame(
        [
            item_key(table, items),
            *([cells[rater].alias("rater")] if rater else []),
            cells[response].alias("response"),
            *(cells[name] for name in names if name not in used),
        ]
    )
    roles = {"item": ",".join(items), **({"rater": rater} if rater else {}), "response": response}
    notes = (UNUSED_COUNT,) if "count" in names else ()
    others = tuple(name for name in names if name not in used)
    notes = (*notes, *below, *filled)
    made = InputTable(frame, table.name, table.first_row, below=table.below)
    return Long(made, roles, notes, table.n_rows, others)


def _filled_down(
    table: InputTable, items: Sequence[str], rater: str | None, response: str
) -> tuple[InputTable, tuple[str, ...]]:
    """Repeat an item that stands once for a block of rows, as a spreadsheet's merged cells do, and say so."""
    frame, answered = table.frame, table.frame[response].is_not_null()
    merged = [name for name in items if _is_merged(frame[name].filter(answered))]
    if not merged:
        return table, ()
    fill = pl.when(answered).then(pl.col(merged).forward_fill()).otherwise(pl.col(merged))
    filled = frame.with_columns(fill)
    if rater and filled.filter(answered & frame[rater].is_not_null()).select(*items, rater).is_duplicated().any():
        return table, ()
    notes = tuple(f"'{name}' stands once for a block of rows and is repeated in its empty cells" for name in merged)
    return replace(table, frame=filled), notes


def _is_merged(cells: pl.Series) -> bool:
    """Tell whether each name stands once, the first in the first row, and most have empty cells below them."""
    named, empty = cells.is_not_null(), cells.null_count()
    if not empty or empty == len(cells) or not named[0] or cells.drop_nulls().is_duplicated().any():
        return False
    blocks = int((named & ~named.shift(-1, fill_value=True)).sum())
    return 2 * blocks > int(named.sum())


def _no_column(table: InputTable, role: Role) -> InputError:
    """Say that a column is not there, or that the first row may be no header."""
    names = table.frame.columns
    wide = ", or say --layout wide if each rater has a column" if len(names) > 2 else ""
    if any(guess_column(known, names) for known in (ITEM, RATER, RESPONSE)):
        other = wide if role is RESPONSE and not guess_column(RATER, names) else ""
        if role is RESPONSE and len(names) == 2:
            other = f", or write NAME={table.name} if it holds the marks of one system"
        return InputError(
            f"{table.name} has no {role.name} column, only {listed(names)}; name it with {role.flag}{other}."
        )
    flags = f"{ITEM.flag} and {RESPONSE.flag}"
    if (table.first_row or 0) < BELOW_HEADER:
        return InputError(f"{table.name} has no item and no response column, only {listed(names)}; name {flags}{wide}.")
    return InputError(
        f"{table.name} has no item and no response column, and its first row is {listed(names)}; if that is not a "
        f"header, put item,rater,response above it, else name the columns with {flags}{wide}."
    )


def item_key(table: InputTable, items: Sequence[str]) -> pl.Series:
    """Return the item's name; several columns are joined to one."""
    if len(items) == 1:
        return table.frame[items[0]].alias("item")
    parts = [as_text(table.frame[name], table.name) for name in items]
    return pl.select(pl.concat_str(parts, separator=JOINT)).to_series().alias("item")


def _answer_columns(table: InputTable, items: Sequence[str], *, guessing: bool) -> list[str]:
    """Return the columns that may hold raters or categories; a long table has a rater column."""
    names = table.frame.columns
    found = [n for n in names if n not in items and not ASIDE.search(_plain(n))]
    if guessing and (len(found) < 2 or guess_column(RATER, names)):
        raise _no_column(table, RESPONSE)
    if not found:
        raise InputError(f"{table.name} has no columns of raters or categories; name them with --columns.")
    return found


def _guess_layout(table: InputTable, items: Sequence[str], columns: Sequence[str]) -> str:
    """Tell wide from counts, or refuse to guess.

    Columns named like raters are wide. Text is wide if there are few labels; whole numbers with a
    steady sum are counts; numbers with holes are wide, for a vote count is 0 where nobody voted.
    Anything else could be either.
    """
    if all(RATER_NAME.match(_plain(name)) for name in columns):
        return "wide"
    if not items:
        raise _no_column(table, RESPONSE)
    if _steady_sums(table.frame, columns):
        return "counts"
    cells = pl.concat([as_text(table.frame[name], table.name) for name in columns], rechunk=False)
    numbers = cells.drop_nulls().str.strip_chars().cast(pl.Float64, strict=False)
    text_or_holes = numbers.null_count() > 0 or cells.null_count() > 0
    if text_or_holes and cells.n_unique() <= MOST_WIDE_LABELS:
        return "wide"
    raise InputError(
        f"{table.name} may hold a column per rater or a column of counts per category ({listed(columns, 4)}); "
        "say --layout wide or --layout counts, or name the --response-column; if each system has a column, put them "
        "under each other as item, system, response."
    )


def _steady_sums(frame: pl.DataFrame, columns: Sequence[str]) -> bool:
    numbers = pl.DataFrame([_whole_numbers(frame[name]) for name in columns])
    if frame.height < FEWEST_ROWS or sum(numbers.null_count().row(0)) or not (numbers.min_horizontal() >= 0).all():
        return False
    sums = numbers.sum_horizontal()
    usual = sums.mode().max()
    return isinstance(usual, int) and usual > 1 and int((sums == usual).sum()) >= STEADY * len(sums)


def _without_summary(
    table: InputTable, items: Sequence[str], rater: str | None = None
) -> tuple[InputTable, tuple[str, ...]]:
    """Leave out last rows that sum up the others, as sheets have it: their first filled cell says so.

    A word that its column holds further up too is an answer, and so is what a rater said.
    """
    columns = [*items, *(name for name in table.frame.columns if name not in items)]
    cells = {name: as_text(table.frame[name].tail(MOST_SUMMARIES), table.name) for name in columns}
    filled = [[(name, cell) for name, cell in row.items() if cell and cell.strip()] for row in _rows(cells)]
    first = [row[0] if row and rater not in dict(row) else ("", "") for row in filled]
    rows = next((k for k, (_, cell) in enumerate(reversed(first)) if not SUMMARY.match(cell.strip())), len(first))
    if rows in (0, table.frame.height):
        return table, ()
    above, said = table.frame.head(-rows), first[-rows:]
    if any(cell in as_text(above[name], table.name) for name, cell in said):
        return table, ()
    note = f"left out below the items: {listed([cell for _, cell in said])}"
    return replace(table, frame=above), (note,)


def _rows(cells: Mapping[str, pl.Series]) -> list[dict[str, str | None]]:
    return pl.DataFrame(cells).to_dicts()


def _wide(
    table: InputTable, items: Sequence[str], raters: Sequence[str], unlike: Sequence[str], below: Sequence[str]
) -> Long:
    notes: tuple[str, ...] = (
        *below,
        f"wide layout, a column per rater: {listed(raters, 6)} (--layout, --columns)",
    )
    if unlike:
        notes += (f"left out, unlike the columns of raters: {listed(unlike, 6)} (--columns)",)
    if not items:
        notes += ("no item column: each row is an item, named by its number (--item-column)",)
    long = _stacked(table, items, {name: as_text(table.frame[name], table.name) for name in raters})
    long = long.rename({"column": "rater", "cell": "response"})
    roles = {"item": ",".join(items) or "row number", "rater": "column name", "response": "cell"}
    return Long(InputTable(long, table.name, table.first_row, tuple(raters)), roles, notes, table.n_rows)


def _counts(table: InputTable, items: Sequence[str], categories: Sequence[str]) -> Long:
    if not items:
        raise _no_column(table, ITEM)
    for name in categories:
        good = _whole_numbers(table.frame[name]) >= 0
        if not good.fill_null(False).all():
            _refuse_count(table, good.fill_null(False).arg_min() or 0, name)
    counts = {name: _whole_numbers(table.frame[name]) for name in categories}
    _refuse_many(table, counts)
    long = _stacked(table, items, counts)
    long = long.rename({"column": "response", "cell": "count"}).filter(pl.col("count") > 0)
    roles = {"item": ",".join(items), "response": "column name"}
    note = f"counts layout, a column per category: {listed(categories, 6)} (--layout, --columns)"
    return Long(InputTable(long, table.name, first_row=None), roles, (note,), table.n_rows)


def _refuse_count(table: InputTable, index: int, column: str) -> None:
    cell = table.frame[column][index]
    what = "an empty cell" if cell is None else f"'{cell}'"
    raise InputError(
        f"{table.at(index, column)}: {what} is not a count; use whole numbers from 0 up, "
        "or say --layout wide if a column is a rater."
    )


def _refuse_many(table: InputTable, counts: Mapping[str, pl.Series]) -> None:
    """Refuse more responses than whole numbers can be squared for."""
    total = sum(float(column.cast(pl.Float64).sum()) for column in counts.values())
    if total > MOST_RESPONSES:
        largest = max(counts, key=lambda name: counts[name].max() or 0)
        place = table.at(counts[largest].arg_max() or 0, largest)
        raise InputError(f"{place}: counts add up to {total:.3g} responses, more than {MOST_RESPONSES:,}; check them.")


def _whole_numbers(column: pl.Series) -> pl.Series:
    """Return the column as whole numbers, null where it holds something else."""
    numbers = as_floats(column)
    return numbers.set(numbers != numbers.round(), None).cast(pl.Int64, strict=False)


def _stacked(table: InputTable, items: Sequence[str], columns: Mapping[str, pl.Series]) -> pl.DataFrame:
    """Put columns one below the other: item, column, cell, and what describes the item."""
    frame = table.frame
    item = item_key(table, items) if items else pl.Series("item", range(1, frame.height + 1))
    used = {*items, *columns, "item", "rater", "response", "count", "column", "cell"}
    aside = [frame[name] for name in frame.columns if name not in used][:MOST_ASIDE]
    parts = [
        item.to_frame().with_columns(pl.lit(name).alias("column"), cells.alias("cell"), *aside)
        for name, cells in columns.items()
    ]
    return pl.concat(parts)
