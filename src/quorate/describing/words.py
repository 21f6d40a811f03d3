"""How a description reads: a sentence, and tables of facts, responses, disputed items and raters."""

from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from quorate._text import Sentence, count, number, percent, printable
from quorate._typing import Array
from quorate.agreement.variance_parts import VarianceParts
from quorate.data.ratings import Ratings
from quorate.data.topology import Topology
from quorate.inference.alpha_interval import Alpha
from quorate.results.table import Column, Table, integer, interval, table_of

if TYPE_CHECKING:
    from quorate.describing.result import Dependability, Description

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
LONGEST_NAME, LONGEST_ITEM = 40, 90


def describe_sentence(description: "Description") -> Sentence:
    """Say how much there is, and how much the raters agree."""
    judged, same = int((~np.isnan(description.disagreement)).sum()), description.unanimous_items
    head = _who_rated_what(description)
    agreement = _agreement(description.agreement, judged)
    if judged == 0:
        return Sentence(head, f"{agreement}.", ";")
    unit = "the one item" if judged == 1 else f"{same:,} of {count(judged, *item_nouns(description))}"
    unanimous = f"{unit} {'is' if same == 1 else 'are'} unanimous"
    if same == 0:
        unanimous = "it is not unanimous" if judged == 1 else "no item is unanimous"
    return Sentence(head, f"{agreement}, and {unanimous}.", ";")


def description_tables(description: "Description") -> dict[str, Table]:
    """Return the tables in the order in which they are read; those behind the plots stand last."""
    groups = {f"raters by {column}": _group_table(description, column) for column in description.rater_groups}
    return {
        "facts": Table("", ("", ""), _facts(description)),
        **({"systems": _system_table(description)} if description.systems else {}),
        **({"votes": _vote_table(description)} if description.votes else {}),
        "responses": _share_table(description),
        "disputed": _disputed_table(description),
        "raters": _rater_table(description, everyone=False),
        **groups,
        "disputes": _histogram(description),
        "all raters": _rater_table(description, everyone=True),
        "items per rater": _load_table(description),
    }


def _agreement(alpha: Alpha, judged: int) -> str:
    if isnan(alpha.value):
        why = "no item has two responses" if judged == 0 else "all responses are the same"
        return f"agreement cannot be judged, because {why}"
    word = next(word for bound, word in ALPHA_WORDS if alpha.value >= bound)
    return (
        f"raters {word} (Krippendorff's alpha {number(alpha.value, 2)}, "
        f"{percent(alpha.confidence)} interval {number(alpha.low, 2)} to {number(alpha.high, 2)})"
    )


def _who_rated_what(description: "Description") -> str:
    ratings, shape = description.ratings, description.topology
    items, raters = _items(description), count(ratings.n_raters or 0, "rater")
    each = f"{_responses(ratings.size)} each" if ratings.n_items > 1 else _responses(ratings.size)
    match shape.kind:
        case "crossed" if ratings.n_raters == 1:
            return f"{items}, rated by one rater"
        case "crossed" if shape.fill == 1:
            every = "both raters" if ratings.n_raters == 2 else f"all {raters}"
            return f"{items}, each rated by {every}" if ratings.n_items > 1 else f"{items}, rated by {raters}"
        case "crossed":
            return f"{items}, rated by {raters} with few gaps"
        case "batches":
            return f"{items} in {shape.blocks} separate batches, {each}, from {raters}"
        case "sparse":
            return f"{items}, {each}, from {raters}"
        case _:
            return f"{items}, {each}, from unknown raters"


def _items(description: "Description") -> str:
    """Say how many items there are; outputs or pairs of outputs where several belong to an item."""
    n, asked = description.ratings.n_items, description.asked_items
    things = count(n, *item_nouns(description))
    return things if asked is None or asked == n else f"{things} of {count(asked, 'item')}"


def item_nouns(description: "Description") -> tuple[str, str]:
    """Name one and several of what was rated."""
    if description.asked_items in (None, description.ratings.n_items):
        return "item", "items"
    return ("pair of outputs", "pairs of outputs") if description.votes else ("output", "outputs")


def _responses(size: Array) -> str:
    low, high = int(size.min()), int(size.max())
    return count(low, "response") if low == high else f"{low:,} to {high:,} responses"


