"""Curves with bands: ROC, precision against recall, and calibration, of drawn labels or of a corrected guess."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, Protocol, TypeAlias

import numpy as np
import polars as pl

from quorate._typing import Array
from quorate.estimating.assistance import Assistance
from quorate.estimating.derivatives import Derivative, Labels, precision_at, ratio, roc_at
from quorate.estimating.intervals import MeasuredNumber, interval, measure, measure_experts
from quorate.estimating.label_metrics import LabelDraws, calibration, precision_recall, roc
from quorate.estimating.methods.assisted import CLEARLY
from quorate.estimating.methods.method import equal_tails
from quorate.estimating.score_ranks import ScoreRanks

CurveKind: TypeAlias = Literal["roc", "precision-recall", "calibration"]
Point: TypeAlias = Callable[[Labels, ScoreRanks, float, int], Derivative]
"""A curve's height somewhere."""
BINS = 10  # of calibration, with about as many items each


class CurveSource(Protocol):
    """Whatever can draw a curve of one system."""

    def curve(self, kind: CurveKind, confidence: float, points: int) -> pl.DataFrame:
        """Return x, value, low, high; calibration has a bin's lowest score as x."""


@dataclass(frozen=True)
class DrawnCurves:
    """Curves of labels drawn many times: means, and quantiles as bands."""

    draws: LabelDraws

    def curve(self, kind: CurveKind, confidence: float, points: int) -> pl.DataFrame:
        """Return a curve with its band."""
        at = np.linspace(0, 1, points)
        if kind == "calibration":
            at, _, values = calibration(self.draws)
        else:
            at = at if kind == "roc" else at[1:]
            values = roc(self.draws, at) if kind == "roc" else precision_recall(self.draws, at)
        low, high = equal_tails(values, confidence)
        return pl.DataFrame({"x": at, "value": np.nanmean(values, axis=0), "low": low, "high": high})


@dataclass(frozen=True)
class AssistedCurves:
    """Curves in one step, theta(g) + sum_S w D(g) (Y - g_(-i)), point by point; ``alone`` for experts' items only."""

    items: Assistance
    system: str
    population: bool = False
    alone: bool = False

    def curve(self, kind: CurveKind, confidence: float, points: int) -> pl.DataFrame:
        """Return a curve with its band."""
        at = np.linspace(0, 1, points)
        if kind == "calibration":
            at, measured = self._bins()
        else:
            form, clearly = (roc_at, 1.0) if kind == "roc" else (precision_at, CLEARLY)
            at = at if kind == "roc" else at[1:]
            measured = [self._measure(partial(self._point, form, float(x)), clearly=clearly) for x in at]
        ends = [interval(each, confidence, bounded=True, rare=self._rare) for each in measured]
        lines = np.clip(np.column_stack([[each.value for each in measured], np.array(ends)]), 0.0, 1.0)
        if kind == "roc":
            # how many positives lie above every negative no sample can tell: none, or as many as the next point allows
            lines[0, 1:] = 0.0, lines[:2, 2].max()
            # a curve that climbs: put in order, band and curve only come nearer to it [chernozhukov2009]
            lines = np.sort(lines, axis=0)
        if kind == "precision-recall":
            lines[at * self._positives < 1, 2] = 1.0  # of so few positives experts have found none: all called may be
        return pl.DataFrame({"x": at, "value": lines[:, 0], "low": lines[:, 1], "high": lines[:, 2]})

    @property
    def _rare(self) -> float:
        return float(max(1, min(self.items.evidence.n_experts)))

    @property
    def _positives(self) -> float:
        """Experts' positives, were each as heavy as the heaviest."""
        weight = self.items.sample.weight * self.items.sample.label[:, 1]
        return float(weight.sum() / max(float(weight.max(initial=0.0)), 1e-300))

    def _point(self, form: Point, x: float, items: Assistance, labels: Labels) -> Derivative:
        return form(labels, items.ranks(self.system, 1), x, 1)

    def _bin(self, edges: Array, k: int, items: Assistance, labels: Labels) -> Derivative:
        inside = np.searchsorted(edges, items.evidence.scores[self.system], side="right") - 1 == k
        return ratio(labels, {1: inside.astype(float)}, {}, inside.astype(float))

    def _bins(self) -> tuple[Array, list[MeasuredNumber]]:
        score = self.items.evidence.scores[self.system]
        edges = np.unique(np.quantile(score, np.arange(BINS) / BINS, method="inverted_cdf"))
        return edges, [self._measure(partial(self._bin, edges, k)) for k in range(len(edges))]

    def _measure(self, derive: Callable[[Assistance, Labels], Derivative], clearly: float = 1.0) -> MeasuredNumber:
        """Judge one point of a curve; experts alone are heeded where they are ``clearly`` narrower."""
        items, sample = self.items, self.items.sample
        own = replace(
            sample,
            experts=np.arange(sample.size),
            cluster=None if sample.cluster is None else sample.cluster[sample.experts],
        )
        plain = derive(items.alone, Labels(sample.label, sample.weight))
        alone = measure_experts(own, plain, rare=self._rare, population=self.population)
        if self.alone:
            return alone
        guess = items.guess((self.system,))
        labels = guess.chance.copy()
        labels[sample.experts] = guess.own
        found = derive(items, Labels(labels, np.ones(sample.n_items)))
        step = sum(
            float(
                (sample.weight * np.broadcast_to(slope, sample.n_items)[sample.experts])
                @ (sample.label[:, k] - guess.own[:, k])
            )
            for k, slope in found.slope.items()
        )
        measured = measure(sample, guess, replace(found, value=found.value + step), population=self.population)
        return replace(measured, alone=replace(alone, clearly=clearly))
