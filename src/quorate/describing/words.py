"""How a description of ratings reads in a terminal: a sentence, a table of facts, the responses, the disputed items."""

from math import isnan

import numpy as np

from quorate._text import count, number, percent, printable, table
from quorate._typing import Array
from quorate.agreement.krippendorff import Alpha
from quorate.agreement.variance_parts import Components
from quorate.data.ratings import Ratings
from quorate.data.topology import Topology
from quorate.describing.parts import Described
from quorate.describing.rater_words import groups_text, raters_text, worth

__all__ = ["as_text", "sentence"]

# Krippendorff (2004, p. 241): rely on data from 0.8 up, draw tentative conclusions from 0.667 up. The steps below
# are ours.
ALPHA_WORDS = (
    (0.8, "agree well"),
    (0.667, "agree tolerably"),
    (0.4, "agree only in part"),
    (0.2, "disagree a lot"),
    (1e-9, "hardly agree"),
    (-np.inf, "agree no more than by chance"),
)
LISTED_CATEGORIES = 12
LISTED_RESPONSES = 5
LONGEST_NAME = 40


def sentence(found: Described) -> str:
    """Say in one sentence how much there is and how much the raters agree."""
    judged, same = int((~np.isnan(found.disagreement)).sum()), found.unanimous_items
    said = f"{_who_rated_what(found.ratings, found.topology)}; {_agreement(found.agreement, judged)}"
    if judged == 0:
        return f"{said}."
    if same == 0:
        return f"{said}, and {'it is' if judged == 1 else 'no item is'} {'not ' * (judged == 1)}unanimous."
    unit = "the one item" if judged == 1 else f"{same:,} of {count(judged, 'item')}"
    return f"{said}, and {unit} {'is' if same == 1 else 'are'} unanimous."


def as_text(found: Described) -> str:
    """Write everything for a terminal."""
    parts = [sentence(found), table(_facts(found), ["", ""]).split("\n", 1)[1]]
    if found.ratings.scale.counted:
        parts.append("Responses\n" + _share_table(found.ratings))
    if len(found.disputed):
        parts.append(_disputed_heading(found) + "\n" + _disputed_table(found))
    parts += [part for part in (raters_text(found), groups_text(found)) if part]
    return "\n\n".join(parts + [f"Warning: {warning}" for warning in found.warnings])


def _agreement(alpha: Alpha, judged: int) -> str:
    if isnan(alpha.value):
        why = "no item has two responses" if judged == 0 else "all responses are the same"
        return f"agreement cannot be judged, because {why}"
    word = next(word for bound, word in ALPHA_WORDS if alpha.value >= bound)
    return (
        f"raters {word} (Krippendorff's alpha {number(alpha.value, 2)}, "
        f"{percent(alpha.confidence)} interval {number(alpha.low, 2)} to {number(alpha.high, 2)})"
    )


def _who_rated_what(ratings: Ratings, shape: Topology) -> str:
    items, raters = count(ratings.n_items, "item"), count(ratings.n_raters or 0, "rater")
    each = f"{_responses(ratings.size)} each" if ratings.n_items > 1 else _responses(ratings.size)
    match shape.kind:
        case "crossed" if ratings.n_raters == 1:
            return f"{items}, rated by one rater"
        case "crossed" if shape.fill == 1:
            return f"{items}, each rated by all {raters}" if ratings.n_items > 1 else f"{items}, rated by {raters}"
        case "crossed":
            return f"{items}, rated by {raters} with few gaps"
        case "batches":
            return f"{items} in {shape.blocks} separate batches, {each}, from {raters}"
        case "sparse":
            return f"{items}, {each}, from {raters}"
        case _:
            return f"{items}, {each}, from unknown raters"


def _responses(size: Array) -> str:
    low, high = int(size.min()), int(size.max())
    return count(low, "response") if low == high else f"{low:,} to {high:,} responses"


