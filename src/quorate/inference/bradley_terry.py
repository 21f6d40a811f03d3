"""Strengths of systems from votes between pairs of them [bradley1952].

``P(a beats b) = 1 / (1 + exp(−(θ_a − θ_b)))``; a tie is half a win for each, and being shown first may add γ.
Newton's method on the tally of kinds of vote. Where some system never lost to, or never won against, the others, its
strength has no maximum: then a ridge of λ holds all of them, as if θ were normal with variance 1 / λ.
"""

from dataclasses import dataclass

import numpy as np

from quorate._typing import Array

RIDGE = 0.1
"""λ where strengths would run away; nothing elsewhere."""
STEPS, EXACT = 100, 1e-11
RUN_AWAY = 15.0
"""γ above which it has no maximum: 3 million votes to one for whoever is shown first."""


@dataclass(frozen=True)
class StrengthFit:
    """Strengths, and how surely the tally fixes them.

    Parameters
    ----------
    strength
        θ and, last, γ, ``(system + 1,)``; θ has mean 0 in each part of systems that votes link.
    inverse
        Inverse of the information, ``(system + 1, system + 1)``; nothing across parts.
    part
        The part each system belongs to, codes from 0, ``(system,)``.
    held
        Whether the ridge was needed.
    chance
        That the first system of each kind of vote is preferred, ``(kind,)``.
    """

    strength: Array
    inverse: Array
    part: Array
    held: bool
    chance: Array


def fit_strengths(
    first: Array, second: Array, vote: Array, times: Array, n_systems: int, side: Array | None = None
) -> StrengthFit:
    """Fit kinds of vote, ``(kind,)`` each, as in `Votes`, cast so many times; `side` brings γ in."""
    share, given = 0.5 * (1.0 + vote), side is not None and bool(np.any(side))
    side = np.zeros(len(first)) if side is None else side.astype(float)
    seen = times > 0
    part, strong = _parts(first[seen], second[seen], vote[seen], n_systems)
    held = len(np.unique(strong)) > len(np.unique(part))
    votes = _KindsOfVote(first, second, share, times.astype(float), side, n_systems)
    still = _still(part, given)
    ridge = np.append(np.full(n_systems, RIDGE if held else 0.0), 0.0)
    strength = _newton(votes, ridge, still)
    if given and not abs(strength[-1]) < RUN_AWAY:  # who is shown first decides all, or cannot be told from who it is
        ridge[-1] = RIDGE
        strength = _newton(votes, ridge, still)
    centred = strength.copy()
    centred[:-1] -= (np.bincount(part, strength[:-1]) / np.bincount(part))[part]
    information = votes.information(centred) + np.diag(ridge)
    return StrengthFit(centred, np.linalg.inv(information + still), part, held, votes.chance(centred))


@dataclass(frozen=True)
class _KindsOfVote:
    """The tally: the systems of each kind, the share of a win it is, how often it was cast, and who was shown first."""

    first: Array
    second: Array
    share: Array
    times: Array
    side: Array
    n_systems: int

    def chance(self, strength: Array) -> Array:
        """Return the chance that the first system of each kind is preferred."""
        return _chance(strength, self.first, self.second, self.side)

    def gradient(self, strength: Array) -> Array:
        """Return the derivative of the log likelihood."""
        rest = self.times * (self.share - self.chance(strength))
        return _sums(rest, self.first, self.second, self.side, self.n_systems)

    def information(self, strength: Array) -> Array:
        """Return minus its second derivative."""
        chance = self.chance(strength)
        return _information(self.times * chance * (1 - chance), self.first, self.second, self.side, self.n_systems)


def _newton(votes: _KindsOfVote, ridge: Array, still: Array) -> Array:
    """Return the strengths of the highest likelihood; nan where the votes do not fix them."""
    strength = np.zeros(votes.n_systems + 1)
    for _ in range(STEPS):
        gradient = votes.gradient(strength) - ridge * strength
        try:
            step = np.linalg.solve(votes.information(strength) + np.diag(ridge) + still, gradient)
        except np.linalg.LinAlgError:
            return np.full_like(strength, np.nan)
        step *= min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-300))
        strength = strength + step
        if np.abs(step).max() < EXACT:
            break
    return strength


def _chance(strength: Array, first: Array, second: Array, side: Array) -> Array:
    from scipy.special import expit

    return np.asarray(expit(strength[first] - strength[second] + side * strength[-1]))


def _sums(x: Array, first: Array, second: Array, side: Array, n_systems: int) -> Array:
    """Return Σ x (e_first − e_second, side), ``(system + 1,)``."""
    sums = np.bincount(first, x, n_systems + 1) - np.bincount(second, x, n_systems + 1)
    sums[-1] = x @ side
    return np.asarray(sums)


def _information(weight: Array, first: Array, second: Array, side: Array, n_systems: int) -> Array:
    """Return Σ weight x x', x = (e_first − e_second, side)."""
    size = n_systems + 1
    cells = np.zeros(size * size)
    for row, column, sign in (
        (first, first, 1.0),
        (second, second, 1.0),
        (first, second, -1.0),
        (second, first, -1.0),
    ):
        cells += sign * np.bincount(row * size + column, weight, size * size)
    table = cells.reshape(size, size)
    table[-1, :-1] = table[:-1, -1] = _sums(weight * side, first, second, side, n_systems)[:-1]
    table[-1, -1] = weight @ side**2
    return table


def _still(part: Array, sided: bool) -> Array:
    """Return what makes the information invertible: the mean of each part, and γ if no side is known, stay at 0."""
    size = len(part) + 1
    same = (part[:, None] == part) / np.bincount(part)[part]
    still = np.zeros((size, size))
    still[:-1, :-1] = same
    still[-1, -1] = 0.0 if sided else 1.0
    return still


def _parts(first: Array, second: Array, vote: Array, n_systems: int) -> tuple[Array, Array]:
    """Return the parts of systems that votes link, and those in which each is preferred, by steps, to each other."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    winner = np.concatenate([first[vote >= 0], second[vote <= 0]])
    loser = np.concatenate([second[vote >= 0], first[vote <= 0]])
    beats = coo_array((np.ones(len(winner)), (winner, loser)), shape=(n_systems, n_systems))
    linked = connected_components(beats, directed=False)[1]
    return linked, connected_components(beats, directed=True, connection="strong")[1]
