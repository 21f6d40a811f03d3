"""Match votes, experts and scores by item, and turn them into arrays over the same items.

Votes are long (item, rater, response) or counted (item, positive, total); experts are a file (item, label, weight) or a
column; scores are long (item, score or item, system, score) or a column per system. Rows are never matched by order.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal, TypedDict, Unpack

import numpy as np
import polars as pl

from quorate._errors import InputError
from quorate._text import count
from quorate._typing import Array
from quorate.data.columns import named_columns
from quorate.data.tally import MISSING, encode
from quorate.estimating.evidence import Evidence, NamedVotes
from quorate.estimating.files import Part, Sheet, open_sheet, read_experts, read_scores, read_votes

__all__ = ["LoadedEvidence", "Loading", "read_evidence"]


class Loading(TypedDict, total=False):
    """How to read the files of `estimate`; the command line has the same options.

    positive : the label that counts as positive; without it labels are 0 and 1.
    expert_column : the experts' column, in the experts' file or, without one, in the votes or scores.
    several_experts : an item with several expert labels: ``"majority"`` or ``"error"``.
    missing : items a system gave no score: ``"error"`` or ``"drop"``.
    item_column, rater_column, response_column, system_column, score_column : the columns.
    duplicates : a voter who votes on an item again: ``"keep"``, ``"first"``, ``"last"`` or ``"error"``.
    """

    positive: str | None
    expert_column: str | None
    several_experts: Literal["majority", "error"]
    missing: Literal["error", "drop"]
    item_column: str | None
    rater_column: str | None
    response_column: str | None
    system_column: str | None
    score_column: str | None
    duplicates: str


@dataclass(frozen=True)
class LoadedEvidence:
    """What was read.

    Parameters
    ----------
    evidence
        Arrays over the items.
    items
        Their names, sorted.
    groups
        The group of every item and the groups' names, if a column was asked for.
    report, notes
        The load report, and what of it the result must carry as warnings.
    """

    evidence: Evidence
    items: pl.Series
    groups: tuple[Array, tuple[str, ...]] | None
    report: tuple[str, ...]
    notes: tuple[str, ...]


def read_evidence(
    votes: Any,
    experts: Any = None,
    scores: Any = None,
    truth: Any = None,
    *,
    by: str | None = None,
    **how: Unpack[Loading],
) -> LoadedEvidence:
    """Read everything and match it by item; items are sorted by name, so the order of rows never matters."""
    sheets = [open_sheet(source, how.get("item_column")) for source in (votes, scores) if source is not None]
    cast, single = read_votes(
        sheets[0],
        how.get("positive"),
        how.get("rater_column"),
        how.get("response_column"),
        how.get("duplicates") or "keep",
    )
    frame, notes = cast.frame, list(cast.notes)
    called = _experts(experts, sheets, how)
    if called is not None:
        notes += called.notes
        frame = frame.join(called.frame, on="item", how="full", coalesce=True, maintain_order="left")
    frame = frame.with_columns(pl.col("positive", "total").fill_null(0))
    systems: list[str] = []
    if scores is not None:
        given = read_scores(sheets[1], how.get("system_column"), how.get("score_column"))
        frame, systems, more = _match(frame, given.frame, how.get("missing") or "error")
        notes += more
    frame = frame.sort("item")
    evidence = _add_votes(_evidence(frame, systems), single, frame["item"])
    if truth is not None:
        evidence = _add_truth(evidence, truth, frame["item"], how)
    groups = None if by is None else _groups(by, frame["item"], sheets)
    return LoadedEvidence(evidence, frame["item"], groups, _report(sheets, cast, evidence, notes), tuple(notes))


def _experts(source: Any, sheets: list[Sheet], how: Loading) -> Part | None:
    column, rule = how.get("expert_column"), how.get("several_experts") or "majority"
    if rule not in ("majority", "error"):
        raise InputError(f"'{rule}' is not a rule for several expert labels; use --several-experts majority or error.")
    if source is not None:
        return read_experts(open_sheet(source, how.get("item_column")), column, how.get("positive"), rule)
    if column is None:
        return None
    sheet = next((sheet for sheet in sheets if column in sheet.others), None)
    if sheet is None:
        named_columns([column], sheets[0].others, "--expert-column", sheets[0].table.name)
        return None
    part = read_experts(sheet, column, how.get("positive"), "majority")
    # a label repeated in every row of an item is one label
    distinct = pl.DataFrame([sheet.item, sheet.text(column).alias("label")]).drop_nulls().unique()
    return replace(part, notes=()) if not distinct["item"].is_duplicated().any() else part


def _match(frame: pl.DataFrame, scores: pl.DataFrame, missing: str) -> tuple[pl.DataFrame, list[str], list[str]]:
    """Give every item a column ``score of NAME`` for each system; items nobody judged are dropped with a note."""
    if missing not in ("error", "drop"):
        raise InputError(f"'{missing}' is not a rule for missing scores; use --missing error or drop.")
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


def _add_votes(evidence: Evidence, single: pl.DataFrame | None, items: pl.Series) -> Evidence:
    """Add who voted what, if voters have names."""
    if single is None:
        return evidence
    places = items.to_frame("item").with_row_index("place")
    cast = single.join(places, on="item", how="inner").sort("place", "rater", "response")
    code, _ = encode(cast["rater"])
    return replace(
        evidence, named_votes=NamedVotes(cast["place"].to_numpy().astype(np.int64), code, cast["response"].to_numpy())
    )


def _add_truth(evidence: Evidence, source: Any, items: pl.Series, how: Loading) -> Evidence:
    part = read_experts(open_sheet(source, how.get("item_column")), None, how.get("positive"), "error")
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
    said = pl.DataFrame([sheet.item, sheet.text(by).fill_null(MISSING).alias("group")]).unique()
    if said["item"].is_duplicated().any():
        raise InputError(f"column '{by}' says different things of one item; --by takes a column that describes items.")
    group = items.to_frame("item").join(said, on="item", how="left", maintain_order="left")["group"].fill_null(MISSING)
    code, names = encode(group)
    return code, tuple(names.to_list())


def _report(sheets: list[Sheet], cast: Part, evidence: Evidence, notes: list[str]) -> tuple[str, ...]:
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
