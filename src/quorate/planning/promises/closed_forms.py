"""What studies promise without drawing any: exactly on a lattice, and from four moments beyond few items.

Scores that count answers live on multiples of a step h, where sums tie and the normal limit
oscillates. Two laws are exact there: P(Σ null ≥ Σ alternative) by the N-th power of the Fourier
transform of null − alternative, and the power of the t test of N values in {−h, 0, h}, which
depends only on how many are not 0 and how many of those are above 0.

Whether a study passes a bound follows from its values alone. The pivot judges a bound b by the
variance that values would have if b were the truth [owen1988].
With e = y − b, M and Q the means of e and e², and weights ``1 / (n (1 + λ e))`` of mean 0, that
variance is ``M / λ − M²``, for ``λ Σ p e² = M − Σ p e``. So p ≤ α exactly where λ is at least

    λ₀ = c / M,    c = t² / (n − 1 + t²),

Student's own test being M / Q ≥ λ₀. As Σ e / (1 + λ e) falls with λ, one sum at λ₀ tells whether λ
lies above it, and nothing is solved. λ meets its bound where a value not yet seen takes the rest.
"""

from math import pi, sqrt

import numpy as np

from quorate._typing import Array
from quorate.inference.pivot import SEEN, SHARES
from quorate.inference.uncertain_variance import t_quantile

MOST_VALUES = 500
"""More distinct values than this are not taken for a lattice."""
MOST_POINTS = 2**17
"""Longest transform: beyond, ties hardly matter and the normal limit takes over."""
STEPS = 50


def lattice_step(*values: Array) -> float:
    """Return the step of the lattice through 0 that all values live on; 0 if there is none."""
    distinct = np.unique(np.round(np.abs(np.concatenate(values)), 12))
    distinct = distinct[distinct > 0]
    if len(distinct) == 0 or len(distinct) > MOST_VALUES:
        return 0.0
    step = float(distinct[0])
    for value in distinct[1:]:  # Euclid's algorithm on numbers known to about 1e-9
        step = _common_step(step, float(value))
    multiples = distinct / step
    whole = np.abs(multiples - np.round(multiples)).max() < 1e-5  # logarithms have no common step, whatever Euclid says
    return step if whole and step > 1e-4 * float(distinct[-1]) else 0.0


def transform_length(values: Array, null_values: Array, step: float, n_items: int, variance: float) -> int:
    """Return how many lattice points hold the sum of N items of null − alternative but for 1e-12 of its probability.

    Not more than it can reach, and by Bernstein's inequality not more than t to both sides of its
    mean, with t² / 2 = 30 (N σ² + b t / 3) for items no farther than b from theirs.
    """
    reach = float(np.ptp(values) + np.ptp(null_values))
    t = 10 * reach + np.sqrt(100 * reach**2 + 60 * n_items * variance)
    return int(min(n_items * reach, 2 * t) / step + 0.5) + 1


def tie_p(
    values: Array, weights: Array, null_values: Array, null_weights: Array, *, step: float, n_items: int, size: int
) -> float:
    """Return P(Σ null ≥ Σ alternative) over N items on a lattice, exact but for what lies beyond so many points."""
    from scipy.fft import irfft, next_fast_len, rfft

    size = next_fast_len(size, real=True)
    worlds = [(np.round(x / step).astype(int), w) for x, w in ((null_values, null_weights), (values, weights))]
    null, other = (rfft(np.bincount(places % size, weights=w, minlength=size)) for places, w in worlds)
    law = irfft((null * other.conj()) ** n_items, size)  # of the sum, modulo the number of points
    (up, up_weights), (down, down_weights) = worlds
    centre = n_items * float(up @ up_weights - down @ down_weights)
    low, high = n_items * int(up.min() - down.max()), n_items * int(up.max() - down.min())
    first = int(np.clip(np.ceil(centre - size / 2), low, max(low, high - size + 1)))
    return float(np.clip(law[np.arange(max(first, 0), first + size) % size].sum(), 0.0, 1.0))


