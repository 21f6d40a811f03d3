"""How an estimate reads: its sentence, its tables, and what is said of voters, sampling and the next purchase."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from quorate._text import Sentence, count, number
from quorate.estimating.evidence import name_counts
from quorate.estimating.label_metrics import known_metrics
from quorate.estimating.methods import ASSISTED, METHODS
from quorate.estimating.methods.method import Estimate
from quorate.estimating.purchase import Purchase, two_figures
from quorate.results.table import Column, Table, integer, interval, table_of

if TYPE_CHECKING:
    from quorate.estimating.curves import CurveKind
    from quorate.estimating.result import Estimation


MOST_COLUMNS = 12
"""Classes up to which a confusion matrix is shown as one."""
NO_SYSTEM = ("human_", "prevalence")
"""How metrics begin that are about the voters or the items, not about a system."""


def _four(value: float) -> str:
    return f"{value:z.4f}"


ROWS = {
    "group": Column("group"),
    "system": Column("system"),
    "metric": Column("metric"),
    "method": Column("method"),
    "value": Column("value", _four),
    "low": Column("low", _four, page=False),
    "high": Column("high", _four, page=False),
    "interval": Column("interval", terminal=False),
    "rests_on": Column("rests on", integer),
}
VOTERS = {
    "voter": Column("voter"),
    "votes": Column("votes", integer),
    "agreement": Column("like experts", number),
    "worth": Column("worth expert labels", integer),
}
POINTS = {
    "x": Column("at", lambda x: number(x, 2)),
    "value": Column("value", number),
    "low": Column("low", number),
    "high": Column("high", number),
}


def estimation_sentence(result: "Estimation") -> Sentence:
    """Say the first estimate, what experts alone would say, what the votes are worth, and what to buy."""
    first, alone = result.estimates[0], result.alone
    sentence = _first_words(result)
    if first.value is None or alone is None or alone.value is None or first.method == alone.method:
        return Sentence(f"{sentence}.")
    experts = f"the {sum(result.n_experts):,} expert labels alone would say {_with_interval(alone)}"
    more = "" if result.purchase is None else f" {purchase_sentence(result.purchase)}"
    return Sentence(sentence, f"{experts}{_worth(first, result)}.{_model(result)}{more}", ";")


def _first_words(result: "Estimation") -> str:
    """Say the first estimate."""
    first = result.estimates[0]
    several = first.system is not None and len({row.system for row in result.estimates}) > 1
    known = known_metrics(result.classes, named=result.named).get(first.metric)
    name = (known.phrase if known else "") or first.metric.replace("_", " ")
    if known and known.about == "confusion" and first.value is not None:
        return f"{_with_interval(first)} is the {name}{f' by {first.system}' if several else ''}"
    return f"{name[0].upper()}{name[1:]}{f' of {first.system}' if several else ''} {_with_interval(first)}"


def purchase_sentence(purchase: Purchase) -> str:
    """Say what to buy."""
    goal = f"For an interval {purchase.target:g} wide"
    if purchase.width <= purchase.target:
        return f"{goal} nothing need be bought."
    ways = [] if purchase.experts is None else [f"about {two_figures(purchase.experts):,} more expert labels"]
    ways += [] if purchase.votes is None else [f"about {purchase.votes:g} more votes per item"]
    if not ways and purchase.mix is None:
        return f"{goal} no number of expert labels or votes on these items would do."
    missing = "expert labels" if purchase.experts is None else "votes"
    sentence = f"{goal} buy {' or '.join(ways)}" if ways else f"{goal} both are needed"
    sentence += f"; {missing} alone would not do" if len(ways) == 1 else ""
    if purchase.mix is not None and purchase.cost is not None:
        experts, votes = two_figures(purchase.mix[0]), purchase.mix[1]
        price = two_figures(purchase.cost)
        sentence += f"; cheapest are {experts:,} labels and {votes:g} votes per item, for {price:,}"
    return f"{sentence}{_better(purchase)}."


def _better(purchase: Purchase) -> str:
    """Say what better voters would do, where their price is known."""
    if purchase.better is None or purchase.better_cost is None:
        return ""
    labels = f"{two_figures(purchase.better):,} more labels" if purchase.better else "no more labels"
    return f"; with voters who err half as often {labels} would do, for {two_figures(purchase.better_cost):,}"


def purchase_warnings(target: float | None, purchase: Purchase | None) -> list[str]:
    """Say where a purchase cannot be told, or is a guess."""
    if target is not None and purchase is None:
        return [f"what to buy for --target-width {target:g} cannot be told: the interval has no width to narrow."]
    if purchase is not None and purchase.far:
        return ["what to buy goes beyond four times the data at hand: buy a part, and ask again with it."]
    return []


def estimation_tables(result: "Estimation") -> dict[str, Table]:
    """Return the estimates and what to buy next; those behind the plots stand last."""
    bought = {} if result.purchase is None else {"next": purchase_table(result.purchase)}
    worths = [asdict(each) for each in result.voter_worths]
    caption = f"What each voter adds to {result.estimates[0].metric}"
    voters = {"voters": table_of(caption, worths, VOTERS)} if worths else {}
    n_overall = len(result.estimates)
    return {
        "estimates": _estimate_table(result, slice(None)),
        **({"confusion": matrix} if (matrix := confusion_table(result)) is not None else {}),
        **bought,
        **voters,
        "overall": _estimate_table(result, slice(n_overall), numbers=True),
        "groups": _estimate_table(result, slice(n_overall, None), numbers=True),
    }


def confusion_table(result: "Estimation") -> Table | None:
    """Return the first confusion matrix, a row for every true class; None where it was not asked for, or is wide."""
    known = known_metrics(result.classes, named=result.named)
    cells = [row for row in result.estimates if row.metric in known and known[row.metric].about == "confusion"]
    first = [(row.system, row.method) for row in cells][:1]
    value = {row.metric: row.value for row in cells if (row.system, row.method) in first}
    if not first or len(result.classes) > MOST_COLUMNS or len(value) < len(result.classes) ** 2:
        return None
    rows = [
        (true, *(number(value[f"confusion:{true}:{called}"]) for called in result.classes)) for true in result.classes
    ]
    caption = f"Share of items by their class (rows) and what {first[0][0]} calls them (columns), {first[0][1]}"
    return Table(caption, ("is", *result.classes), rows)


def curve_table(result: "Estimation", kind: "CurveKind", *, points: int = 21) -> Table:
    """Return points of the first curve that is shown."""
    method, system = result.curve_keys[0]
    rows = result.curve(kind, system=system, method=method, points=points).fill_nan(None).to_dicts()
    return table_of(f"{kind} curve by {method}", rows, POINTS, numbers=True)


def purchase_table(purchase: Purchase) -> Table:
    """Return what narrows the first interval to the target: labels alone, votes alone, the cheapest mix."""
    rows = [
        ("more expert labels alone", _about(purchase.experts), "–", "–"),
        ("more votes alone", "–", _about(purchase.votes), "–"),
        ("as many votes by voters who err half as often", _about(purchase.better), "–", _cost(purchase.better_cost)),
    ]
    if purchase.mix is not None:
        experts, votes = purchase.mix
        rows.append(("the cheapest of both", _about(experts), _about(votes), _about(purchase.cost)))
    now, then = number(purchase.width), number(purchase.target)
    caption = f"About what it takes to narrow the interval of {purchase.metric} from {now} to {then}"
    return Table(caption, ("purchase", "expert labels", "votes per item", "cost"), rows)


def estimation_notes(result: "Estimation") -> list[str]:
    """Say what the estimates are for, how good the voters are, and how far the sampling can be trusted."""
    unit = "the population the items came from" if result.population else "these items"
    experts = name_counts(result.classes, result.n_experts, named=result.named)
    labels = f"{count(sum(result.n_experts), 'expert label')} ({experts})"
    notes = [
        f"{count(result.n_items, 'item')}, {labels}; estimates are for {unit}.",
        *_voters(result.voters),
    ]
    if result.diagnostics is not None:
        d = result.diagnostics
        figure = f"k̂ {d['k_hat']:.2f}" if d["k_hat"] is not None else f"R-hat {d['r_hat']:.3f}"
        notes.append(f"Sampling: {d['verdict']} ({figure}, effective sample size {d['ess']:,.0f}).")
    if result.chosen is not None:
        wanted = result.chosen["label"].null_count()
        notes.append(
            f"{count(wanted, 'item')} chosen for experts, listed with those labelled already and the weight of each: "
            "write them with -o to-label.csv, fill in the labels and give the file as --experts."
        )
    return notes + [f"{part.group}: {part.reason}" for part in result.groups if part.reason]


def _voters(voters: Mapping[str, float | None]) -> list[str]:
    """Say how good the voters are, where it can be told."""
    if voters.get("accuracy") is not None:
        return [
            f"Voters choose as experts do on {number(voters['accuracy'])} of the items "
            f"({interval(voters['accuracy_low'], voters['accuracy_high'])})."
        ]
    if voters.get("tpr") is None or voters.get("tnr") is None:
        return []
    return [
        f"Voters find {number(voters['tpr'])} of the positive items "
        f"({interval(voters['tpr_low'], voters['tpr_high'])}) and {number(voters['tnr'])} of the negative ones "
        f"({interval(voters['tnr_low'], voters['tnr_high'])})."
    ]


def _worth(first: Estimate, result: "Estimation") -> str:
    more = result.worth
    if more is None or first.method != ASSISTED.name:
        return ""
    what = "votes and scores" if any(row.system for row in result.estimates) else "votes"
    if more <= 0:
        return f", so {what} add nothing"
    return f", so {what} are worth about {more:,} more expert labels"


def _model(result: "Estimation") -> str:
    """Say what MAVEN's model says of the first metric, where it is shown."""
    first = result.estimates[0]
    if METHODS[first.method].models_votes:
        return " MAVEN's interval holds if its model describes this crowd; on real crowds it often does not."
    said = [row for row in result.estimates if METHODS[row.method].models_votes]
    same = next((row for row in said if (row.system, row.metric) == (first.system, first.metric)), None)
    return "" if same is None else f" MAVEN's model, if it describes this crowd, says {_with_interval(same)}."


