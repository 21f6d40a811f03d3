"""How judges beside raters read: may one stand in for a rater, what is it worth, and are the labels the limit?"""

from collections.abc import Sequence
from math import isfinite
from statistics import median
from typing import TYPE_CHECKING, Any

from quorate._text import count, joined, number, p_number
from quorate.comparing.alternative_annotators import FEWEST_ITEMS, PASSING
from quorate.results.table import Column, Table, integer, interval, table_of

if TYPE_CHECKING:
    from quorate.comparing.judges import Judge
    from quorate.comparing.result import Comparison, Pair

VERDICTS = {
    "a_better": "better than a rater",
    "equivalent": "as good as a rater within {margin}",
    "not_worse": "not worse than a rater by {margin} or more",
    "inconclusive": "not told apart from a rater",
    "little": "worse than a rater, but perhaps by less than {margin}",
    "b_better": "worse than a rater",
    "identical": "the same as the raters",
}
"""In the order in which they are said; little is inconclusive with a margin that the interval reaches into."""
RATERS_RULE = 2.0
"""From so many times the variance of items alone on, other raters are what is not known."""
FEWEST_RATERS, FAR = 4, 6.0
"""Raters of whom one can be told to be far, and how many times the median distance from the median that is."""
MAY = ("a_better", "equivalent", "not_worse")
"""Verdicts with which a judge may stand in for a rater."""
SHORT = {"a_better": "better", "b_better": "worse", "little": "worse, margin open"}
COLUMNS = {
    "system": Column("judge"),
    "score": Column("score"),
    "rater": Column("a rater's"),
    "difference": Column("difference"),
    "interval": Column("interval"),
    "p": Column("p"),
    "verdict": Column("verdict"),
    "worth": Column("worth"),
    "winning_rate": Column("winning rate ω", lambda x: number(x, 2)),
    "advantage": Column("advantage ρ", lambda x: number(x, 3)),
}
RATER_COLUMNS = {"rater": Column("rater"), "items": Column("items", integer), "score": Column("score", number)}


def verdict_words(verdict: str, margin: float | None) -> str:
    """Say a verdict of a judge."""
    if verdict == "b_better" and margin is not None:
        return f"worse than a rater by more than {margin:g}"
    return VERDICTS[verdict].format(margin=f"{margin or 0:g}")


def read_verdict(pair: "Pair") -> str:
    """Return the verdict as people read it: what is surely worse, who knows whether by a margin, is not left open."""
    return "little" if pair.verdict == "inconclusive" and pair.deciding[1] < 0 else pair.verdict


def judges_table(result: "Comparison", digits: int) -> Table:
    """Return a row per judge, the best first."""
    place = {standing.system: i for i, standing in enumerate(result.ranking)}
    rows = []
    for judge, pair in sorted(zip(result.judges, result.pairs, strict=False), key=lambda row: place[row[0].system]):
        low, high, p = pair.deciding
        rows.append(
            {
                "system": judge.system,
                "score": number(judge.agreement, digits),
                "rater": number(judge.rater_agreement, digits),
                "difference": number(judge.difference, digits),
                "interval": interval(low, high, digits) if isfinite(high - low) else None,
                "p": p_number(p),
                "verdict": SHORT.get(read_verdict(pair), judge.verdict).replace("_", " "),
                "worth": _worth(judge),
                "winning_rate": judge.winning_rate,
                "advantage": judge.advantage,
            }
        )
    better = "high" if result.pairs[0].better == "high" else "low"
    caption = f"Judges beside raters by {result.judges[0].metric} ({better} is good); positive: the judge is better"
    return table_of(caption, rows, COLUMNS, note="\n".join(_notes(result)))


