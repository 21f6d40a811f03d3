"""The page of a comparison: who is better, by how much, how sure, and where."""

from quorate._text import count, number
from quorate.comparing.result import Comparison
from quorate.comparing.words import pair_claim
from quorate.report import plots
from quorate.report.assemble import assemble, draw
from quorate.report.page import Page, Plot, Section
from quorate.results.table import integer

__all__ = ["page"]

METHOD = (
    "A positive difference means that the first system is better, whatever the metric. The default test "
    "studentises the difference; interval and p-value come from the same pivot, so they never disagree, and p is "
    "never 0.",
    "With several comparisons the intervals and p-values shown hold for all at once (max-T) [hothorn2008]; ranks "
    "and “could be best” follow from them [mogstad2024]. Variation of items and responses on one test set: "
    "[leaderboard].",
)


def page(result: Comparison, command: str = "") -> Page:
    """Return the page of a comparison."""
    tables = result.tables()
    leaderboard = "ranking" in tables
    decision = [_ranks(result), _pairs(result)] if leaderboard else [_pairs(result)]
    return assemble(
        result,
        facts=_facts(result),
        sections=[
            Section(
                "Ranking and differences" if leaderboard else "The difference",
                plots=[*decision, *([_items(result)] if "items" in tables else [])],
            ),
            Section("All comparisons", tables=[tables["pairs"]], text=result.notes()),
            Section("By group", plots=[_groups(result)] if "groups" in tables else []),
        ],
        method=METHOD,
        command=command,
    )


def _facts(result: Comparison) -> list[tuple[str, str]]:
    first = result.pairs[0]
    if len(result.pairs) > 1:
        best = sum(standing.could_be_best for standing in result.ranking)
        systems = [("systems", integer(len(result.ranking))), ("could be best", integer(best))]
        return [*systems, ("comparisons", integer(len(result.pairs))), ("items", integer(first.n_items))]
    table = result.tables()["pairs"]
    cell = dict(zip(table.header, table.rows[0], strict=True))
    return [
        (first.a, cell["score a"]),
        (first.b, cell["score b"]),
        ("difference", cell["difference"]),
        (f"{100 * first.confidence:g} % interval", cell["interval"]),
        ("p", cell["p"]),
        ("items", integer(first.n_items)),
        *([] if first.n_raters is None else [("raters", integer(first.n_raters))]),
    ]


def _pairs(result: Comparison) -> Plot:
    claims = "; ".join(pair_claim(pair, result.margin) for pair in result.pairs[:3])
    more = f" and {len(result.pairs) - 3} more" if len(result.pairs) > 3 else ""
    alt = f"Dots with intervals for {count(len(result.pairs), 'comparison')}: {claims}{more}."
    return draw(plots.compare(result), alt, result.tables()["pairs"])


def _items(result: Comparison) -> Plot:
    pair = result.pairs[0]
    alt = f"Histogram of differences on single items, mean {number(pair.difference)}: right of 0 {pair.a} is closer."
    return draw(plots.compare_items(result), alt, result.tables()["items"])


def _ranks(result: Comparison) -> Plot:
    order = ", ".join(standing.system for standing in result.ranking[:10])
    alt = f"Scores with intervals of {len(result.ranking)} systems, best first: {order}."
    return draw(plots.compare_ranks(result), alt, result.tables()["ranking"])


def _groups(result: Comparison) -> Plot:
    alt = f"Dots with intervals of the difference within {count(len(result.groups), 'group')} of items."
    return draw(plots.compare_groups(result), alt, result.tables()["groups"])
