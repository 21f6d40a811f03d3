"""Do the intervals of `estimate` hold? Coverage, error and width over simulated studies, beside expert labels alone.

``python -m benchmarks.estimate_coverage --output table.md`` runs everything; with ``--resume`` it goes on where it was
stopped. Worlds: ``irt`` (n = 10 000, four shares of experts), ``irt-4000`` and ``maven-4000`` (10 % experts, with the
published mode beside ours), ``useless`` (scores that are pure noise) and ``echo`` (scores that follow the votes and
know nothing else of the label).
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from quorate._random import generator
from quorate._tasks import run_tasks
from quorate.estimating.evidence import Evidence
from quorate.estimating.label_metrics import METRICS, LabelDraws
from quorate.estimating.methods import judge
from quorate.estimating.methods.method import equal_tails
from quorate.estimating.study import Study
from quorate.populations.crowds import Crowd, choose_experts, irt_crowd, maven_crowd

METRIC_NAMES = ("auc", "human_tnr", "delta_tpr")
CONFIDENCE = 0.95
WIDEST = {"auc": 0.8, "delta_tpr": 0.75}  # of the experts' own width, at 2 to 10 % experts
WORLDS = {
    "irt": (10_000, (0.02, 0.05, 0.1, 0.2), ("calibrated",)),
    "useless": (10_000, (0.05,), ("calibrated",)),
    "irt-4000": (4_000, (0.1,), ("calibrated", "paper")),
    "echo": (10_000, (0.05,), ("calibrated", "paper")),
    "maven-4000": (4_000, (0.1,), ("calibrated", "paper")),
}


def replicate(world: str, share: float, number: int, draws: int) -> dict[str, Any]:
    """One simulated study: for every metric the truth, and value, low, high of expert labels alone and of each mode."""
    n_items, _, modes = WORLDS[world]
    rng = generator(number, "estimate-coverage", world.split("-")[0], n_items)
    crowd = _crowd(world, n_items, rng)
    known = choose_experts(n_items, share, rng=generator(number, "estimate-coverage", "experts", repr(share)))
    scores = {"system": crowd.scores[:, 0]}
    evidence = Evidence.binary(crowd.positive, crowd.total, crowd.truth, known, scores)
    every = Evidence.binary(crowd.positive, crowd.total, crowd.truth, np.ones(n_items, dtype=bool), scores)
    truth = judge(Study(every, n_draws=1), "gt", "system").plain
    experts = judge(Study(evidence, n_draws=draws, seed=number), "gt", "system")
    assert truth is not None
    assert experts.plain is not None
    found: dict[str, Any] = {"truth": {name: float(METRICS[name](truth)[0]) for name in METRIC_NAMES}}
    found["gt"] = _summary(experts.draws, experts.plain)
    for mode in modes:
        study = Study(evidence, n_draws=draws, mode="paper" if mode == "paper" else "calibrated", seed=number)
        found[mode] = _summary(judge(study, "maven", "system").draws, None)
    return found


def _crowd(world: str, n_items: int, rng: np.random.Generator) -> Crowd:
    if world.startswith("maven"):
        return maven_crowd(n_items, rng=rng)
    scores = {"useless": (0.0, 0.0), "echo": (0.0, 2.0)}.get(world, (1.0, 1.5))
    return irt_crowd(n_items, rng=rng, scores=(scores,))


def _summary(draws: LabelDraws, plain: LabelDraws | None) -> dict[str, list[float]]:
    rows = {}
    for name in METRIC_NAMES:
        values = METRICS[name](draws)
        value = values.mean() if plain is None else METRICS[name](plain)[0]
        ends = equal_tails(values, CONFIDENCE)
        rows[name] = [float(value), float(ends[0]), float(ends[1])]
    return rows


def table(results: dict[str, dict[str, Any]]) -> str:
    """Write coverage, mean error and width by world, share, metric and method as a Markdown table."""
    lines = [
        "| world | experts | metric | method | replicates | coverage | mean abs. error | bias | width | width / gt |"
    ]
    lines.append("|" + "---|" * 10)
    cells = sorted(
        {tuple(key.split("/")[:2]) for key in results}, key=lambda cell: (list(WORLDS).index(cell[0]), cell[1])
    )
    for world, share in cells:
        found = [result for key, result in results.items() if key.startswith(f"{world}/{share}/")]
        for metric in METRIC_NAMES:
            for method in ("gt", *WORLDS[world][2]):
                lines.append(f"| {world} | {float(share):.0%} | {metric} | {method} | {_cell(found, metric, method)} |")
    return "\n".join(lines) + "\n"


def _cell(found: Sequence[dict[str, Any]], metric: str, method: str) -> str:
    truth = np.array([each["truth"][metric] for each in found])
    value, low, high = np.array([each[method][metric] for each in found]).T
    alone = np.array([each["gt"][metric] for each in found])
    error, own = np.abs(value - truth), (high - low).mean()
    parts = [
        str(len(found)),
        f"{((low <= truth) & (truth <= high)).mean():.3f}",
        f"{error.mean():.4f} ± {error.std(ddof=1) / np.sqrt(len(found)):.4f}",
        f"{(value - truth).mean():+.4f}",
        f"{own:.4f}",
        f"{own / (alone[:, 2] - alone[:, 1]).mean():.2f}",
    ]
    return " | ".join(parts)


def checks(results: dict[str, dict[str, Any]]) -> str:
    """Say for every cell whether what was promised holds: error, width and coverage."""
    lines = []
    for share in WORLDS["irt"][1]:
        found = [result for key, result in results.items() if key.startswith(f"irt/{share}/")]
        for metric in METRIC_NAMES if found else ():
            truth = np.array([each["truth"][metric] for each in found])
            ours, alone = (np.array([each[name][metric] for each in found]) for name in ("calibrated", "gt"))
            worse = np.abs(ours[:, 0] - truth) - np.abs(alone[:, 0] - truth)
            slack = 2 * worse.std(ddof=1) / np.sqrt(len(worse))
            ratio = (ours[:, 2] - ours[:, 1]).mean() / (alone[:, 2] - alone[:, 1]).mean()
            most = WIDEST.get(metric, 1.0) if share <= 0.1 else 1.0
            cover = ((ours[:, 1] <= truth) & (truth <= ours[:, 2])).mean()
            lines.append(
                f"- irt {share:.0%} {metric}: error − gt's {worse.mean():+.4f} (allowed {slack:.4f}) "
                f"{_kept(worse.mean() <= slack)}, width / gt's {ratio:.3f} (allowed {most:g}) {_kept(ratio <= most)}, "
                f"coverage {cover:.3f} {_kept(cover >= 0.92)}"
            )
    found = [result for key, result in results.items() if key.startswith("useless/")]
    if found:
        rows = np.array([each["calibrated"]["auc"] for each in found])
        inside = ((rows[:, 1] <= 0.5) & (rows[:, 2] >= 0.5)).mean()
        lines.append(
            f"- useless: the AUC interval contains 0.5 in {inside:.3f} of {len(found)} (at least 0.90 promised)"
        )
    return "\n".join(lines) + "\n"


def _kept(promise: bool) -> str:
    return "holds" if promise else "FAILS"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the replicates and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=200)
    parser.add_argument("--draws", type=int, default=300)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--worlds", default=",".join(WORLDS))
    parser.add_argument("--shares", default="")
    parser.add_argument("--output", type=Path, default=Path("estimate_coverage.md"))
    parser.add_argument("--resume", action="store_true")
    given = parser.parse_args(arguments)
    shares = {float(share) for share in given.shares.split(",") if share}
    tasks = {
        f"{world}/{share}/{number}": (world, share, number, given.draws)
        for number in range(given.replicates)
        for world in given.worlds.split(",")
        for share in WORLDS[world][1]
        if not shares or share in shares
    }
    journal = given.output.with_suffix(".jsonl")
    results = run_tasks(
        replicate,
        tasks,
        settings={"draws": given.draws},
        workers=given.workers,
        journal=journal,
        resume=given.resume,
        label="estimate coverage",
    )
    given.output.write_text(table(results) + "\n" + checks(results))


if __name__ == "__main__":
    main()
