"""What people write for a vote: a, left, model_a, a system's own name, tie, both_bad, 1 / 2 / 0, "A much better"."""

import re
from collections.abc import Sequence
from typing import Literal

import numpy as np
import polars as pl

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.columns import listed
from quorate.data.tables import InputTable, as_text

Meaning = Literal[1, 0, -1]

SIDES: dict[str, Meaning] = {
    **dict.fromkeys(("a", "left", "first", "l", "one"), 1),
    **dict.fromkeys(("b", "right", "second", "r", "two"), -1),
}
NOUN = r"(?:model|system|response|output|option|assistant|answer|candidate|method|text|side|the)"
SIDE = re.compile(rf"^(?:{NOUN}\s)*(a|b|left|right|first|second|l|r|one|two|1|2)(?:\s(?:one|{NOUN}))?$")
GRADED = re.compile(rf"\b(?:{NOUN}\s)?(a|b|left|right|first|second|1|2)\b")
GRADE = re.compile(r"\b(better|prefer(?:red)?|wins?|won|best|stronger|worse|slightly|much|significantly|clearly)\b")
TIES = re.compile(r"^(tied?|draw|drawn|equal|equally.*|same|both.*|neither.*|no preference|about the same|similar|c)$")
LOST = re.compile(
    r"^(|na|n a|nan|null|skip(ped)?|abstain(ed)?|abstention|unsure|not sure|cannot (say|judge|tell)|idk)$"
)
ARROW = re.compile(r"^\[*\s*([ab])\s*(>+|<+|=+)\s*([ab])\s*\]*$")


def read_votes(
    table: InputTable, column: str, first: pl.Series, second: pl.Series, *, own: tuple[str, str]
) -> pl.Series:
    """Return whom each vote prefers: 1 the first column's system, −1 the second's, 0 neither, null where none was cast.

    `own` are the names of the two columns, which a vote may hold.
    """
    cells = as_text(table.frame[column], table.name).str.strip_chars()
    named = (cells == first).cast(pl.Int8) - (cells == second).cast(pl.Int8)
    by_name = (cells == first) | (cells == second)
    labels = cells.filter(~by_name.fill_null(False)).drop_nulls().unique().sort().to_list()
    meaning = vote_meanings(labels, own) if not _numbers(labels) else _number_meanings(table, column, labels)
    unknown = [label for label in labels if label not in meaning]
    if unknown:
        wrong = (cells == unknown[0]) & ~by_name
        row = wrong.arg_max() or 0
        raise InputError(
            f"{table.at(row, column)}: '{unknown[0]}' is neither '{first[row]}' nor '{second[row]}', nor a tie; write "
            "one of these names, a, b or tie."
        )
    read = cells.replace_strict(list(meaning), list(meaning.values()), default=None, return_dtype=pl.Int8)
    votes = pl.select(pl.when(by_name.fill_null(False)).then(named).otherwise(read)).to_series()
    return votes.cast(pl.Int64)


def read_sides(table: InputTable, column: str, first: pl.Series, second: pl.Series, *, own: tuple[str, str]) -> Array:
    """Return 1 where the first column's system was shown first, −1 where the second's was, 0 where nothing is said."""
    cells = as_text(table.frame[column], table.name).str.strip_chars()
    labels = cells.filter((cells != first) & (cells != second)).drop_nulls().unique().sort().to_list()
    meaning = vote_meanings(labels, own)
    unknown = [label for label in labels if not meaning.get(label, 0) and label]
    if unknown:
        row = (cells == unknown[0]).arg_max() or 0
        raise InputError(
            f"{table.at(row, column)}: '{unknown[0]}' is neither '{first[row]}' nor '{second[row]}'; say which was "
            "shown first, or leave the cell empty."
        )
    read = cells.replace_strict(list(meaning), list(meaning.values()), default=0, return_dtype=pl.Int8).fill_null(0)
    by_name = (cells == first).cast(pl.Int8).fill_null(0) - (cells == second).cast(pl.Int8).fill_null(0)
    return np.where(by_name.to_numpy() != 0, by_name.to_numpy(), read.to_numpy()).astype(np.int64)


