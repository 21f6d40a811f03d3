"""How a fit reads: a sentence, and tables of its check, the categories and what else was tried."""

from typing import TYPE_CHECKING, Any

from quorate._text import Sentence, number
from quorate.populations.goodness import spread_words
from quorate.results.table import Column, Table, table_of

if TYPE_CHECKING:
    from quorate.fitting.result import Fit

FIGURES = {
    "mean": "mean",
    "sd": "standard deviation",
    "q10": "10 % below",
    "q50": "median",
    "q90": "10 % above",
}
CHECK = {
    "figure": Column("figure"),
    "observed": Column("observed", number),
    "expected": Column("expected", number),
    "tail": Column("tail", number),
}
SHARES = {
    "category": Column("category"),
    "observed": Column("observed", number),
    "expected": Column("expected", number),
    "alpha": Column("alpha", number),
}
TRIED = {
    "role": Column("of"),
    "family": Column("family"),
    "log_likelihood": Column("log-likelihood", lambda value: f"{value:,.1f}"),
    "chosen": Column("chosen", lambda chosen: "yes" if chosen else ""),
}


def fit_sentence(result: "Fit") -> Sentence:
    """Say how alike answers are in data and population, what the population is, and whether to trust it."""
    name, noun, spread = result.ratings.name, result.population.noun, result.spread
    seen, told = number(spread.correlation, 2), number(spread.expected_correlation, 2)
    article = "the population it is held against" if result.given else f"{noun.replace('a ', 'the ', 1)} most like it"
    alike = f"agree {seen} beyond chance" if _as_categories(result) else f"correlate {seen}"
    head = f"Two answers to an item {alike} in {name}, {told} in {article}"
    return Sentence(head, f"{result.population.words()}, which {spread_words(spread)}.")


def _as_categories(result: "Fit") -> bool:
    """Whether levels with an order were held against each other as if they had none: only the same one is alike."""
    return result.ratings.scale.kind != "nominal" and result.spread.figure == "plurality share"


def fit_tables(result: "Fit") -> dict[str, Table]:
    """Return the tables in the order in which they are read."""
    shares = [] if result.expected is None else result.to_frame().to_dicts()
    bias = f"  mean absolute bias of the shares {number(result.mab, 4)}"
    tried = sorted(result.alternatives, key=lambda row: (row["role"], -row["log_likelihood"]))
    return {
        "spread": table_of("Spread of items, data and population", _rows(result), CHECK),
        "categories": table_of("Categories", shares, SHARES, note=bias if shares else ""),
        "alternatives": table_of("Alternatives, best first", tried, TRIED),
    }


def _rows(result: "Fit") -> list[dict[str, Any]]:
    spread = result.spread
    rows: list[dict[str, Any]] = [
        {"figure": f"{spread.figure}, {words}", "observed": spread.observed[key], "expected": spread.expected[key]}
        for key, words in FIGURES.items()
    ]
    rows.append(
        {
            "figure": "agreement beyond chance" if _as_categories(result) else "correlation within items",
            "observed": spread.correlation,
            "expected": spread.expected_correlation,
            "tail": spread.correlation_tail,
        }
    )
    return [*rows, {"figure": "largest gap between distributions", "observed": spread.gap, "tail": spread.gap_tail}]
