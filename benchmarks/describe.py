"""`describe` on ten million ratings, two million items by five, beside a plain pandas group-by."""

from functools import partial
from pathlib import Path

from benchmarks import QUORATE, Case, fresh

__all__ = ["cases"]

ITEMS, RATERS_PER_ITEM, RATERS = 2_000_000, 5, 20_000
ANSWERS = ("no", "unsure", "yes")


def cases(folder: Path) -> list[Case]:
    fresh(write_ratings, folder)
    return [
        Case(
            "describe",
            f"10 million ratings, {suffix}",
            (*QUORATE, "describe", str(folder / f"ratings.{suffix}"), "--json"),
            partial(group_by, folder / f"ratings.{suffix}"),
            most_seconds=15,
            most_mebibytes=3072,
        )
        for suffix in ("parquet", "csv")
    ]


def write_ratings(folder: Path) -> None:
    """Write ten million ratings in random order; each item has its own chance of yes."""
    import numpy as np
    import polars as pl

    rng = np.random.default_rng(0)
    item = rng.permutation(np.repeat(np.arange(ITEMS), RATERS_PER_ITEM))
    chance = rng.beta(0.6, 0.9, ITEMS)[item]
    draw = rng.random(len(item))
    response = np.where(draw < 0.9 * chance, 2, np.where(draw > chance + 0.1, 0, 1))
    frame = pl.DataFrame({"item": item, "rater": rng.integers(RATERS, size=len(item)), "response": response})
    frame = frame.with_columns(
        pl.format("item{}", "item").alias("item"),
        pl.format("rater{}", "rater").alias("rater"),
        pl.col("response").replace_strict(range(3), ANSWERS, return_dtype=pl.String),
    )
    frame.write_parquet(folder / "ratings.parquet")
    frame.write_csv(folder / "ratings.csv")


def group_by(path: Path) -> object:
    """Count answers per item the plain way; `describe` does this and everything else."""
    import pandas as pd

    frame = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)
    return frame.groupby(["item", "response"], observed=True).size().unstack(fill_value=0)
