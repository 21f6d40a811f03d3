"""What is said about the items – votes, experts' labels, scores – as arrays over the same items.

Rows are matched by name, never by order.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
import polars as pl

from quorate._errors import InputError
from quorate._text import count
from quorate._typing import Array
from quorate.data.columns import named_columns
from quorate.data.tally import MISSING, encode
from quorate.estimating.files import (
    LabelClasses,
    Sheet,
    SheetPart,
    find_classes,
    find_labels,
    find_votes,
    open_sheet,
    read_experts,
    read_scores,
    read_votes,
)
from quorate.estimating.matching import add_unvoted, leave_unvoted, match_labels, match_scores, score_column
from quorate.estimating.question import EstimateQuestion, SeveralExperts
from quorate.estimating.voters import NamedVotes

TWO_CLASSES = ("0", "1")
MOST_GROUPS = 2000
"""Groups that are estimated one by one."""
LEAST_AGREEMENT = 0.2
"""How far experts must be from guessing, 0 for chance and 1 for no errors, before their errors are corrected."""


@dataclass(frozen=True)
class Evidence:
    """Items with what was said about them; of two classes the second is the positive one, unless both have names."""

    votes: Array  # votes for each class, (item, class)
    label: Array  # the class experts chose, (item,)
    has_label: Array  # whether there is one, (item,)
    scores: Mapping[str, Array] = field(default_factory=dict)  # by system, (item,) each: one number an item
    weight: Array | None = None  # 1 / chance of being chosen, (item,); None for a random sample
    named_votes: NamedVotes | None = None
    truth: Array | None = None  # true labels, (item,), in simulations
    classes: tuple[str, ...] = TWO_CLASSES
    named: bool = False  # whether classes go by their names, not as negative and positive
    outputs: Mapping[str, Array] = field(default_factory=dict)  # by system, a number per class, (item, class)
    label_share: Array | None = None  # what several experts say, (item, class), where it is not one class
    label_drift: Array | None = None  # how it moves with one standard error of the experts' error rate, (item, class)
    label_times: Array | None = None  # how many experts' labels a share is of, (item,), where experts may differ
    cluster: Array | None = None  # which items belong together, (item,)

    @classmethod
    def binary(
        cls,
        positive: Array,
        total: Array,
        label: Array,
        has_label: Array,
        scores: Mapping[str, Array] | None = None,
        **more: Any,
    ) -> "Evidence":
        """Return items with positive votes, votes and labels 0 or 1."""
        votes = np.stack([np.asarray(total) - positive, positive], 1)
        return cls(votes, label, has_label, {} if scores is None else scores, **more)

    @property
    def n_items(self) -> int:
        """How many items there are."""
        return len(self.votes)

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(self.classes)

    @property
    def positive(self) -> Array:
        """Votes for the positive class, ``(item,)``."""
        return np.asarray(self.votes[:, 1])

    @cached_property
    def total(self) -> Array:
        """Votes, ``(item,)``."""
        return np.asarray(self.votes.sum(1))

    @cached_property
    def n_experts(self) -> tuple[int, ...]:
        """Items that experts put in each class."""
        called = self.label[self.has_label].astype(np.int64)
        return tuple(np.bincount(called, minlength=self.n_classes).tolist())

    @property
    def systems(self) -> list[str]:
        """The systems that are judged."""
        return [*self.scores, *self.outputs]

    @cached_property
    def label_shares(self) -> Array:
        """What experts say of their items, ``(expert, class)``."""
        if self.label_share is not None:
            return np.asarray(self.label_share[self.has_label])
        return np.eye(self.n_classes)[self.label[self.has_label].astype(np.int64)]

    @cached_property
    def vote_shares(self) -> Array:
        """The chance that a voter chooses each class, ``(item, class)``; nan without votes.

        Where votes were collected until one side had won, the last vote was bound to be the winner's:
        the others are unbiased [maven, sec. 3].
        """
        total = self.total[:, None]
        if self.n_classes == 2 and is_best_of(self.positive, self.total):
            won = self.votes == self.votes.max(1, keepdims=True)
            return np.where(total > 1, (self.votes - won) / np.maximum(total - 1, 1), np.nan)
        return np.where(total > 0, self.votes / np.maximum(total, 1), np.nan)

    def keep(self, kept: Array) -> "Evidence":
        """Return some items only; ``kept`` is True for those."""
        return replace(
            self,
            votes=self.votes[kept],
            label=self.label[kept],
            has_label=self.has_label[kept],
            scores={name: score[kept] for name, score in self.scores.items()},
            weight=_rows(self.weight, kept),
            named_votes=None if self.named_votes is None else self.named_votes.keep(kept),
            truth=_rows(self.truth, kept),
            outputs={name: output[kept] for name, output in self.outputs.items()},
            label_share=_rows(self.label_share, kept),
            label_drift=_rows(self.label_drift, kept),
            label_times=_rows(self.label_times, kept),
            cluster=_rows(self.cluster, kept),
        )


@dataclass(frozen=True)
class LoadedEvidence:
    """What was read: items are named and sorted; ``notes`` are what the result must carry as warnings.

    ``each_label`` has every expert label (item, response) where there are several of an item.
    """

    evidence: Evidence
    items: pl.Series
    groups: tuple[Array, tuple[str, ...]] | None
    load_report: tuple[str, ...]
    notes: tuple[str, ...]
    each_label: pl.DataFrame | None = None


def read_evidence(question: EstimateQuestion) -> LoadedEvidence:
    """Read everything and match it by item; items are sorted by name, so the order of rows never matters."""
    tables = [question.votes] if question.scores is None else [question.votes, question.scores]
    ways = [question, question.for_others]
    rule = question.duplicates
    sheets = [open_sheet(table, question.item_column, way, rule) for table, way in zip(tables, ways, strict=False)]
    votes, expert = find_votes(sheets[0], question), _expert_column(question, sheets)
    if expert is not None and question.experts is not None:
        _refuse_votes_as_labels(question, expert, votes.response)
    columns = [(sheets[0], votes.response)] if votes.response is not None else []
    classes = find_classes([*columns, *([expert] if expert else [])], votes, question.positive)
    cast, single = read_votes(sheets[0], votes, classes, question)
    frame, notes, each_label = cast.frame, list(cast.notes), None
    if expert is not None:
        labels = _experts(question, expert, classes)
        notes += labels.notes
        each_label = labels.each
        frame = match_labels(frame, labels.frame, expert[0].table.name)
    frame = frame.with_columns(pl.col("^votes [0-9]+$").fill_null(0))
    systems: list[str] = []
    if question.scores is not None:
        scores = read_scores(sheets[1], classes, question)
        frame, added = add_unvoted(frame, scores.frame)
        frame, systems, more = match_scores(frame, scores.frame, question.missing)
        notes += [*scores.notes, *added, *more]
    frame, more = leave_unvoted(frame)
    notes += more
    frame = frame.sort("item")
    items, evidence = frame["item"], _evidence(frame, systems, classes)
    if single is not None:
        evidence = _add_votes(evidence, single, items)
    if evidence.label_share is not None:
        evidence, told = _several_labels(evidence, question.several_experts)
        notes += told
    if question.truth is not None:
        evidence = _add_truth(evidence, question, items, classes)
    every = [*sheets, *([expert[0]] if expert else [])]
    if question.cluster is not None:
        evidence = replace(evidence, cluster=_groups(question.cluster, items, every, "--cluster")[0])
    groups = None if question.by is None else _groups(question.by, items, every, "--by")
    read = [*(note for sheet in every for note in sheet.table.notes), *notes]
    report = _load_report(sheets, cast, evidence, read)
    return LoadedEvidence(evidence, items, groups, report, tuple(notes), each_label)


def _several_labels(evidence: Evidence, rule: SeveralExperts) -> tuple[Evidence, list[str]]:
    """Make of what several experts say what the rule asks for; a majority's ties are no doubt about it."""
    if rule == "correct":
        return correct_labels(evidence)
    shared = share_labels(evidence)
    return (shared if rule == "share" else replace(shared, label_times=None)), []