def _facts(found: Described) -> list[list[str]]:
    ratings, shape = found.ratings, found.topology
    facts = [
        ["responses", f"{ratings.n_responses:,}"],
        ["items", f"{ratings.n_items:,}"],
        ["raters", worth(found)],
        ["responses per item", _three(ratings.size)],
    ]
    if shape.items_per_rater is not None:
        facts += [["items per rater", _three(shape.items_per_rater)], ["design", _design(shape)]]
    facts.append(["scale", str(ratings.scale) + (" (a guess)" if ratings.scale.guessed else "")])
    if ratings.repeated_pairs:
        facts.append(["repeated pairs", f"{ratings.repeated_pairs:,} (a rater answered an item more than once)"])
    facts.append(["variance comes from", _variance(found.variance)])
    if not isnan(found.agreement.value):
        level = percent(found.agreement.confidence)
        facts.append(["interval of alpha", f"{level}, bootstrap over items, seed {found.seed}"])
    return facts


def _design(shape: Topology) -> str:
    pairs = f"{percent(shape.fill or 0.0)} of all item–rater pairs"
    match shape.kind:
        case "crossed":
            return "crossed: every rater saw every item" if shape.fill == 1 else f"crossed: {pairs}"
        case "batches":
            return f"batches: {shape.blocks:,} groups of items and raters that share nobody"
        case _:
            linked = "all linked" if shape.blocks == 1 else f"in {shape.blocks:,} groups that share nobody"
            return f"sparse: {pairs}, {linked}"


def _variance(variance: Components) -> str:
    parts = {"items": variance.item, "raters": variance.rater, "the rest": variance.residual}
    known = {name: part for name, part in parts.items() if part is not None}
    total = sum(known.values())
    if not known or total == 0:
        return "cannot be told"
    return ", ".join(f"{percent(part / total)} {name}" for name, part in known.items())


def _share_table(ratings: Ratings) -> str:
    """List the responses, in order on an ordered scale, else most frequent first."""
    share, names = ratings.response_share, ratings.scale.categories
    order = np.argsort(-share, kind="stable") if ratings.scale.kind == "nominal" else np.arange(len(share))
    rows = [[printable(names[code], LONGEST_NAME), percent(share[code])] for code in order[:LISTED_CATEGORIES]]
    if len(share) > LISTED_CATEGORIES:
        rows.append([f"{len(share) - LISTED_CATEGORIES} more", percent(share[order[LISTED_CATEGORIES:]].sum())])
    return table(rows, ["response", "share"])


def _disputed_heading(found: Described) -> str:
    """Say so when more items are as disputed as the last one listed."""
    measure, last = found.disagreement if found.spread is None else found.spread, found.disputed[-1]
    ties = int(((measure == measure[last]) & (found.ratings.size == found.ratings.size[last])).sum())
    listed = int((measure[found.disputed] == measure[last]).sum())
    return "Most disputed items" + (f" ({ties:,} are as disputed as the last)" if ties > listed else "")


def _disputed_table(found: Described) -> str:
    rows = []
    for item in found.content()["disputed"]:
        measure = percent(item["disagreement"]) if item["sd"] is None else number(item["sd"], 2)
        said = list(item["responses"].items())
        answers = [f"{n} × {_label(found.ratings, label)}" for label, n in said[:LISTED_RESPONSES]]
        others = sum(n for _, n in said[LISTED_RESPONSES:])
        rows.append(
            [printable(item["item"], LONGEST_NAME), measure, ", ".join(answers + [f"{others} others"] * (others > 0))]
        )
    return table(rows, ["item", "two raters differ" if found.spread is None else "sd", "responses"])


def _label(ratings: Ratings, label: str) -> str:
    """Shorten a response: six digits are enough of a number, forty letters of a word."""
    return f"{float(label):.6g}" if ratings.scale.kind == "interval" else printable(label, LONGEST_NAME)


def _three(sizes: Array) -> str:
    median = float(np.median(sizes))
    middle = f"{median:,.0f}" if median.is_integer() else f"{median:,.1f}"
    return f"{sizes.min():,} / {middle} / {sizes.max():,} (min / median / max)"
