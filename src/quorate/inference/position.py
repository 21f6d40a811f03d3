"""Side by side: what being shown first is worth, and a win margin without it.

With y the vote for A (1, 0, −1) and s the side A was shown on (1 first, −1 second), ``y = μ + β s + rest``: μ is the
win margin on neutral ground, β what being shown first is worth. Weighted least squares gives both; votes enter through
what each adds to μ or β, so that items and raters count as they do in any mean:

    β̂ = Σ w (s − s̄) y / v,  v = Σ w (s − s̄)²,   μ̂ = ȳ − β̂ s̄.
"""

from dataclasses import dataclass

import numpy as np

from quorate._typing import Array

LOPSIDED, CHANCE = 0.05, 3.0
"""Sides are unbalanced if their mean is farther from 0 than this, and than so many standard errors of tossed sides."""


@dataclass(frozen=True)
class SideEffect:
    """What being shown first does.

    Parameters
    ----------
    mean_side
        s̄ above: 1 if A was always shown first, −1 if B was, 0 if both as often.
    known, told
        Whether any side is known, and whether both sides occur, so that the effect can be told.
    unbalanced
        Whether one system was shown first more often than chance would have it.
    effect
        β̂, in units of the margin; nan if it cannot be told.
    values
        What each kind of vote says of β̂, ``(kind,)``; their weighted mean is β̂.
    margins
        The same for μ̂ if sides are unbalanced; else the votes themselves.
    """

    mean_side: float
    known: bool
    told: bool
    unbalanced: bool
    effect: float
    values: Array
    margins: Array


def side_effect(vote: Array, side: Array, weight: Array, n_votes: float) -> SideEffect:
    """Return what sides do to kinds of vote, ``(kind,)``, that weigh so much in the mean."""
    weight = weight / weight.sum()
    mean_side, mean = float(weight @ side), float(weight @ vote)
    spread = float(weight @ (side - mean_side) ** 2)
    known, told = bool(np.any(side)), spread > 1e-9
    unbalanced = abs(mean_side) > max(LOPSIDED, CHANCE / np.sqrt(n_votes))
    if not told:
        return SideEffect(mean_side, known, told, unbalanced, np.nan, np.full(len(vote), np.nan), vote.astype(float))
    effect = float(weight @ ((side - mean_side) * vote)) / spread
    neutral = mean - effect * mean_side
    lean = (side - mean_side) / spread
    rest = vote - neutral - effect * side
    margins = neutral + rest * (1 - mean_side * lean) if unbalanced else vote.astype(float)
    return SideEffect(mean_side, known, told, unbalanced, effect, effect + rest * lean, margins)
