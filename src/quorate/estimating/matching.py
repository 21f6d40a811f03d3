"""Votes, experts' labels and scores of the same items, brought together by the items' names."""

import math

import polars as pl

from quorate._errors import InputError
from quorate._text import count

DOUBTFUL = 0.01
"""Chance below which all items without votes being labelled is no accident."""


def match_scores(frame: pl.DataFrame, scores: pl.DataFrame, missing: str) -> tuple[pl.DataFrame, list[str], list[str]]:
    """Give every item the columns ``score of NAME`` of each system; items nobody judged are dropped with a note."""
    values = [name for name in scores.columns if name not in ("item", "system")]
    parts = {str(name[0]): part for name, part in scores.partition_by("system", as_dict=True).items()}
    wide = {
        name: [
            column.alias(score_column(name, column.name)) for column in _in_order(parts[name], frame["item"], values)
        ]
        for name in sorted(parts)
    }
    lost = {
        name: pl.select(pl.all_horizontal(c.is_null() for c in columns)).to_series() for name, columns in wide.items()
    }
    held = pl.select(pl.any_horizontal(*(column.alias(name) for name, column in lost.items()))).to_series()
    notes = []
    if held.any() and missing == "error":
        name, gone = next((name, column) for name, column in lost.items() if column.any())
        raise _no_score(name, frame.filter(gone))
    if held.any():
        notes.append(f"{count(int(held.sum()), 'item')} without a score left out (--missing drop)")
    if any(parts[name].height > len(column) - int(column.sum()) for name, column in lost.items()):
        strangers = scores.select(pl.col("item").unique()).join(frame, on="item", how="anti").height
        if strangers:
            notes.append(f"scores of {count(strangers, 'item')} without votes or an expert label left out")
    columns = [column for every in wide.values() for column in every]
    return frame.with_columns(columns).filter(~held), list(wide), notes


def add_unvoted(frame: pl.DataFrame, scores: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Add the items that have scores and nothing else, if experts label items that nobody voted on.

    Of such items experts have drawn some: left out, the others would not be there to be spoken for.
    """
    if not _unvoted(frame).any():
        return frame, []
    systems = scores["system"].n_unique()
    judged = scores.join(frame, on="item", how="anti").group_by("item").len().filter(pl.col("len") == systems)
    if not judged.height:
        return frame, []
    note = f"{count(judged.height, 'item')} with scores only are judged too: experts label such items as well"
    votes = pl.col("^votes [0-9]+$").fill_null(0)
    return pl.concat([frame, judged.select("item")], how="diagonal").with_columns(votes), [note]


def leave_unvoted(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Leave out experts' items without votes if no other item without votes is known, and that is no chance.

    They would be no random sample of the items: of those without votes all are labelled, of the others few.
    """
    alone = _unvoted(frame)
    lost, labelled = int(alone.sum()), frame.height - frame["label"].null_count() if "label" in frame.columns else 0
    without = pl.select(pl.sum_horizontal(frame.select("^votes [0-9]+$")) == 0).to_series().sum()
    if not lost or lost < without or "weight" in frame.columns:
        return frame, []
    chance = math.prod((labelled - k) / (frame.height - k) for k in range(lost))
    if chance >= DOUBTFUL:
        return frame, []
    note = (
        f"{count(lost, 'expert label')} of items nobody voted on left out: no other item without votes is known, so "
        "they are no random sample (name all items in --scores, or give weights)"
    )
    return frame.filter(~alone), [note]


def _unvoted(frame: pl.DataFrame) -> pl.Series:
    """Which items have an expert label and no votes."""
    label = frame["label"] if "label" in frame.columns else pl.repeat(None, frame.height, eager=True)
    return (pl.select(pl.sum_horizontal(frame.select("^votes [0-9]+$"))).to_series() == 0) & label.is_not_null()


def match_labels(frame: pl.DataFrame, labels: pl.DataFrame, name: str) -> pl.DataFrame:
    """Give every item its expert label; items nobody voted on come last.

    Experts who speak of other items than the voters are refused.
    """
    matched = frame.join(labels, on="item", how="left", maintain_order="left")
    strangers = labels.height - (frame.height - matched["label"].null_count())
    if not strangers:
        return matched
    if strangers == labels.height and frame.height:
        raise InputError(
            f"{name}: none of its {count(labels.height, 'item')} has votes (its first is '{labels['item'].sort()[0]}', "
            f"the votes' '{frame['item'].sort()[0]}'); check that the files name items alike, or use --item-column."
        )
    return frame.join(labels, on="item", how="full", coalesce=True, maintain_order="left")


def _no_score(name: str, rows: pl.DataFrame) -> InputError:
    """Say which items have no score of a system; of those without votes, that only experts know them."""
    item, rest = rows["item"].sort()[0], f" and {rows.height - 1:,} more" if rows.height > 1 else ""
    if not rows.select(pl.sum_horizontal("^votes [0-9]+$")).to_series().sum():
        return InputError(
            f"--experts label item '{item}'{rest}, which {name} gave no score and nobody voted on; check that "
            "the files name items alike, or leave such items out with --missing drop."
        )
    return InputError(
        f"{name} has no score for item '{item}'{rest}; add {'it' if not rest else 'them'} to --scores, or leave such "
        "items out with --missing drop."
    )


def _in_order(part: pl.DataFrame, items: pl.Series, values: list[str]) -> list[pl.Series]:
    """One system's values of every item, null where it has none; files in the same order need no search."""
    if not part["item"].equals(items):
        part = items.to_frame("item").join(part, on="item", how="left", maintain_order="left")
    return part.select(values).get_columns()


def score_column(system: str, value: str) -> str:
    """Name a system's column so that it cannot be taken for one of ours."""
    return f"{value} of {system}"
