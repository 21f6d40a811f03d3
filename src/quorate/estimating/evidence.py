"""What is said about the items – votes, experts' labels, scores – as arrays over the same items.

Rows are matched by name, never by order.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from quorate._errors import InputError
from quorate._text import count
from quorate._typing import Array
from quorate.data.columns import named_columns
from quorate.data.tally import MISSING, encode
from quorate.estimating.files import Sheet, SheetPart, open_sheet, read_experts, read_scores, read_votes
from quorate.estimating.question import EstimateQuestion


@dataclass(frozen=True)
class NamedVotes:
    """Single votes with their voters, ``(vote,)`` each: which item, which rater, positive or not."""

    item: Array
    rater: Array
    vote: Array


@dataclass(frozen=True)
class Evidence:
    """Items with what was said about them."""

    positive: Array  # positive votes, (item,)
    total: Array  # votes, (item,)
    label: Array  # the experts' label, 0 or 1, (item,)
    has_label: Array  # whether there is one, (item,)
    scores: Mapping[str, Array] = field(default_factory=dict)  # by system, (item,) each
    weight: Array | None = None  # 1 / chance of being chosen, (item,); None for a random sample
    named_votes: NamedVotes | None = None
    truth: Array | None = None  # true labels, (item,), in simulations

    @property
    def n_items(self) -> int:
        """How many items there are."""
        return len(self.positive)

    @property
    def n_experts(self) -> tuple[int, int]:
        """Items an expert called negative, and positive."""
        called = self.label[self.has_label]
        return int((called == 0).sum()), int((called == 1).sum())

    def keep(self, kept: Array) -> "Evidence":
        """Return some items only; ``kept`` is True for those."""
        votes = self.named_votes
        if votes is not None:
            rows, place = kept[votes.item], np.cumsum(kept) - 1
            votes = NamedVotes(place[votes.item[rows]], votes.rater[rows], votes.vote[rows])
        return replace(
            self,
            positive=self.positive[kept],
            total=self.total[kept],
            label=self.label[kept],
            has_label=self.has_label[kept],
            scores={name: score[kept] for name, score in self.scores.items()},
            weight=None if self.weight is None else self.weight[kept],
            named_votes=votes,
            truth=None if self.truth is None else self.truth[kept],
        )


@dataclass(frozen=True)
class LoadedEvidence:
    """What was read: items are named and sorted; ``notes`` are what the result must carry as warnings."""

    evidence: Evidence
    items: pl.Series
    groups: tuple[Array, tuple[str, ...]] | None
    load_report: tuple[str, ...]
    notes: tuple[str, ...]


def read_evidence(question: EstimateQuestion) -> LoadedEvidence:
    """Read everything and match it by item; items are sorted by name, so the order of rows never matters."""
    tables = [question.votes] if question.scores is None else [question.votes, question.scores]
    sheets = [open_sheet(table, question.item_column) for table in tables]
    cast, single = read_votes(sheets[0], question)
    frame, notes = cast.frame, list(cast.notes)
    labels = _experts(question, sheets)
    if labels is not None:
        notes += labels.notes
        frame = frame.join(labels.frame, on="item", how="full", coalesce=True, maintain_order="left")
    frame = frame.with_columns(pl.col("positive", "total").fill_null(0))
    systems: list[str] = []
    if question.scores is not None:
        frame, systems, more = _match(frame, read_scores(sheets[1], question), question.missing)
        notes += more
    frame = frame.sort("item")
    items = frame["item"]
    evidence = _evidence(frame, systems)
    if single is not None:
        evidence = _add_votes(evidence, single, items)
    if question.truth is not None:
        evidence = _add_truth(evidence, question, items)
    groups = None if question.by is None else _groups(question.by, items, sheets)
    return LoadedEvidence(evidence, items, groups, _load_report(sheets, cast, evidence, notes), tuple(notes))


def is_best_of(positive: Array, total: Array) -> bool:
    """Tell whether votes were collected until a majority could no longer be lost: the winner always has as many."""
    voted = total > 0
    winner = np.maximum(positive, total - positive)[voted]
    cast = np.unique(total[voted])
    return bool(len(cast) > 1 and (winner == winner[:1]).all())


def _experts(question: EstimateQuestion, sheets: list[Sheet]) -> SheetPart | None:
    column = question.expert_column
    if question.experts is not None:
        return read_experts(open_sheet(question.experts, question.item_column), column, question)
    if column is None:
        return None
    sheet = next((sheet for sheet in sheets if column in sheet.others), None)
    if sheet is None:
        named_columns([column], sheets[0].others, "--expert-column", sheets[0].table.name)
        return None
    part = read_experts(sheet, column, replace(question, several_experts="majority"))
    # a label repeated in every row of an item is one label
    distinct = pl.DataFrame([sheet.item, sheet.text(column).alias("label")]).drop_nulls().unique()
    return replace(part, notes=()) if not distinct["item"].is_duplicated().any() else part


def _match(frame: pl.DataFrame, scores: pl.DataFrame, missing: str) -> tuple[pl.DataFrame, list[str], list[str]]:
    """Give every item a column ``score of NAME`` for each system; items nobody judged are dropped with a note."""
    parts = {str(name[0]): part for name, part in scores.partition_by("system", as_dict=True).items()}
    wide = {name: _in_order(parts[name], frame["item"]) for name in sorted(parts)}
    held = pl.select(pl.any_horizontal(*(column.is_null().alias(name) for name, column in wide.items()))).to_series()
    notes = []
    if held.any() and missing == "error":
        name, lost = next((name, column.is_null()) for name, column in wide.items() if column.null_count())
        item = frame["item"].filter(lost).sort()[0]
        raise InputError(
            f"{name} has no score for item '{item}' and {int(lost.sum()) - 1} more; give them a score, or leave these "
            "items out with --missing drop."
        )
    if held.any():
        notes.append(f"{count(int(held.sum()), 'item')} without a score left out (--missing drop)")
    if any(parts[name].height > len(column) - column.null_count() for name, column in wide.items()):
        strangers = scores.select(pl.col("item").unique()).join(frame, on="item", how="anti").height
        if strangers:
            notes.append(f"scores of {count(strangers, 'item')} without votes or an expert label left out")
    columns = [column.alias(_column(name)) for name, column in wide.items()]
    return frame.with_columns(columns).filter(~held), list(wide), notes


def _in_order(part: pl.DataFrame, items: pl.Series) -> pl.Series:
    """One system's score of every item, null where it has none; files in the same order need no search."""
    if part["item"].equals(items):
        return part["score"]
    return items.to_frame("item").join(part, on="item", how="left", maintain_order="left")["score"]


