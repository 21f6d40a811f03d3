"""`describe`: what have I got, how much do my raters disagree, and who rated what?"""

from dataclasses import dataclass
from math import isnan
from typing import Any, ClassVar, Unpack

import numpy as np
import polars as pl

from quorate._random import generator
from quorate._result import Result
from quorate._text import count, number, percent, table
from quorate._typing import Array
from quorate.data.ratings import Ratings
from quorate.data.read import Reading, Source, read_ratings
from quorate.data.scale import format_number
from quorate.data.summaries import Counts
from quorate.data.topology import Topology, topology
from quorate.metrics.agreement import Alpha, krippendorff_alpha
from quorate.metrics.disagreement import item_disagreement, item_spread, most_disputed
from quorate.metrics.variance import Components, variance_components

__all__ = ["Description", "describe"]

# Krippendorff (2004, p. 241): rely on data from 0.8 up, draw tentative conclusions from 0.667 up.
ALPHA_WORDS = ((0.8, "agree well"), (0.667, "agree tolerably"), (0.2, "disagree a lot"), (-1.0, "hardly agree"))
LISTED_CATEGORIES = 12


@dataclass(frozen=True)
class Description(Result):
    """What `describe` found; print it for people, `to_dict` it for scripts, `to_frame` it for one row per item.

    Parameters
    ----------
    ratings
        The data as they were read.
    topology
        How raters and items meet.
    agreement
        Krippendorff's alpha with its interval.
    variance
        Variance components of item, rater and residual.
    disagreement
        Chance that two of an item's raters differ, ``(item,)``; nan for items with one response.
    spread
        Standard deviation of an item's responses, ``(item,)``; None on a nominal scale.
    disputed
        Positions of the most disputed items, most disputed first: by spread, or by disagreement on a nominal scale.
    """

    verb: ClassVar[str] = "describe"
    ratings: Ratings
    topology: Topology
    agreement: Alpha
    variance: Components
    disagreement: Array
    spread: Array | None
    disputed: Array

    @property
    def unanimous_items(self) -> int:
        """Items whose raters, two or more, all gave the same response."""
        return int((self.disagreement == 0).sum())

    def sentence(self) -> str:
        """Say in one sentence how much there is and how much the raters agree."""
        alpha = self.agreement
        if isnan(alpha.value):
            judged = "agreement cannot be judged, because nothing varies or no item has two responses"
        else:
            word = next(word for bound, word in ALPHA_WORDS if alpha.value >= bound)
            judged = (
                f"raters {word} (Krippendorff's alpha {number(alpha.value, 2)}, "
                f"{percent(alpha.confidence)} interval {number(alpha.low, 2)} to {number(alpha.high, 2)})"
            )
        return f"{_who_rated_what(self.ratings, self.topology)}; {judged}{self._unanimous()}."

    def _unanimous(self) -> str:
        judged, same = int((~np.isnan(self.disagreement)).sum()), self.unanimous_items
        if judged == 0:
            return ""
        if same == 0:
            return ", and no item is unanimous"
        return f", and {same:,} of {judged:,} items {'is' if same == 1 else 'are'} unanimous"

    def content(self) -> dict[str, Any]:
        """Return the fields of the contract."""
        ratings, scale = self.ratings, self.ratings.scale
        shares = dict(zip(scale.categories, ratings.response_share.tolist(), strict=True)) if scale.counted else None
        per_rater = self.topology.items_per_rater
        return {
            "responses": ratings.n_responses,
            "items": ratings.n_items,
            "raters": ratings.n_raters,
            "responses_per_item": _spread(ratings.size),
            "items_per_rater": None if per_rater is None else _spread(per_rater),
            "scale": {
                "kind": scale.kind,
                "categories": list(scale.categories) if scale.counted else None,
                "guessed": scale.guessed,
            },
            "topology": {"kind": self.topology.kind, "fill": self.topology.fill, "blocks": self.topology.blocks},
            "repeated_pairs": ratings.repeated_pairs,
            "response_share": shares,
            "agreement": {
                "alpha": _or_none(self.agreement.value),
                "low": _or_none(self.agreement.low),
                "high": _or_none(self.agreement.high),
            },
            "unanimous_items": self.unanimous_items,
            "disputed": [self._disputed_item(index) for index in self.disputed.tolist()],
            "variance": {
                "item": self.variance.item,
                "rater": self.variance.rater,
                "residual": self.variance.residual,
            },
            "notes": list(ratings.notes),
        }

    def _disputed_item(self, index: int) -> dict[str, Any]:
        return {
            "item": self.ratings.items[index],
            "disagreement": float(self.disagreement[index]),
            "sd": None if self.spread is None else float(self.spread[index]),
            "responses": self._responses(index),
        }

    def _responses(self, index: int) -> dict[str, int]:
        """Count the responses to one item by their label, most frequent first."""
        ratings = self.ratings
        rows = slice(*np.searchsorted(ratings.item, [index, index + 1]).tolist())
        totals = np.bincount(ratings.response[rows], weights=ratings.count[rows])
        return {_label(ratings, code): int(totals[code]) for code in np.argsort(-totals, kind="stable") if totals[code]}

    def to_frame(self) -> pl.DataFrame:
        """Return one row per item: responses, disagreement, and counts per category or mean and spread."""
        ratings = self.ratings
        frame = pl.DataFrame({"item": ratings.items, "responses": ratings.size, "disagreement": self.disagreement})
        frame = frame.with_columns(pl.col("disagreement").fill_nan(None))
        summary = ratings.summary
        if self.spread is not None:
            frame = frame.with_columns(pl.Series("mean", summary.mean), pl.Series("sd", self.spread).fill_nan(None))
        if ratings.scale.counted:
            counts = _counts(ratings)
            frame = frame.with_columns(
                pl.Series(f"n_{c}", counts[:, m]) for m, c in enumerate(ratings.scale.categories)
            )
        return frame

    def __str__(self) -> str:
        parts = [self.sentence(), table(self._facts(), ["", ""]).split("\n", 1)[1]]
        if self.ratings.scale.counted:
            parts.append("Responses\n" + self._share_table())
        if len(self.disputed):
            parts.append("Most disputed items\n" + self._disputed_table())
        return "\n\n".join(parts + [f"Warning: {warning}" for warning in self.warnings])

    def _share_table(self) -> str:
        """List the responses, in order on an ordered scale, else most frequent first."""
        share, names = self.ratings.response_share, self.ratings.scale.categories
        order = np.argsort(-share, kind="stable") if self.ratings.scale.kind == "nominal" else np.arange(len(share))
        rows = [[names[code], percent(share[code])] for code in order[:LISTED_CATEGORIES]]
        if len(share) > LISTED_CATEGORIES:
            rows.append([f"{len(share) - LISTED_CATEGORIES} more", percent(share[order[LISTED_CATEGORIES:]].sum())])
        return table(rows, ["response", "share"])

    def _disputed_table(self) -> str:
        rows = []
        for item in map(self._disputed_item, self.disputed.tolist()):
            measure = percent(item["disagreement"]) if item["sd"] is None else number(item["sd"], 2)
            answers = ", ".join(
                f"{n} × {response}" for response, n in list(item["responses"].items())[:LISTED_CATEGORIES]
            )
            rows.append([str(item["item"]), measure, answers])
        return table(rows, ["item", "two raters differ" if self.spread is None else "sd", "responses"])

    def _facts(self) -> list[list[str]]:
        ratings, shape = self.ratings, self.topology
        facts = [
            ["responses", f"{ratings.n_responses:,}"],
            ["items", f"{ratings.n_items:,}"],
            ["raters", "unknown" if ratings.n_raters is None else f"{ratings.n_raters:,}"],
            ["responses per item", _three(ratings.size)],
        ]
        if shape.items_per_rater is not None and shape.fill is not None:
            facts.append(["items per rater", _three(shape.items_per_rater)])
            facts.append(
                [
                    "design",
                    f"{shape.kind}, {percent(shape.fill)} of all item–rater pairs, {count(shape.blocks or 0, 'block')}",
                ]
            )
        facts.append(["scale", str(ratings.scale) + (" (a guess)" if ratings.scale.guessed else "")])
        if ratings.repeated_pairs:
            facts.append(["repeated pairs", f"{ratings.repeated_pairs:,}"])
        facts.append(["variance of responses", _variance_words(self.variance)])
        return facts