def _facts(description: "Description") -> list[list[str]]:
    ratings, shape = description.ratings, description.topology
    facts = [
        ["responses", f"{ratings.n_responses:,}"],
        ["items", f"{ratings.n_items:,}" if item_nouns(description)[0] == "item" else _items(description)],
        ["raters", _worth(description)],
        ["responses per item", _three(ratings.size)],
    ]
    if shape.items_per_rater is not None:
        facts += [["items per rater", _three(shape.items_per_rater)], ["design", _design(shape)]]
    facts.append(["scale", str(ratings.scale) + (" (a guess)" if ratings.scale.guessed else "")])
    if ratings.repeated_pairs:
        facts.append(["repeated pairs", f"{ratings.repeated_pairs:,} (a rater answered an item more than once)"])
    facts.append(["variance comes from", _variance(description.variance)])
    if description.dependability is not None:
        facts.append(["dependability", _dependability(description.dependability)])
    if not isnan(description.agreement.value):
        level = percent(description.agreement.confidence)
        facts.append(["interval of alpha", f"{level}, other items"])
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


def _dependability(found: "Dependability") -> str:
    """Say how dependable the mean of an item's raters is, and how many raters a dependable one takes."""
    who = "one rater has" if found.raters == 1 else f"the mean of {count(found.raters, 'rater')} has"
    start = f"{who} {number(found.value, 2)}"
    if found.raters_needed is None:
        return f"{start}; no number of raters brings {number(found.target, 2)}, for items do not differ"
    return f"{start}; {number(found.target, 2)} takes {found.raters_needed:,}"


def _system_table(description: "Description") -> Table:
    rows = [
        {
            "system": row.system,
            "mean": number(row.mean, 3),
            "interval": interval(row.low, row.high) if isfinite(row.high - row.low) else None,
            "items": row.items,
            "responses": row.responses,
        }
        for row in description.systems
    ]
    unit = description.systems[0].unit if description.systems else "items"
    note = f"Intervals: {percent(description.agreement.confidence)}, unit {unit}. Who is better: quorate compare."
    return table_of("Mean rating of each system", rows, SYSTEMS, note=note if rows else "")


def _vote_table(description: "Description") -> Table:
    rows = [
        {"system": row.system, "votes": row.votes}
        | {name: percent(getattr(row, name)) for name in ("win", "tie", "loss")}
        for row in description.votes
    ]
    note = "Shares of its votes, whoever the other was. Who is better: quorate compare."
    return table_of("How often each system is preferred", rows, VOTES, note=note)


def _variance(variance: VarianceParts) -> str:
    parts = {"items": variance.item, "raters": variance.rater, "the rest": variance.residual}
    known = {name: part for name, part in parts.items() if part is not None}
    total = sum(known.values())
    if not known or total == 0:
        return "cannot be told"
    return ", ".join(f"{percent(part / total)} {name}" for name, part in known.items())


def _worth(description: "Description") -> str:
    """Say how many raters there are, and what they amount to if some answered far more often."""
    n, amount = description.ratings.n_raters, description.effective_raters
    if n is None or amount is None:
        return "unknown"
    like = f"{n:,} (some far busier than others, so they count like {number(amount, 1)})"
    return f"{n:,}" if amount > 0.9 * n else like


def _share_table(description: "Description") -> Table:
    shares = description.shares
    rows = [[printable(name, LONGEST_NAME), percent(share)] for name, share in shares[:LISTED_CATEGORIES]]
    if len(shares) > LISTED_CATEGORIES:
        rest = sum(share for _, share in shares[LISTED_CATEGORIES:])
        rows.append([f"{len(shares) - LISTED_CATEGORIES} more", percent(rest)])
    return Table("Responses", ("response", "share"), rows)


def _disputed_table(description: "Description") -> Table:
    spread = description.spread is not None
    columns = {
        "item": Column("item", lambda item: printable(str(item), LONGEST_ITEM)),
        "sd": Column("sd", lambda sd: number(sd, 2)),
        "disagreement": Column("two raters differ", percent, terminal=not spread),
        "responses": Column("responses"),
    }
    items = [each for each in description.content()["disputed"] if each["disagreement"] > 0]
    rows = [item | {"responses": _counted(description.ratings, item["responses"])} for item in items]
    return table_of(_disputed_caption(description), rows, columns)


def _disputed_caption(description: "Description") -> str:
    """Say so when more items are as disputed as the last one listed."""
    if not len(description.disputed):
        return ""
    measure = description.disagreement if description.spread is None else description.spread
    size, last = description.ratings.size, description.disputed[-1]
    ties = int(((measure == measure[last]) & (size == size[last])).sum())
    shown = int((measure[description.disputed] == measure[last]).sum())
    more = ties > shown and measure[last] > 0
    return f"Most disputed {item_nouns(description)[1]}" + (f" ({ties:,} are as disputed as the last)" if more else "")


