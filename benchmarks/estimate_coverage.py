"""Do the intervals of `estimate` hold? Coverage, width and error over fresh splits of simulated and real crowds.

``python -m benchmarks.estimate_coverage --output docs/methods/estimate-cells.md --into docs/methods/estimate.md`` runs
every cell, 400 splits each, in about ten minutes on one idle core, and writes the table by world between the
marks of the methods page; cells that the output holds already, from as many splits, are kept (``--fresh`` runs them
again). ``--worlds irt,zencrowd`` runs those whose names begin so, ``--splits 50`` is a quick look. Real worlds need
the public data sets (``--data``); the truth is the held-back gold of all items. A cell is a world, a share of experts
and a metric; ``--method maven`` measures another method beside experts alone.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.estimate_worlds import World, metrics_of, true_values, worlds
from benchmarks.unseen_crowds import UNSEEN
from quorate._random import generator
from quorate._typing import Array
from quorate.estimating.assistance import Assistance, vote_columns
from quorate.estimating.evidence import Evidence
from quorate.estimating.methods import ASSISTED, EXPERTS_ALONE, METHODS, judge_all, tabulate
from quorate.estimating.methods.method import Method
from quorate.estimating.study import Study
from quorate.populations.crowds import choose_experts

DATA = Path("../shared/data")
CONFIDENCE = 0.95
FIRST = 100_000  # split of the tables: rules were chosen on others
MARK = "<!-- benchmarks.estimate_coverage -->"
HEAD = """# Every cell

What `python -m benchmarks.estimate_coverage` measured: coverage of 95 % intervals by [`estimate`](estimate.md) and by
expert labels alone (gt), mean width, both widths and errors as shares of gt's, bias, and how many expert labels the
rarest class had in the tenth split from below. The binomial error of a coverage from 400 splits is 0.011. Which rows
come from which splits is told there.

