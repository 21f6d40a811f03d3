"""Which items experts should label next: at random, or more often those whose label would tell most.

Item i is drawn with chance pi_i ~ sqrt(Var(D_i Y_i)) under the guess, the allocation of least variance
[neyman1934], mixed with equal chances so that no weight is extreme. Together with a first random sample of
m of n items its chance is m/n + (1 - m/n) pi_i, and its weight one over that. Where the first sample has weights the
chances of the others are not known; two unbiased totals are averaged instead (``_joint_weights``).
"""

import numpy as np
import polars as pl

from quorate._errors import InputError
from quorate._typing import Array
from quorate.estimating.intervals import label_variance
from quorate.estimating.label_metrics import LabelMetric
from quorate.estimating.methods.assisted import derive_metric
from quorate.estimating.study import Study

EVEN = 0.3
"""Share of the draw that goes to all items alike."""


def choose_items(
    study: Study,
    items: pl.Series,
    metric: LabelMetric,
    systems: tuple[str, ...],
    n_more: int,
    *,
    at_random: bool,
    rng: np.random.Generator,
    each_label: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Return item, label (empty where one is wanted) and weight: the next file of experts.

    Items with several labels have a row for each of them, as ``each_label`` has (item, response).
    """
    evidence = study.evidence
    if evidence.weight is not None and not at_random:
        raise InputError("--choose needs experts' items without weights, or --choose-by random.")
    left = ~evidence.has_label
    if n_more > int(left.sum()):
        raise InputError(f"--choose {n_more} is more than the {int(left.sum()):,} items without an expert label.")
    size = np.ones(evidence.n_items) if at_random else _sizes(study, metric, systems)
    chance = _chances(size, left, n_more)
    chosen = np.zeros(evidence.n_items, dtype=bool)
    chosen[draw_items(chance[left], np.flatnonzero(left), rng)] = True
    first = 1 - left.mean()
    weight = 1 / (first + (1 - first) * chance) if evidence.weight is None else _joint_weights(study, n_more)
    shown = chosen | evidence.has_label
    names = np.array([*evidence.classes, ""])[np.where(evidence.has_label, evidence.label, evidence.n_classes)]
    label = pl.Series("label", names[shown]).replace("", None)
    wanted = pl.DataFrame([items.filter(shown).alias("item"), label, pl.Series("weight", weight[shown])]).sort("item")
    return wanted if each_label is None else _every_label(wanted, each_label, evidence.classes)


def _every_label(wanted: pl.DataFrame, each_label: pl.DataFrame, classes: tuple[str, ...]) -> pl.DataFrame:
    """Put every expert's label in place of an item's one."""
    said = pl.col("response").replace_strict(list(range(len(classes))), list(classes), return_dtype=pl.String)
    every = each_label.select("item", said.alias("said")).sort("item", "said")
    rows = wanted.join(every, on="item", how="left", maintain_order="left_right")
    return rows.select("item", pl.coalesce("said", "label").alias("label"), "weight")


def _joint_weights(study: Study, n_more: int) -> Array:
    """Weights of a first sample of m items with weights w_i and N others drawn from the rest at random, ``(item,)``.

    The first sample has a total by itself, sum w_i y_i; and given it the others say what the rest is, so that
    sum_1 y_i + (n - m) / N sum_2 y_i is one too. They are averaged by m and N.
    """
    sample = study.assistance.sample
    share = sample.size / (sample.size + n_more)
    weight = np.full(sample.n_items, (1 - share) * (sample.n_items - sample.size) / n_more)
    weight[sample.experts] = share * sample.weight + 1 - share
    return weight


def draw_items(chance: Array, items: Array, rng: np.random.Generator) -> Array:
    """Draw items with these chances, a fixed number of them: every whole step of their sum, from a random start."""
    order = rng.permutation(len(items))
    reached = np.cumsum(chance[order]) + rng.random()
    return np.asarray(items[order[np.floor(reached) > np.floor(reached - chance[order])]])


def _sizes(study: Study, metric: LabelMetric, systems: tuple[str, ...]) -> Array:
    """How much each item's label is in doubt and matters, ``(item,)``, mean 1."""
    items = study.assistance
    found = derive_metric(metric, items, systems, items.pseudo(systems))
    slope = {k: np.broadcast_to(each, study.evidence.n_items) for k, each in found.slope.items()}
    doubt = np.sqrt(label_variance(slope, items.guess(systems).soft))
    return EVEN + (1 - EVEN) * doubt / max(float(doubt.mean()), 1e-300)


def _chances(size: Array, left: Array, n_more: int) -> Array:
    """Chances proportional to size, at most 1, that add up to ``n_more`` over the items left."""
    chance = np.zeros(len(size))
    scale = n_more / max(float(size[left].sum()), 1e-300)
    for _ in range(50):
        chance = np.minimum(size * scale, 1.0)
        total = float(chance[left].sum())
        if abs(total - n_more) < 1e-9 * n_more:
            break
        scale *= n_more / total
    return chance