def share_labels(evidence: Evidence) -> Evidence:
    """Turn how often experts said each class into shares, and remember how many said something."""
    said = evidence.label_share
    assert said is not None
    times = said.sum(1)
    return replace(evidence, label_share=said / np.maximum(times, 1)[:, None], label_times=times)


def correct_labels(evidence: Evidence) -> tuple[Evidence, list[str]]:
    """Undo, on average, the errors that experts who label an item again show.

    Experts who err with chance e, in any of the K - 1 ways alike, agree with chance (1 - e)² + e² / (K - 1);
    (Y - e / (K - 1)) / (1 - e K / (K - 1)) then has the true label as its mean.
    """
    said = evidence.label_share
    assert said is not None
    times, others = said.sum(1), evidence.n_classes - 1
    twice = times > 1
    alike = ((said * (said - 1)).sum(1)[twice] / (times * (times - 1))[twice]).mean() if twice.any() else 1.0
    # e² (1 + 1 / (K - 1)) - 2 e + 1 - alike = 0
    square = 1 + 1 / others
    error = float((1 - np.sqrt(max(0.0, 1 - square * (1 - alike)))) / square)
    share = said / np.maximum(times, 1)[:, None]
    left = 1 - error * square
    if left < LEAST_AGREEMENT:
        raise InputError(
            f"experts who label an item again agree in {alike:.0%} of the pairs, hardly more than by chance; their "
            "errors cannot be corrected: use --several-experts share."
        )
    mended = (share - error / others) / left
    # d alike / d e = -2 (1 - e) + 2 e / (K - 1), which turns the standard error of one into that of the other
    doubt = np.sqrt(alike * (1 - alike) / max(int(twice.sum()), 1)) / max(2 * left, 1e-9)
    drift = doubt * (square * mended - 1 / others) / left
    note = (
        f"{count(int(twice.sum()), 'item')} labelled again agree in {alike:.1%} of the pairs: an expert errs in about "
        f"{error:.1%}, and labels are corrected for it"
    )
    return replace(evidence, label_share=mended, label_drift=drift), [note]


