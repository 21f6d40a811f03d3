"""`estimate` on real votes with real experts hidden at random: does the truth, held back, lie in the intervals?

``python -m benchmarks.estimate_real --data ../shared/data --output table.md``. Voters only (no classifier):
``dices_350`` (expert gold against a crowd that leans the other way), ``zencrowd_us`` and ``sentiment_polarity``; with a
classifier: ``chaosnli_snli`` (entailment or not), 3 of 100 votes shown, the majority of the other 97 as truth, a
RoBERTa's probability as score. Each split chooses the experts' items, and the votes shown, anew.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from quorate._random import generator
from quorate._tasks import run_tasks
from quorate._typing import Array
from quorate.estimating.evidence import Evidence
from quorate.estimating.label_metrics import METRICS
from quorate.estimating.methods import judge
from quorate.estimating.methods.method import equal_tails
from quorate.estimating.study import Study
from quorate.populations.crowds import choose_experts

WORLDS = {
    "dices_350": ((0.2, 0.4), "Yes"),
    "zencrowd_us": ((0.05, 0.2), "1"),
    "sentiment_polarity": ((0.02, 0.1), "1"),
    "chaosnli_snli": ((0.1, 0.2), "e"),
}
METHODS = ("maven", "gt", "mv", "ds")
VOTER_METRICS = ("prevalence", "human_tpr", "human_tnr")


def split(folder: str, world: str, share: float, number: int) -> dict[str, Any]:
    """One split: truth, and value, low, high of every method and metric."""
    rng = generator(number, "estimate-real", world, repr(share))
    everything = (
        _chaos(Path(folder), rng) if world == "chaosnli_snli" else _voters(Path(folder) / world, WORLDS[world][1])
    )
    known = choose_experts(everything.n_items, share, rng=rng)
    hidden = Evidence(everything.positive, everything.total, everything.label, known, everything.scores)
    system = next(iter(everything.scores), None)
    metrics = (*VOTER_METRICS, "auc", "delta_tpr", "accuracy") if system else VOTER_METRICS
    truth = judge(Study(everything, n_draws=1), "gt", system).plain
    assert truth is not None
    found: dict[str, Any] = {"truth": {name: float(METRICS[name](truth)[0]) for name in metrics}}
    study = Study(hidden, seed=number)
    for method in METHODS:
        judged = judge(study, method, system)
        found[method] = {}
        for name in metrics:
            values = METRICS[name](judged.draws)
            value = values.mean() if judged.plain is None else METRICS[name](judged.plain)[0]
            found[method][name] = [float(value), *map(float, equal_tails(values, 0.95))]
    return found


def _voters(folder: Path, positive: str) -> Evidence:
    """All votes of a data set and the gold label of every item; the label that is not the positive one is negative."""
    source = next(folder.glob("annotations.csv*"))
    votes = (
        pl.read_csv(source, infer_schema=False)
        .group_by("item")
        .agg((pl.col("response") == positive).sum().alias("positive"), pl.len().alias("total"))
    )
    gold = pl.read_csv(folder / "experts.csv", infer_schema=False)
    frame = votes.join(gold, on="item").sort("item")
    label = (frame["label"] == positive).cast(pl.Int64).to_numpy()
    every = np.ones(frame.height, dtype=bool)
    return Evidence(frame["positive"].cast(pl.Int64).to_numpy(), frame["total"].cast(pl.Int64).to_numpy(), label, every)


def _chaos(folder: Path, rng: np.random.Generator) -> Evidence:
    """Three votes of a hundred, the majority of the rest as truth, and one model's probability of entailment."""
    counts = pl.read_csv(folder / "chaosnli_snli" / "counts.csv", schema_overrides={"item": pl.String})
    source = next((folder / "chaosnli_snli").glob("scores.csv*"))
    scores = pl.read_csv(source, schema_overrides={"item": pl.String})
    system = scores["system"].unique().sort()[-1]
    frame = counts.join(scores.filter(pl.col("system") == system), on="item", suffix="_score").sort("item")
    yes, total = frame["e"].to_numpy(), frame.select(pl.sum_horizontal("e", "n", "c")).to_series().to_numpy()
    shown = rng.hypergeometric(yes, total - yes, 3)
    label = (2 * (yes - shown) > total - 3).astype(np.int64)
    every = np.ones(len(yes), dtype=bool)
    return Evidence(shown, np.full(len(yes), 3), label, every, {system: frame["e_score"].to_numpy()})


def table(results: dict[str, dict[str, Any]]) -> str:
    """Write coverage, mean error and width by data set, share, metric and method as a Markdown table."""
    lines = ["| data | experts shown | metric | truth | method | splits | coverage | mean abs. error | bias | width |"]
    lines.append("|" + "---|" * 10)
    for world, (shares, _) in WORLDS.items():
        for share in shares:
            found = [result for key, result in results.items() if key.startswith(f"{world}/{share}/")]
            for metric in found[0]["truth"] if found else ():
                truth = np.array([each["truth"][metric] for each in found])
                for method in METHODS:
                    rows = np.array([each[method][metric] for each in found])
                    lines.append(
                        f"| {world} | {share:.0%} | {metric} | {truth.mean():.3f} | {method} | {_cell(rows, truth)} |"
                    )
    return "\n".join(lines) + "\n"


def _cell(rows: Array, truth: Array) -> str:
    value, low, high = rows.T
    cover, error = ((low <= truth) & (truth <= high)).mean(), np.abs(value - truth).mean()
    return f"{len(rows)} | {cover:.2f} | {error:.4f} | {(value - truth).mean():+.4f} | {(high - low).mean():.4f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the splits and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--splits", type=int, default=50)
    parser.add_argument("--worlds", default=",".join(WORLDS))
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--output", type=Path, default=Path("estimate_real.md"))
    parser.add_argument("--resume", action="store_true")
    given = parser.parse_args(arguments)
    tasks = {
        f"{world}/{share}/{number}": (str(given.data), world, share, number)
        for number in range(given.splits)
        for world in given.worlds.split(",")
        for share in WORLDS[world][0]
    }
    journal = given.output.with_suffix(".jsonl")
    results = run_tasks(
        split, tasks, settings={}, workers=given.workers, journal=journal, resume=given.resume, label="estimate real"
    )
    given.output.write_text(table(results))


if __name__ == "__main__":
    main()