def sum_law(values: Array, weights: Array, step: float, n_items: int) -> tuple[Array, Array]:
    """Return the values a sum of N items takes, on the lattice, and their probabilities."""
    from scipy.fft import irfft, next_fast_len, rfft

    places = np.round(values / step).astype(int)
    least, reach = int(places.min()), int(np.ptp(places))
    size = next_fast_len(n_items * reach + 1, real=True)
    one = np.bincount(places - least, weights=weights, minlength=size)
    chances = np.maximum(irfft(rfft(one) ** n_items, size)[: n_items * reach + 1], 0.0)
    return step * (n_items * least + np.arange(len(chances))), chances / chances.sum()


def quantiles(values: Array, chances: Array, at: list[float]) -> list[float]:
    """Return the smallest values, of ascending ones, that are not exceeded with these probabilities."""
    places = np.searchsorted(np.cumsum(chances), np.array(at) - 1e-12)
    return [float(values[min(place, len(values) - 1)]) for place in places]


def equally_spaced(values: Array) -> bool:
    """Tell whether there are two values, or three at equal distances; they must be sorted."""
    gaps = np.diff(values)
    return 2 <= len(values) <= 3 and bool(np.ptp(gaps) < 1e-9 * gaps[0])


def spaced_chance(values: Array, weights: Array, n_items: int, confidence: float, bound: float, reach: float) -> float:
    """Return P(lower end > bound) for equally spaced values: those of −h, 0 and h, moved.

    Where all items are alike only what could have gone unseen speaks.
    """
    centre, step = float(np.sort(values)[-2]), float(abs(values[1] - values[0]))
    below, above = (float(weights[at].sum()) for at in (values < centre, values > centre))
    t = float(t_quantile(n_items - 1.0, confidence))
    chance = trinomial_chance(below, above, step, n_items, t, bound - centre, centre=centre)
    alike = zip(values, weights, strict=True)
    silent = [w for value, w in alike if value > bound and not still_passes(value, n_items, confidence, bound, reach)]
    return max(chance - float((np.array(silent) ** n_items).sum()), 0.0)