def name_counts(classes: tuple[str, ...], counts: tuple[int, ...], *, named: bool) -> str:
    """Say how many items experts put in each class, the positive one first."""
    if not named:
        return f"{counts[1]:,} positive, {counts[0]:,} negative"
    some = [f"{name}: {n:,}" for name, n in zip(classes, counts, strict=True)]
    return ", ".join([*some[:8], *([f"{len(some) - 8} more classes"] if len(some) > 8 else [])])


def is_best_of(positive: Array, total: Array) -> bool:
    """Tell whether votes were collected until a majority could no longer be lost: the winner always has as many."""
    voted = total > 0
    winner = np.maximum(positive, total - positive)[voted]
    cast = np.unique(total[voted])
    return bool(len(cast) > 1 and (winner == winner[:1]).all())


def _rows(values: Array | None, kept: Array) -> Array | None:
    return None if values is None else values[kept]


def _expert_column(question: EstimateQuestion, sheets: list[Sheet]) -> tuple[Sheet, str] | None:
    """Where the experts' labels stand, if anywhere: a file of their own, or a column of another."""
    column = question.expert_column
    if question.experts is not None:
        sheet = open_sheet(question.experts, question.item_column, question.for_others)
        return sheet, find_labels(sheet, column)
    if column is None:
        return None
    sheet_with = next((sheet for sheet in sheets if column in sheet.others), None)
    if sheet_with is None:
        named_columns([column], sheets[0].others, "--expert-column", sheets[0].table.name)
        return None
    return sheet_with, column


def _refuse_votes_as_labels(question: EstimateQuestion, expert: tuple[Sheet, str], response: str | None) -> None:
    """Refuse the votes themselves as what experts say."""
    same = isinstance(question.experts, str | PathLike) and str(question.experts) == str(question.votes)
    if same and expert[1] == response:
        raise InputError(
            f"{question.experts}, column '{response}', holds the votes and cannot be the expert labels too; name the "
            "experts' file with --experts, or their column with --expert-column."
        )


def _experts(question: EstimateQuestion, expert: tuple[Sheet, str], classes: LabelClasses) -> SheetPart:
    sheet, column = expert
    if question.experts is not None:
        return read_experts(sheet, column, classes, question.several_experts)
    part = read_experts(sheet, column, classes, "majority")
    # a label repeated in every row of an item is one label
    distinct = pl.DataFrame([sheet.item, sheet.text(column).alias("label")]).drop_nulls().unique()
    return replace(part, notes=(), each=None) if not distinct["item"].is_duplicated().any() else part


