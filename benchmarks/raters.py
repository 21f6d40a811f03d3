"""`compare` with raters counted as drawn: 5 million ratings of a million items by 20,000 raters of unequal diligence.

The plain reference clusters two ways with pandas, for one metric, from a table that holds every rating's difference
ready made: group by item, by rater, by both, square and add.
"""

from functools import partial
from pathlib import Path

import numpy as np

from benchmarks import QUORATE, Case, fresh

__all__ = ["cases"]

ITEMS, RATERS, PER_ITEM = 1_000_000, 20_000, 5


def cases(folder: Path) -> list[Case]:
    fresh(write_study, folder)
    command = (*QUORATE, "compare", str(folder / "ratings.parquet"), str(folder / "answers.parquet"), "--json")
    return [
        Case(
            "compare",
            f"5 million ratings, 20,000 raters, {metric}",
            (*command, "--metric", metric, "--unit", "auto"),
            reference,
            most_seconds=30,
            most_mebibytes=4096,
        )
        for metric, reference in (
            ("agreement", partial(by_pandas, folder / "differences.parquet")),
            ("accuracy", None),
        )
    ]


def write_study(folder: Path) -> None:
    """Write ratings by raters who answer unequally often and lean towards one of two systems, and both answers."""
    import polars as pl

    rng = np.random.default_rng(0)
    diligence = rng.lognormal(0.0, 1.5, RATERS)
    item = np.repeat(np.arange(ITEMS), PER_ITEM)
    rater = rng.choice(RATERS, len(item), p=diligence / diligence.sum())
    lean, taste = 0.3 * rng.standard_normal(RATERS), rng.standard_normal(ITEMS)
    sides_with_a = taste[item] + lean[rater] + rng.standard_normal(len(item)) > 0
    says_a = rng.integers(2, size=ITEMS)
    response = np.where(sides_with_a, says_a[item], 1 - says_a[item])
    ratings = pl.DataFrame({"item": item, "rater": rater, "response": response}).unique(["item", "rater"])
    answers = pl.concat(
        pl.DataFrame({"item": np.arange(ITEMS), "system": [name] * ITEMS, "response": said})
        for name, said in (("a", says_a), ("b", 1 - says_a))
    )
    words = pl.when(pl.col("response") == 1).then(pl.lit("yes")).otherwise(pl.lit("no")).alias("response")
    ratings.with_columns(words).sample(fraction=1.0, shuffle=True, seed=1).write_parquet(folder / "ratings.parquet")
    answers.with_columns(words).write_parquet(folder / "answers.parquet")
    sides = pl.Series(np.where(ratings["response"].to_numpy() == says_a[ratings["item"].to_numpy()], 1.0, -1.0))
    ratings.select("item", "rater", d=sides).write_parquet(folder / "differences.parquet")


def by_pandas(path: Path) -> float:
    """Return the standard error clustered by items and raters, without any correction for their number."""
    import pandas as pd

    table = pd.read_parquet(path)
    weight = 1 / (ITEMS * table.groupby("item")["d"].transform("size"))
    table["e"] = weight * (table["d"] - (weight * table["d"]).sum())
    parts = [table.groupby(keys)["e"].sum().pow(2).sum() for keys in ("item", "rater", ["item", "rater"])]
    return float(np.sqrt(parts[0] + parts[1] - parts[2]))