def _counted(ratings: Ratings, responses: dict[str, int]) -> str:
    """Write responses with their counts; six digits are enough of a number."""
    named = [
        (f"{float(said):.6g}" if ratings.scale.kind == "interval" else _short(said), n) for said, n in responses.items()
    ]
    others = sum(n for _, n in named[LISTED_RESPONSES:])
    parts = [f"{n} × {name}" for name, n in named[:LISTED_RESPONSES]]
    return ", ".join(parts + [f"{others} others"] * (others > 0))


def _rater_table(description: "Description", *, everyone: bool) -> Table:
    """List raters with their habits: those who lean most surely, or all for the map of raters."""
    habits = description.habits
    if habits is None:
        return Table("", (), ())
    n = len(habits.responses)
    which = list(range(n)) if everyone else description.listed_raters(len(description.disputed) or 5)
    rows = [
        row
        | {
            "leans": _leaning(row, row["leaning_error"]),
            "usual": f"{_short(row['usual'])} ({percent(row['usual_share'])})",
        }
        for row in description.rater_rows(which)
    ]
    caption = "Raters" if len(which) == n else f"Raters who lean most surely ({len(which)} of {n:,})"
    columns = RATERS if habits.correlation is None else RATERS | {"agreement": ON_PAGE}
    return table_of(caption, rows, columns, numbers=everyone)


def _group_table(description: "Description", column: str) -> Table:
    rows = [row | {"leans": _leaning(row, None)} for row in description.group_rows(column)]
    return table_of(f"Groups of raters by {column}", rows, GROUPS)


def _leaning(row: dict[str, Any], error: float | None) -> str:
    """Write a leaning, in points towards a category or steps of the scale, with its error."""
    value = row["leaning"]
    if value is None:
        return "–"
    if row["towards"] is None:
        around = "" if error is None else f" ± {number(error, 2)}"
        text = number(value, 2)
        return f"{'+' if value > 0 and text.strip('0.,') else ''}{text}{around}"
    around = "" if error is None else f" ± {100 * error:.0f}"
    return f"{100 * value:.0f}{around} points to {_short(row['towards'])}"


def _histogram(description: "Description") -> Table:
    rows = [(f"{low:.3g} to {high:.3g}", f"{n:,}") for low, high, n in description.disputes]
    what = "two raters differ (%)" if description.spread is None else "sd"
    return Table("Items by how disputed they are", (what, "items"), rows, numbers=True)


def _load_table(description: "Description") -> Table:
    """Items of each rater, the busiest first."""
    per_rater, names = description.topology.items_per_rater, description.ratings.raters
    if per_rater is None or names is None:
        return Table("", (), ())
    order = np.argsort(-per_rater, kind="stable").tolist()
    rows = [(str(names[j]), f"{per_rater[j]:,}") for j in order]
    return Table("Items per rater", ("rater", "items"), rows, numbers=True)


def _short(name: str) -> str:
    return printable(name, LONGEST_NAME)


def _three(sizes: Array) -> str:
    median = float(np.median(sizes))
    middle = f"{median:,.0f}" if median.is_integer() else f"{median:,.1f}"
    return f"{sizes.min():,} / {middle} / {sizes.max():,} (min / median / max)"


VOTES = {"system": Column("system"), "votes": Column("votes", integer)} | {
    name: Column(name) for name in ("win", "tie", "loss")
}
SYSTEMS = {
    "system": Column("system", _short),
    "mean": Column("mean"),
    "interval": Column("interval"),
    "items": Column("items", integer),
    "responses": Column("ratings", integer),
}
RATERS = {
    "rater": Column("rater", _short),
    "responses": Column("responses", integer),
    "leans": Column("leans"),
    "agreement": Column("others agree", percent),
    "correlation": Column("correlates with the others", lambda value: number(value, 2)),
    "usual": Column("usual response"),
}
ON_PAGE = Column("others agree", percent, terminal=False)
"""Where responses have an order, a terminal has room for the correlation only."""
GROUPS = {
    "group": Column("group", _short),
    "raters": Column("raters", integer),
    "responses": Column("responses", integer),
    "leans": Column("leans"),
    "agree_within": Column("pairs within agree", percent),
    "agree_across": Column("pairs across agree", percent),
}