def _evidence(frame: pl.DataFrame, systems: list[str], classes: LabelClasses) -> Evidence:
    if not frame.height:
        raise InputError("no item has both votes and a score; check that the files name items alike.")
    some = range(len(classes.names))
    label = frame["label"] if "label" in frame.columns else pl.repeat(None, frame.height, dtype=pl.Int32, eager=True)
    one = {name: frame[score_column(name, "score")] for name in systems if score_column(name, "score") in frame.columns}
    scores = {name: column.to_numpy() for name, column in one.items() if not column.is_null().all()}
    outputs = {
        name: frame.select(score_column(name, f"gives {k}") for k in some).to_numpy()
        for name in systems
        if name not in scores
    }
    said = [f"said {k}" for k in some]
    return Evidence(
        frame.select(f"votes {k}" for k in some).to_numpy(),
        label.fill_null(0).to_numpy().astype(np.int64),
        label.is_not_null().to_numpy(),
        scores,
        weight=frame["weight"].fill_null(0.0).to_numpy() if "weight" in frame.columns else None,
        classes=classes.names,
        named=classes.named,
        outputs=outputs,
        label_share=frame.select(pl.col(said).fill_null(0)).to_numpy().astype(float)
        if said[0] in frame.columns
        else None,
    )


def _add_votes(evidence: Evidence, single: pl.DataFrame, items: pl.Series) -> Evidence:
    """Add who voted what."""
    places = items.to_frame("item").with_row_index("place")
    cast = single.join(places, on="item", how="inner").sort("place", "rater", "response")
    item, (rater, names) = cast["place"].to_numpy().astype(np.int64), encode(cast["rater"])
    vote = cast["response"].to_numpy().astype(np.int64)
    return replace(evidence, named_votes=NamedVotes(item, rater.astype(np.int64), vote, tuple(names.to_list())))


def _add_truth(evidence: Evidence, question: EstimateQuestion, items: pl.Series, classes: LabelClasses) -> Evidence:
    sheet = open_sheet(question.truth, question.item_column, question.for_others)
    part = read_experts(sheet, find_labels(sheet, None), classes, "error")
    truth = items.to_frame("item").join(part.frame, on="item", how="left", maintain_order="left")["label"]
    if truth.null_count():
        raise InputError(
            f"the truth says nothing of item '{items[truth.is_null().arg_max() or 0]}'; it needs every item."
        )
    return replace(evidence, truth=truth.to_numpy())


def _groups(by: str, items: pl.Series, sheets: list[Sheet], flag: str) -> tuple[Array, tuple[str, ...]]:
    """Find each item's group in the first file that has the column; it must say one thing of each item."""
    sheet = next((sheet for sheet in sheets if by in sheet.others), None)
    if sheet is None:
        named_columns([by], sorted({name for sheet in sheets for name in sheet.others}), flag, "the data")
        raise InputError(f"no file has a column '{by}'; name another with {flag}.")
    rows = pl.DataFrame([sheet.item, sheet.text(by).fill_null(MISSING).alias("group")]).unique()
    if rows["item"].is_duplicated().any():
        raise InputError(
            f"column '{by}' says different things of one item; {flag} takes a column that describes items."
        )
    group = items.to_frame("item").join(rows, on="item", how="left", maintain_order="left")["group"].fill_null(MISSING)
    code, names = encode(group)
    if flag == "--by" and len(names) > MOST_GROUPS:
        raise InputError(f"--by {by} has {len(names):,} groups; estimate within {MOST_GROUPS:,} at most.")
    return code, tuple(names.to_list())


def _load_report(sheets: list[Sheet], cast: SheetPart, evidence: Evidence, notes: list[str]) -> tuple[str, ...]:
    low, high = int(evidence.total.min()), int(evidence.total.max())
    columns = ", ".join(f"{role} = {name}" for role, name in cast.columns.items())
    systems = f"; scores of {', '.join(evidence.systems)}" if evidence.systems else ""
    return (
        f"{sheets[0].table.name}: {count(evidence.n_items, 'item')} with {count(int(evidence.total.sum()), 'vote')} "
        f"({low} to {high} each){systems}",
        f"  expert labels: {name_counts(evidence.classes, evidence.n_experts, named=evidence.named)}",
        f"  columns: {columns}",
        *(f"  {note}" for note in notes),
    )