def _column(system: str) -> str:
    """Name a system's column so that it cannot be taken for one of ours."""
    return f"score of {system}"


def _evidence(frame: pl.DataFrame, systems: list[str]) -> Evidence:
    if not frame.height:
        raise InputError("no item has both votes and a score; check that the files name items alike.")
    has_label = frame["label"].is_not_null().to_numpy() if "label" in frame else np.zeros(frame.height, dtype=bool)
    label = frame["label"].fill_null(0).to_numpy() if "label" in frame else np.zeros(frame.height, dtype=np.int8)
    weight = frame["weight"].fill_null(0.0).to_numpy() if "weight" in frame.columns else None
    scores = {name: frame[_column(name)].to_numpy() for name in systems}
    return Evidence(frame["positive"].to_numpy(), frame["total"].to_numpy(), label, has_label, scores, weight)


def _add_votes(evidence: Evidence, single: pl.DataFrame, items: pl.Series) -> Evidence:
    """Add who voted what."""
    places = items.to_frame("item").with_row_index("place")
    cast = single.join(places, on="item", how="inner").sort("place", "rater", "response")
    item, (rater, _) = cast["place"].to_numpy().astype(np.int64), encode(cast["rater"])
    return replace(evidence, named_votes=NamedVotes(item, rater, cast["response"].to_numpy()))


def _add_truth(evidence: Evidence, question: EstimateQuestion, items: pl.Series) -> Evidence:
    sheet = open_sheet(question.truth, question.item_column)
    part = read_experts(sheet, None, replace(question, several_experts="error"))
    truth = items.to_frame("item").join(part.frame, on="item", how="left", maintain_order="left")["label"]
    if truth.null_count():
        raise InputError(
            f"the truth says nothing of item '{items[truth.is_null().arg_max() or 0]}'; it needs every item."
        )
    return replace(evidence, truth=truth.to_numpy())


def _groups(by: str, items: pl.Series, sheets: list[Sheet]) -> tuple[Array, tuple[str, ...]]:
    """Find each item's group in the first file that has the column; it must say one thing of each item."""
    sheet = next((sheet for sheet in sheets if by in sheet.others), None)
    if sheet is None:
        named_columns([by], sorted({name for sheet in sheets for name in sheet.others}), "--by", "the data")
        raise InputError(f"no file has a column '{by}'; name another with --by.")
    rows = pl.DataFrame([sheet.item, sheet.text(by).fill_null(MISSING).alias("group")]).unique()
    if rows["item"].is_duplicated().any():
        raise InputError(f"column '{by}' says different things of one item; --by takes a column that describes items.")
    group = items.to_frame("item").join(rows, on="item", how="left", maintain_order="left")["group"].fill_null(MISSING)
    code, names = encode(group)
    return code, tuple(names.to_list())


def _load_report(sheets: list[Sheet], cast: SheetPart, evidence: Evidence, notes: list[str]) -> tuple[str, ...]:
    negative, positive = evidence.n_experts
    low, high = int(evidence.total.min()), int(evidence.total.max())
    columns = ", ".join(f"{role} = {name}" for role, name in cast.columns.items())
    systems = f"; scores of {', '.join(evidence.scores)}" if evidence.scores else ""
    return (
        f"{sheets[0].table.name}: {count(evidence.n_items, 'item')} with {count(int(evidence.total.sum()), 'vote')} "
        f"({low} to {high} each){systems}",
        f"  expert labels: {positive:,} positive, {negative:,} negative",
        f"  columns: {columns}",
        *(f"  {note}" for note in notes),
    )