def trinomial_chance(
    below: float, above: float, step: float, n_items: int, t: float, bound: float, *, centre: float = 0.0
) -> float:
    """Return P(lower end > bound) for N values that are −h, 0 or h, exactly; `centre` says where their 0 lies.

    With q = share of values not 0 and x the mean, both in units of h, s² = (q − x²) N / (N − 1), so
    Student's bound is passed where (N − 1 + t²) x² − 2 b (N − 1) x + b² (N − 1) − t² q > 0 above b:
    beyond its larger root. That is the whole test at 0, where the variance under the bound is the
    one seen; elsewhere more values above 0 may be needed.
    """
    from scipy.special import bdtrc, gammaln

    n, b = n_items, bound / step
    spread = 9 * np.sqrt(n * (below + above) * (1 - below - above)) + 9
    middle = n * (below + above)
    nonzero = np.arange(max(0, int(middle - spread)), min(n, int(middle + spread) + 1) + 1)
    log_chance = gammaln(n + 1.0) - gammaln(nonzero + 1.0) - gammaln(n - nonzero + 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_chance += np.where(nonzero > 0, nonzero * np.log(below + above), 0.0)
        log_chance += np.where(nonzero < n, (n - nonzero) * np.log1p(-min(below + above, 1.0)), 0.0)
    root = (b * (n - 1)) ** 2 - (n - 1 + t**2) * (b**2 * (n - 1) - t**2 * nonzero / n)
    least = np.where(root > 0, (b * (n - 1) + np.sqrt(np.maximum(root, 0.0))) / (n - 1 + t**2), b)
    most_failing = np.floor((nonzero + n * least) / 2 + 1e-9)  # values above 0 at which the bound is not yet passed
    if bound != 0 or centre != 0:
        most_failing = _most_failing(nonzero, most_failing, n, t, (centre, step, centre + bound))
    share = above / (below + above)
    passed = np.where(
        most_failing < 0,
        1.0,
        np.where(most_failing >= nonzero, 0.0, bdtrc(np.clip(most_failing, 0, nonzero), nonzero, share)),
    )
    return min(float(np.exp(log_chance) @ passed), 1.0)  # rounding of the logarithms adds up with many items


def _most_failing(nonzero: Array, plain: Array, n: int, t: float, lattice: tuple[float, float, float]) -> Array:
    """Return the most values above the centre at which the bound is not passed, at least Student's, by bisection."""
    centre, step, bound = lattice
    values = centre + step * np.array([-1.0, 0.0, 1.0])
    low = np.maximum(np.minimum(plain, nonzero), -1.0)
    high = nonzero + 1.0  # none passes
    for _ in range(int(np.log2(max(n, 2))) + 2):
        middle = np.minimum(np.floor((low + high) / 2), nonzero)
        shares = np.stack([nonzero - middle, n - nonzero, middle], -1) / n
        passed = tilt_passes(values, shares, bound, t**2 / (n - 1 + t**2)) & (middle >= 0)
        low, high = np.where(passed | (high - low <= 1), low, middle), np.where(passed, middle, high)
    return low


def passing_chance(distance: float, sd: float, skewness: float, kurtosis: float, n_items: int, t: float) -> float:
    """Return P(mean − t s / √N > bound) for items whose mean lies so far above the bound, from four moments of one.

    With s²/σ² = 1 + U, Var U = (κ + 2) / N and Cov(√N Γ/σ, U) = γ/√N, the end Γ − t s / √N has the
    mean and the variance written below, and skewness γ/√N to first order.
    """
    n, bend = float(n_items), kurtosis + 2.0
    mean = distance - t * sd * (1 - bend / (8 * n)) / sqrt(n)
    variance = sd**2 / n * max(1 - t * skewness / sqrt(n) + t**2 * bend / (4 * n), 0.05)
    return float(edgeworth(mean / sqrt(variance), skewness / sqrt(n)))


def tilted_quantile(
    distance: float, sd: float, skewness: float, kurtosis: float, skew_influence: tuple[float, float], n: int, t: float
) -> float:
    """Return t times the root of how much larger the variance under the bound is than the one seen, on average.

    A study with T = τ √N finds ``1 − g τ + (κ − g²) τ²`` times its own variance, at least once, with
    g its skewness; near the bound τ = t / √N, and g is about normal with the mean ``γ + c (t − ζ) /
    √N`` given the study's mean, ζ = distance √N / σ. Of one item's influence on g, `skew_influence`
    has the covariance c with the item and what is left of its variance.
    """
    from scipy.special import ndtr

    slope, left = skew_influence
    tau, signal = t / sqrt(n), distance * sqrt(n) / sd
    more = -(skewness + slope * (t - signal) / sqrt(n)) * tau + (kurtosis - skewness**2) * tau**2
    spread = max(tau * sqrt(left / n), 1e-9)
    return t * (1 + 0.5 * (more * float(ndtr(more / spread)) + spread * float(density(more / spread))))


def edgeworth(z: Array | float, skewness: Array | float) -> Array:
    """Return P(X > 0) for X with mean z, variance 1 and a little skewness: Φ(z) + skewness (z² − 1) φ(z) / 6."""
    from scipy.special import ndtr

    return np.asarray(np.clip(ndtr(z) + skewness * (z * z - 1) * density(z) / 6, 0.0, 1.0))


def equivalence(power: float, worse: float, below: float) -> float:
    """Return P(−margin < low ≤ 0 and high < margin); where intervals are short the ends move together."""
    return max(worse + below - 1.0, 0.0) - max(power + below - 1.0, 0.0)


def chance_error(chance: float, t: float, of_mean: float, of_spread: float) -> float:
    """Return the error of a chance Φ(z) of passing a bound, from relative errors of the mean and of the spread."""
    from scipy.special import ndtri

    z = float(ndtri(np.clip(chance, 1e-6, 1 - 1e-6)))
    return float(density(z) * np.hypot(of_mean, (z + t) * of_spread))


def normal_p(z: Array | float, of_mean: Array | float, of_spread: float) -> tuple[Array, Array]:
    """Return the expected p in the normal limit, Φ(−z), and its error from those of mean and spread."""
    from scipy.special import ndtr

    return np.asarray(ndtr(-z)), density(z) * np.hypot(of_mean, z * of_spread)


def density(z: Array | float) -> Array:
    """Return the standard normal density."""
    return np.asarray(np.exp(-0.5 * z * z) / sqrt(2 * pi))


def _common_step(a: float, b: float) -> float:
    while b > 1e-7 * max(a, 1.0):
        a, b = b, a % b
        if a - b < 1e-7 * max(a, 1.0):  # a remainder of nearly the whole step is none
            b = 0.0
    return a


def law_quantiles(values: Array, weights: Array, number: int) -> Array:
    """Return the law's quantiles at the middles of so many equal steps."""
    if (np.diff(values) < 0).any():
        order = np.argsort(values)
        values, weights = values[order], weights[order]
    cumulative = np.cumsum(weights)
    middles = (np.arange(number) + 0.5) / number
    return np.repeat(values, np.diff(np.searchsorted(middles, cumulative / cumulative[-1], side="right"), prepend=0))


def share_needed(n_items: int, confidence: float) -> float:
    """Return c above: M² over Q must be larger for Student's test to pass."""
    t = float(t_quantile(n_items - 1.0, confidence))
    return t**2 / (n_items - 1.0 + t**2)


def tilt_passes(values: Array, shares: Array, bound: float, needed: Array | float) -> Array:
    """Tell whether the lower end lies above a bound, ``(...)``, for values seen in these shares, ``(..., value)``.

    Values that were not seen have the share 0, and lie among those that were.
    """
    e, seen = values - bound, shares > 0
    mean, square = (e * shares).sum(-1), (e**2 * shares).sum(-1)
    size = np.where(seen, np.abs(values), 0.0).max(-1)
    far = np.where(seen, np.abs(e - mean[..., None]), 0.0).max(-1)
    farthest = -np.minimum(mean - far, -size - bound)
    with np.errstate(divide="ignore", invalid="ignore"):
        point = needed / mean
        tilted = np.where(seen, shares * e / (1 + point[..., None] * e), 0.0).sum(-1)
        within = (point * farthest <= 1 + 1e-12) & (tilted >= -1e-12 * size)
    plain = (mean > 0) & (mean**2 > needed * square * (1 + 1e-12))
    return np.asarray(plain & ((farthest <= 0) | within))


def still_passes(value: float, n_items: int, confidence: float, bound: float, reach: float) -> bool:
    """Tell whether n equal values pass a bound: what could have gone unseen has ``2 (1 − π)^n ≤ α``."""
    if value <= bound:
        return False
    share = min((value - bound) / max(reach + value, value - bound), 1.0)
    return bool(2 * (1 - share) ** n_items <= 1 - confidence + 1e-12)


def unseen_distance(n_items: int, error: float, confidence: float, bound: float, reach: float) -> float:
    """Return how far above a bound an estimate must lie where failures of size `reach` may have gone unseen.

    ``max_π (1 − π)^n p(μ) = α`` with ``(1 − π) μ − π reach = bound``, `error` the standard error.
    """
    from scipy.special import stdtr

    means = (bound + SHARES * reach) / (1 - SHARES)
    none_seen = (1 - SHARES) ** n_items
    low = float(t_quantile(n_items - 1.0, confidence)) * error
    high = low + float(reach - bound)
    for _ in range(STEPS):
        middle = 0.5 * (low + high)
        tails = 2 * stdtr(n_items - 1.0, -(bound + middle - means) / max(error, 1e-300))
        low, high = (middle, high) if (none_seen * tails).max() > 1 - confidence else (low, middle)
    return high


def chance_seen(values: Array, weights: Array, n_items: int, reach: float) -> float:
    """Return the chance that one of n items shows the largest possible difference."""
    largest = float(weights[np.abs(values) >= SEEN * reach].sum())
    return float(1 - (1 - min(largest, 1.0)) ** n_items)