def _with_interval(row: Estimate) -> str:
    if row.value is None:
        return "cannot be told"
    if row.low is None or row.high is None:
        return f"{row.value:z.3f} (no interval)"
    digits = 2 if (row.width or 0) >= 0.015 else 3
    return f"{row.value:z.{digits}f} ({row.low:z.{digits}f}–{row.high:z.{digits}f})"


def _estimate_table(result: "Estimation", which: slice, *, numbers: bool = False) -> Table:
    """Return some of the estimates; the name of a single system stands above, not in each row."""
    rows = [{**row, "interval": interval(row["low"], row["high"], 4)} for row in result.rows()]
    if result.groups:
        rows = [{**row, "group": row["group"] or "all items"} for row in rows]
    systems = list(dict.fromkeys(row["system"] for row in rows))
    caption = "Value and interval by method"
    if len(systems) > 1:
        shown = rows[which] if numbers else _said_once(rows[which], len(systems))
        return table_of(caption, shown, ROWS, numbers=numbers)
    columns = {key: column for key, column in ROWS.items() if key != "system"}
    return table_of(f"{caption}, {systems[0]}" if systems[0] else caption, rows[which], columns, numbers=numbers)


def _said_once(rows: list[dict[str, Any]], n_systems: int) -> list[dict[str, Any]]:
    """Say once what is alike for every system because it is about the voters or the items."""
    keys = [tuple(value for name, value in row.items() if name != "system") for row in rows]
    times = Counter(key for row, key in zip(rows, keys, strict=True) if row["metric"].startswith(NO_SYSTEM))
    return [
        row if times[key] < n_systems else {**row, "system": "every system"}
        for place, (row, key) in enumerate(zip(rows, keys, strict=True))
        if times[key] < n_systems or keys.index(key) == place
    ]


def _cost(amount: float | None) -> str:
    return "–" if amount is None else _about(amount)


def _about(amount: float | None) -> str:
    """Write a number to two figures: more of them would promise too much."""
    return "never enough" if amount is None else f"{float(f'{amount:.2g}'):,g}"