"""
COLUMNS = (
    "world",
    "experts",
    "metric",
    "splits",
    "coverage",
    "gt",
    "width",
    "width / gt",
    "error / gt",
    "bias",
    "fewest",
)
REAL = ("dices", "zencrowd", "sentiment", "chaosnli", "weather")
NEW = tuple(crowd.name for crowd in UNSEEN)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the cells and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=400)
    parser.add_argument("--first", type=int, default=FIRST, help="number of the first split")
    parser.add_argument("--worlds", default="")
    parser.add_argument("--method", default="assisted", choices=[name for name in METHODS if name != "gt"])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--output", type=Path, default=Path("estimate_coverage.md"))
    parser.add_argument("--into", type=Path)
    parser.add_argument("--fresh", action="store_true")
    given = parser.parse_args(arguments)
    wanted = tuple(given.worlds.split(",")) if given.worlds else ("",)
    rows = read_table(given.output) if given.output.exists() else []
    kept = [] if given.fresh else [row for row in rows if row["splits"] >= given.splits]
    done = {(row["world"], row["experts"]) for row in kept}
    every = worlds(given.data)
    for name, world in every.items():
        shares = [share for share in world.shares if (name, show_share(share)) not in done]
        if shares and name.startswith(wanted):
            numbers = range(given.first, given.first + given.splits)
            new = cells(name, world, shares, numbers, METHODS[given.method])
            again = {(row["world"], row["experts"]) for row in new}
            rows = [row for row in rows if (row["world"], row["experts"]) not in again] + new
            rows.sort(key=lambda row: [*every].index(row["world"]))
            given.output.write_text(HEAD + table(rows))
    if given.into is not None:
        before, _, rest = given.into.read_text().partition(MARK)
        given.into.write_text(f"{before}{MARK}\n\n{by_world(rows)}\n{summary(rows)}\n{MARK}{rest.partition(MARK)[2]}")


@dataclass(frozen=True)
class Drawn:
    """A world drawn once, for any number of experts: what the guess reads of its votes, and its true values."""

    world: World
    everything: Evidence  # all items labelled
    columns: Array  # of the guess

    @classmethod
    def of(cls, world: World, rng: np.random.Generator) -> "Drawn":
        """Draw a world."""
        everything = world.draw(rng)
        return cls(world, everything, vote_columns(everything))

    @cached_property
    def judged(self) -> Evidence:
        """The items that are judged."""
        group = self.world.group
        return self.everything if group is None else self.everything.keep(group(self.everything))

    @cached_property
    def truth(self) -> Mapping[str, float]:
        """What every metric is on the true labels, or in the population."""
        if self.world.target is not None:
            return self.world.target()
        metrics = metrics_of(self.judged, self.world.metrics)
        return true_values(self.judged, metrics, self.world.threshold)


def cells(
    name: str, world: World, shares: Sequence[float], splits: Sequence[int], method: Method = ASSISTED
) -> list[dict[str, Any]]:
    """Every metric of a world at some shares of experts, over splits with these numbers."""
    found: dict[tuple[float, str], list[list[float]]] = {}
    drawn: Drawn | None = None
    for number in splits:
        if drawn is None or not world.fixed:
            drawn = Drawn.of(world, generator(number, "estimate-coverage", name))
        for share in shares:
            hidden = _hide(world, drawn.everything, share, generator(number, "estimate-experts", name, repr(share)))
            if sorted(hidden.n_experts)[-2]:
                for metric, row in split(drawn, hidden, number, method):
                    found.setdefault((share, metric), []).append(row)
    print(name, *shares, flush=True)
    keys = sorted(found, key=lambda key: shares.index(key[0]))
    return [_row(name, share, metric, np.array(found[share, metric])) for share, metric in keys]


def split(drawn: Drawn, hidden: Evidence, number: int, method: Method) -> Iterator[tuple[str, list[float]]]:
    """One study: truth, then value, low and high, of the method and of experts alone, of every metric."""
    world = drawn.world
    items = Assistance(hidden, world.threshold, drawn.columns)
    if world.group is not None:
        items.guess()
        items = items.keep(world.group(drawn.everything))
    study = Study(items.evidence, threshold=world.threshold, population=world.population, seed=number, given=items)
    metrics, methods = metrics_of(items.evidence, world.metrics), [method, EXPERTS_ALONE]
    every = tabulate(study, judge_all(study, methods), methods, metrics, CONFIDENCE)
    rows = {(row.metric, row.method): row for row in reversed(every)}  # of several systems the first
    fewest = float(min(n for n in items.evidence.n_experts if n))
    for name, truth in drawn.truth.items():
        both = [rows[name, each.name] for each in methods if (name, each.name) in rows]
        numbers = [x for row in both for x in (row.value, row.low, row.high) if x is not None]
        if len(numbers) == 6 and not np.isnan(truth):
            yield name, [truth, *numbers, fewest]


def _hide(world: World, everything: Evidence, share: float, rng: np.random.Generator) -> Evidence:
    if world.hide is not None:
        return world.hide(everything, share, rng)
    count = share if share >= 2 else share * everything.n_items
    return replace(
        everything,
        has_label=choose_experts(everything.n_items, count / everything.n_items, rng=rng),
    )


def _row(name: str, share: float, metric: str, rows: Array) -> dict[str, Any]:
    truth, value, low, high, gt, gt_low, gt_high, rare = rows.T
    inside, gt_inside = (low <= truth) & (truth <= high), (gt_low <= truth) & (truth <= gt_high)
    numbers = {
        "splits": len(rows),
        "coverage": inside.mean(),
        "gt": gt_inside.mean(),
        "width": (high - low).mean(),
        "width / gt": (high - low).mean() / (gt_high - gt_low).mean(),
        "error / gt": np.abs(value - truth).mean() / max(np.abs(gt - truth).mean(), 1e-12),
        "bias": (value - truth).mean(),
        "fewest": np.quantile(rare, 0.1),
    }
    return {"world": name, "experts": show_share(share), "metric": metric, **numbers}


def show_share(share: float) -> str:
    """Write a share of experts, or their number."""
    return f"{share:.0%}" if share < 2 else f"{share:g}"


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Write the cells as a Markdown table."""
    lines = [f"| {' | '.join(COLUMNS)} |", "|" + "---|" * len(COLUMNS)]
    for row in rows:
        cells = [
            *(str(row[key]) for key in COLUMNS[:4]),
            *(f"{row[key]:.3f}" for key in COLUMNS[4:7]),
            *(f"{row[key]:.2f}" for key in COLUMNS[7:9]),
            f"{row['bias']:+.4f}",
            f"{row['fewest']:.0f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def read_table(path: Path) -> list[dict[str, Any]]:
    """Read cells back from a table."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in path.read_text().splitlines() if "|" in line]
    words = [dict(zip(COLUMNS, row, strict=True)) for row in rows[2:]]
    return [{**row, **{key: float(row[key]) for key in COLUMNS[4:]}, "splits": int(row["splits"])} for row in words]


def by_world(rows: Sequence[dict[str, Any]]) -> str:
    """Write a row per world and share of experts: the mean over its metrics, the worst in brackets."""
    heads = "| world | experts | metrics | coverage | of gt | width / gt | error / gt |"
    lines = [heads, "|" + "---|" * 7]
    for world, share in dict.fromkeys((row["world"], row["experts"]) for row in rows):
        part = [row for row in rows if (row["world"], row["experts"]) == (world, share)]
        worst = min(part, key=lambda row: row["coverage"])
        cover, gt, width, error = _columns(part)
        lines.append(
            f"| {world} | {share} | {len(part)} | {cover.mean():.3f} ({worst['coverage']:.3f} {worst['metric']}) | "
            f"{gt.mean():.3f} ({gt.min():.3f}) | {width.mean():.2f} ({width.max():.2f}) | {error.mean():.2f} |"
        )
    return "\n".join(lines) + "\n"


def summary(rows: Sequence[dict[str, Any]]) -> str:
    """Say how the cells lie: coverage, width and error, by kind of world; and which are below 0.93."""
    kinds = {
        "Simulated": [row for row in rows if not row["world"].startswith((*REAL, *NEW))],
        "Real": [row for row in rows if row["world"].startswith(REAL)],
        "Real, voters named": [row for row in rows if row["world"].startswith(REAL) and "chaosnli" not in row["world"]],
        "Worlds that only chose between intervals": [row for row in rows if row["world"].startswith(NEW)],
    }
    low = [f"{r['world']} {r['experts']} {r['metric']} {r['coverage']:.3f}" for r in rows if r["coverage"] < 0.93]
    lines = [_summarise(kind, part) for kind, part in kinds.items() if part]
    return "\n".join([*lines, f"- **Below 0.93**: {'; '.join(low) or 'none'}."]) + "\n"


def _summarise(kind: str, rows: Sequence[dict[str, Any]]) -> str:
    cover, gt, width, error = _columns(rows)
    most = max([row["width / gt"] for row in rows if row["fewest"] >= 5 and row["gt"] >= 0.92], default=np.nan)
    held = width[gt >= 0.92].mean()
    return (
        f"- **{kind}**: {len(rows)} cells, coverage {cover.mean():.3f} (lowest {cover.min():.3f}, "
        f"{(cover >= 0.93).mean():.1%} of the cells at or above 0.93; gt {gt.mean():.3f}, lowest {gt.min():.3f}); "
        f"width {width.mean():.3f} of gt's, {held:.3f} where gt covers 0.92, and there at most {most:.2f} if experts "
        f"have five labels of each class; error {error.mean():.2f} of gt's."
    )


def _columns(rows: Sequence[dict[str, Any]]) -> list[Array]:
    return [np.array([row[key] for row in rows]) for key in ("coverage", "gt", "width / gt", "error / gt")]


if __name__ == "__main__":
    main()