def raters_table(result: "Comparison") -> Table:
    """Return every rater's own score against the others, and each judge's advantage over him, for the page."""
    names = [judge.system for judge in result.judges]
    columns = RATER_COLUMNS | {f"over {name}": Column(f"ρ of {name}", lambda x: number(x, 2)) for name in names}
    rows: list[dict[str, Any]] = [
        {"rater": row.rater, "items": row.items, "score": row.score}
        | {f"over {name}": row.advantages[name] for name in names if isfinite(row.advantages[name])}
        for row in result.rater_scores
    ]
    return table_of("Raters, each against the others", rows, columns, numbers=True)


def limit_words(result: "Comparison") -> str:
    """Say so where a judge is as close to the raters as their own mean: then labels are the limit."""
    per_item = result.raters_per_item
    best = [judge for judge in result.judges if judge.verdict in MAY and per_item is not None]
    worth = [judge for judge in best if judge.worth_raters is None or judge.worth_raters >= (per_item or 0)]
    if not worth:
        return ""
    names = joined([judge.system for judge in worth])
    verb = "is" if len(worth) == 1 else "are"
    return (
        f"{names} {verb} worth as many raters as rated an item ({per_item:g}) or more: here the labels, not the judge, "
        "are the limit. More raters per item or clearer instructions will show more than another judge."
    )


def open_words(result: "Comparison") -> str:
    """Say what would settle the judges that are left open: a margin, other people, or more items."""
    open_ = [pair for judge, pair in zip(result.judges, result.pairs, strict=False) if judge.verdict == "inconclusive"]
    if not open_:
        return ""
    names = joined([pair.a for pair in open_])
    effects = [pair.rater_effect for pair in open_ if pair.rater_effect is not None]
    by_raters = bool(effects) and median(effects) >= RATERS_RULE
    more = "more people, not more items" if by_raters else "more items with the same people"
    why = f"most of the doubt comes from which {'people' if by_raters else 'items'} were asked"
    margin = "" if result.margin is not None else ", or say how much worse than a rater a judge may be with --margin"
    return f"To settle {names}, ask {more}{margin}: {why}."


def far_rater_words(result: "Comparison") -> str:
    """Point at a rater far from all others: he moves what judges are measured by."""
    scores = sorted(row.score for row in result.rater_scores)
    if len(scores) < FEWEST_RATERS:
        return ""
    middle = median(scores)
    spread = median(abs(score - middle) for score in scores)
    worst = result.rater_scores[-1]
    if not abs(worst.score - middle) > FAR * spread > 0:
        return ""
    return (
        f"Rater {worst.rater} scores {number(worst.score)} where the median rater scores {number(middle)}: that moves "
        "the raters' mean, and every judge looks better for it. Look at those answers before you trust a verdict."
    )


def judge_warnings(judges: Sequence["Judge"], n_raters: int) -> list[str]:
    """Say what not to trust: a judge that repeats a rater, raters with too few items, two raters."""
    said = [
        f"{judge.system} gives the answer of rater {judge.repeats} to all of that rater's items, so it is taken for "
        "that rater, who is left out for it; the alternative annotator test keeps him."
        for judge in judges
        if judge.repeats is not None
    ]
    tested = judges[0].raters_tested
    if tested < n_raters:
        said.append(
            f"The alternative annotator test leaves out {count(n_raters - tested, 'rater')} with fewer than "
            f"{FEWEST_ITEMS} items."
        )
    return said


def _notes(result: "Comparison") -> list[str]:
    first = result.judges[0]
    passing = f"; a judge passes their test from ω = {PASSING:g} on" if first.winning_rate is not None else ""
    return [
        *([result.family] if result.family else []),
        "Each rater is left out in turn; judge and rater are scored against the same others. "
        "Worth: the mean of so many raters is as close to one more rater.",
        f"ω and ρ: alternative annotator test, ε = {first.epsilon:g}, {count(first.raters_tested, 'rater')}{passing}.",
    ]


def _worth(judge: "Judge") -> str:
    if judge.worth_raters is None:
        return "more than can be told"
    return f"{number(judge.worth_raters, 1)} raters"