def describe(
    source: Source, *, top: int = 5, confidence: float = 0.95, seed: int = 0, **reading: Unpack[Reading]
) -> Description:
    """Describe ratings: how many there are, who rated what, how much raters disagree, and on which items.

    Parameters
    ----------
    source
        A path, ``-`` for standard input, ``example:NAME``, a mapping of columns, a data frame, or ratings already read.
    top
        How many of the most disputed items to list.
    confidence
        Level of the interval for Krippendorff's alpha, from a bootstrap over items.
    seed
        Seed of the bootstrap.
    **reading
        How to read the source: ``item_column``, ``scale`` and so on.

    Examples
    --------
    >>> found = describe("example:support")
    >>> found.ratings.n_items, found.topology.kind
    (60, 'sparse')
    """
    ratings = read_ratings(source, **reading)
    summary, scale = ratings.summary, ratings.scale
    spread = None if scale.levels is None else item_spread(summary)
    return Description(
        ratings=ratings,
        topology=topology(ratings),
        agreement=krippendorff_alpha(
            summary, scale.kind, rng=generator(seed, "describe", "alpha"), confidence=confidence
        ),
        variance=variance_components(
            ratings.item,
            ratings.rater,
            ratings.response if scale.levels is None else scale.levels[ratings.response],
            n_categories=scale.n_levels if scale.levels is None else None,
            repeats=None if ratings.n_responses == len(ratings.count) else ratings.count,
        ),
        disagreement=item_disagreement(summary),
        spread=spread,
        disputed=most_disputed(summary, top, by=spread),
        seed=seed,
        settings={"source": ratings.name, "top": top, "confidence": confidence, "columns": dict(ratings.columns)},
        warnings=_warnings(ratings),
    )


