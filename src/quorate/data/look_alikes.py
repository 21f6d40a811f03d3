"""Names that a person takes for the same: they differ only in case or spaces, or are words for one thing."""

from shlex import quote

import numpy as np
import polars as pl

from quorate._typing import Array
from quorate.data.numerals import is_missing_word

SAYS_SO = (("1", "true", "t", "yes", "y", "ja", "j", "wahr"), ("0", "false", "f", "no", "n", "nein", "falsch"))
"""What people and programs write for yes and for no."""
MOST_COMPARED = 10_000
"""Names whose case is compared; among more, letters drawn at random may differ in nothing else."""
MOST_NAMED = 3
CODES = (-1, -9, -99, -999, -9999, 99, 999, 9999)
"""Numbers that tools write where nothing was said."""
FEWEST_OTHERS = 3


def response_words(labels: pl.Series) -> list[str]:
    """Point at responses that may be the same, and at words that usually mean there is none."""
    plain = _folded(labels)
    notes = _alike("responses", labels, plain)
    meaning = plain.replace_strict({word: said[0] for said in SAYS_SO for word in said}, default=None)
    if not meaning.null_count() and plain.n_unique() > 2:
        one, other = labels.filter(meaning == meaning.filter(meaning.is_duplicated())[0])[:2]
        notes.append(f"'{one}' and '{other}' may mean the same; they count as different responses")
    unsaid = labels.filter(is_missing_word(labels) & (labels.str.len_chars() > 1))
    if len(unsaid):
        counts, them = ("counts as a response", "it") if len(unsaid) == 1 else ("count as responses", "them")
        option = f"--missing-values {quote(','.join(unsaid[:MOST_NAMED]))}"
        notes.append(f"{_listed(unsaid)} {counts} ({option} to leave {them} out)")
    return notes


def code_words(levels: Array) -> list[str]:
    """Point at a number that usually stands for none: -1 below whole numbers from 0 up, or 999 far from all others.

    The numbers are sorted and different, ``(level,)``.
    """
    for code, others in ((levels[0], levels[1:]), (levels[-1], levels[:-1])):
        if code not in CODES or len(others) < FEWEST_OTHERS:
            continue
        below = code < 0 <= others[0] and bool((others == others.round()).all())
        if below or np.abs(others - code).min() > np.ptp(others):
            break
    else:
        return []
    return [f"{code:g} counts as a response (--missing-values {code:g} to leave it out)"]


def name_words(items: pl.Series, raters: pl.Series | None) -> list[str]:
    """Point at items that differ only in spaces at their ends, and at raters that differ only in them or in case."""
    notes = _alike("items", items, items.str.strip_chars(), "spaces")
    if raters is not None:
        few = len(raters) <= MOST_COMPARED
        plain = _folded(raters) if few else raters.str.strip_chars()
        notes += _alike("raters", raters, plain, "case or spaces" if few else "spaces")
    return notes


def _folded(names: pl.Series) -> pl.Series:
    return names.str.strip_chars().str.to_lowercase()


def _alike(what: str, names: pl.Series, plain: pl.Series, how: str = "case or spaces") -> list[str]:
    """Name the first few of different names that are the same once they are plain."""
    if (plain == names).all() or plain.n_unique() == len(plain):
        return []
    same = names.filter(plain == plain.filter(plain.is_duplicated()).drop_nulls()[0])
    return [f"{what} {_listed(same)} differ only in {how}; they count as different"]


def _listed(names: pl.Series) -> str:
    return " and ".join(f"'{name}'" for name in names[:MOST_NAMED])