def vote_meanings(labels: Sequence[str], own: tuple[str, str] = ("", "")) -> dict[str, Meaning | None]:
    """Return what labels mean; those not understood are left out, and None is an abstention.

    >>> vote_meanings(["model_a", "tie (bothbad)", "B is slightly better", "[[A>>B]]", "skip", "nobody"])
    {'model_a': 1, 'tie (bothbad)': 0, 'B is slightly better': -1, '[[A>>B]]': 1, 'skip': None}
    """
    columns: dict[str, Meaning] = {_plain(own[0]): 1, _plain(own[1]): -1}
    meanings: dict[str, Meaning | None] = {}
    for label in labels:
        plain = _plain(label)
        arrow = ARROW.match(label.lower())
        if plain in columns and plain:
            meanings[label] = columns[plain]
        elif arrow:
            meanings[label] = _of_arrow(*arrow.groups())
        elif LOST.match(plain):
            meanings[label] = None
        elif TIES.match(plain) or (plain.startswith("tie") and "both" in plain):
            meanings[label] = 0
        else:
            side = _of_words(plain)
            if side is not None:
                meanings[label] = side
    return meanings


def _of_arrow(left: str, sign: str, right: str) -> Meaning:
    if sign[0] == "=" or left == right:
        return 0
    return 1 if (left == "a") == (sign[0] == ">") else -1


def _of_words(plain: str) -> Meaning | None:
    """Read a side, alone or with a grade; "a worse" is for b."""
    alone = SIDE.match(plain)
    if alone:
        return _side(alone.group(1))
    named = {_side(each) for each in GRADED.findall(plain)}
    grade = GRADE.findall(plain)
    if len(named) != 1 or not grade:
        return None
    [side] = named
    return (-1 if side == 1 else 1) if "worse" in grade else side


def _side(word: str) -> Meaning:
    return SIDES[{"1": "one", "2": "two"}.get(word, word)]


def _plain(label: str) -> str:
    """Reduce a label to lower-case words."""
    return re.sub(r"[^0-9a-z]+", " ", label.lower().replace("'", "")).strip()


def _numbers(labels: Sequence[str]) -> bool:
    said = [label for label in labels if not LOST.match(_plain(label))]
    return bool(said) and all(re.match(r"^[-+]?\d+(\.\d+)?$", label) for label in said)


def _number_meanings(table: InputTable, column: str, labels: Sequence[str]) -> dict[str, Meaning | None]:
    """Read 1 / 2 / 0, grades from 1 (the first system) to 2 as AlpacaEval has them, or signed ones, positive for it."""
    values = {label: float(label) for label in labels if not LOST.match(_plain(label))}
    lost: dict[str, Meaning | None] = {label: None for label in labels if label not in values}
    known = set(values.values())
    if min(known) < 0:
        return lost | {label: 1 if value > 0 else -1 if value < 0 else 0 for label, value in values.items()}
    if min(known) >= 1 and max(known) <= 2:
        return lost | {label: 1 if value < 1.5 else -1 if value > 1.5 else 0 for label, value in values.items()}
    if not known <= {0.0, 1.0, 1.5, 2.0}:
        raise InputError(
            f"{table.name}, column '{column}' holds {listed(sorted(values, key=float), 6)}, and which of these are for "
            "which system is not known; write a, b and tie, 1, 2 and 0, or grades below and above 0."
        )
    if known == {0.0, 1.0}:
        raise InputError(
            f"{table.name}, column '{column}' holds only {listed(sorted(values))}: 1 may be the first system and 0 a "
            "tie, or 0 the first system and 1 the second; write a, b and tie."
        )
    return lost | {label: 1 if value == 1 else -1 if value == 2 else 0 for label, value in values.items()}