def _warnings(ratings: Ratings) -> tuple[str, ...]:
    single = int((ratings.size == 1).sum())
    warnings = []
    if single == ratings.n_items:
        warnings.append("every item has one response, so disagreement cannot be seen; have some items rated twice.")
    elif single:
        warnings.append(f"{count(single, 'item')} with one response say nothing about disagreement.")
    if ratings.n_raters is None:
        warnings.append("raters are unknown, so their share in the disagreement cannot be seen.")
    return tuple(warnings)


def _who_rated_what(ratings: Ratings, shape: Topology) -> str:
    items, each = count(ratings.n_items, "item"), number(float(np.median(ratings.size)), 0)
    responses = "response" if each == "1" else "responses"
    match shape.kind:
        case "crossed":
            return f"{items}, {'all' if shape.fill == 1 else 'nearly all'} rated by each of {ratings.n_raters} raters"
        case "batches":
            return (
                f"{items} in {shape.blocks} separate batches, {each} {responses} each, from {ratings.n_raters:,} raters"
            )
        case "sparse":
            return f"{items}, {each} {responses} each, from {ratings.n_raters:,} raters"
        case _:
            return f"{items}, {each} anonymous {responses} each"


def _spread(sizes: Array) -> dict[str, float]:
    return {"min": int(sizes.min()), "median": float(np.median(sizes)), "max": int(sizes.max())}


def _three(sizes: Array) -> str:
    return f"{sizes.min():,} / {np.median(sizes):,.0f} / {sizes.max():,} (min / median / max)"


def _variance_words(variance: Components) -> str:
    parts = {"items": variance.item, "raters": variance.rater, "the rest": variance.residual}
    known = {name: part for name, part in parts.items() if part is not None}
    total = sum(known.values())
    if not known or total == 0:
        return "cannot be told"
    return ", ".join(f"{percent(part / total)} {name}" for name, part in known.items())


def _counts(ratings: Ratings) -> Array:
    assert isinstance(ratings.summary, Counts)
    return ratings.summary.counts


def _label(ratings: Ratings, code: int) -> str:
    if ratings.scale.counted:
        return ratings.scale.categories[code]
    assert ratings.scale.levels is not None
    return format_number(ratings.scale.levels[code])


def _or_none(value: float) -> float | None:
    return None if isnan(value) else value
