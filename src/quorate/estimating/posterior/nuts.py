"""The reference engine: the No-U-Turn sampler of NumPyro, in two stages as the paper runs it [maven, sec. 3.3].

Slower by a factor of thirty and heavier by two large packages; it is here to check the fast engine
against, and for the rare data set on which importance sampling fails. Needs ``pip install
quorate[nuts]``.
"""

from typing import Any

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.estimating.posterior.cut import ScoreDraws, VoteDraws
from quorate.estimating.score_model import (
    AHEAD,
    APART,
    PRIOR_SD,
    PRIOR_SLOPE,
    CalibratedWins,
    ScoreModel,
    Wins,
    win_kernel,
)
from quorate.estimating.vote_model import HIGH, LOW, VoteLaw, VoteParameters, VoteSets

WARMUP, CHAINS = 1000, 4
SETTLE = 200
"""Steps each score chain takes before its last point is kept; the paper found 10 enough after a shared warm-up."""


def sample_votes_nuts(sets: VoteSets, *, size: int = 500, thin: int = 4, seed: int = 0) -> VoteDraws:
    """Draw the vote model's parameters: four chains, ``thin`` times as many draws as are kept."""
    jax, numpyro = _require()
    steps = -(-size * thin // CHAINS)
    kernel = numpyro.infer.NUTS(_vote_model, target_accept_prob=0.9)
    chains = numpyro.infer.MCMC(
        kernel,
        num_warmup=WARMUP,
        num_samples=steps,
        num_chains=CHAINS,
        chain_method="vectorized",
        progress_bar=False,
    )
    chains.run(jax.random.PRNGKey(seed), sets.positive, sets.total, sets.possible, sets.evidence)
    samples = {name: np.asarray(values) for name, values in chains.get_samples(group_by_chain=True).items()}
    summary = numpyro.diagnostics.summary(samples, group_by_chain=True)
    kept = np.random.default_rng(seed).permutation(CHAINS * steps)[:size]
    parameters = _parameters({name: values.reshape(CHAINS * steps)[kept] for name, values in samples.items()})
    return VoteDraws(
        parameters,
        k_hat=-1.0,
        effective=float(min(each["n_eff"].min() for each in summary.values())),
        fallback=False,
        r_hat=float(max(each["r_hat"].max() for each in summary.values())),
        chains=samples,
    )


def sample_scores_nuts(law: VoteLaw, wins: Wins, model: ScoreModel, *, seed: int = 0) -> ScoreDraws:
    """Run one short chain of (mu, delta) per draw of the vote model, side by side, and keep where each ends."""
    jax, _ = _require()
    from numpyro.infer.hmc import hmc

    init, step = hmc(
        potential_fn_gen=lambda kernel: lambda free: -_score_density(jax, model, wins, free, kernel), algo="NUTS"
    )

    def end_of_chain(key: Any, kernel: Any) -> Any:
        state = init(jax.numpy.zeros(2), num_warmup=SETTLE, rng_key=key, model_args=(kernel,))
        return jax.lax.fori_loop(0, SETTLE + 20, lambda _, now: step(now, model_args=(kernel,)), state).z

    run = jax.jit(jax.vmap(end_of_chain))
    ends, batch = [], 100
    keys = jax.random.split(jax.random.PRNGKey(seed + 1), len(law))
    for low in range(0, len(law), batch):
        kernel = win_kernel(law[low : low + batch].mixed(wins.groups.mix), wins.groups.pairs)
        ends.append(np.asarray(run(keys[low : low + batch], kernel)))
    point = model.bound(np.concatenate(ends))
    return ScoreDraws(point[:, 0], point[:, 1], k_hat=-1.0, effective=1.0)


def to_arviz(draws: VoteDraws, scores: ScoreDraws | None = None) -> Any:
    """Hand the draws to ArviZ as InferenceData: chains if NUTS made them, else one chain of independent draws."""
    try:
        import arviz
    except ImportError:
        raise _missing("arviz") from None
    p = draws.parameters
    flat = {"phi": p.prevalence, "a0": p.rate[:, 0], "a1": p.rate[:, 1], "d0": p.scale[:, 0], "d1": p.scale[:, 1]}
    if scores is not None:
        flat |= {"mu": scores.shift, "delta": scores.slope}
    posterior = {name: values[None] for name, values in flat.items()}
    if draws.chains is not None and scores is None:
        posterior = dict(draws.chains)
    return arviz.from_dict(posterior=posterior)


def _vote_model(positive: Array, total: Array, possible: Array, evidence: Array) -> None:
    """Write the vote model once more, in NumPyro's own words [maven, sec. 3.2.1]."""
    import jax.numpy as jnp
    import numpyro
    from jax.scipy.special import betaln
    from numpyro import distributions as dist

    phi = numpyro.sample("phi", dist.Uniform(0, 1))
    a1 = numpyro.sample("a1", dist.Beta(2, 1))  # with a0 / a1 uniform: uniform on the triangle
    share = numpyro.sample("share", dist.Uniform(0, 1))
    correlation = [numpyro.sample(f"lambda{y}", dist.Uniform(LOW, HIGH)) for y in (0, 1)]
    joint = []
    for y, rate in ((0, a1 * share), (1, a1)):
        scale = 1 / correlation[y] - 1
        alpha, beta = rate * scale, (1 - rate) * scale
        votes = betaln(alpha + positive, beta + total - positive) - betaln(alpha, beta)
        label = jnp.log(phi if y else 1 - phi)
        joint.append(jnp.where(possible[:, y], label + votes, -1e30))
    numpyro.factor("votes", (jnp.logaddexp(*joint) * evidence).sum())


def _parameters(samples: dict[str, Array]) -> VoteParameters:
    rate = np.stack([samples["a1"] * samples["share"], samples["a1"]], -1)
    scale = np.stack([1 / samples[f"lambda{y}"] - 1 for y in (0, 1)], -1)
    return VoteParameters(samples["phi"], rate, scale)


def _score_density(jax: Any, model: ScoreModel, wins: Wins, free: Any, kernel: Any) -> Any:
    """Log posterior of one free point, as in score_model.py but differentiable."""
    jnp, ndtr = jax.numpy, jax.scipy.special.ndtr

    def excess(shift: Any, slope: Any) -> Any:
        lags = jnp.concatenate([slope * AHEAD, shift + slope * APART])
        return ndtr(lags / np.sqrt(2)) - 0.5

    slope_prior = -jnp.abs(free[1]) / PRIOR_SLOPE
    if isinstance(model, CalibratedWins):
        miss = model.target - model.root @ (kernel @ excess(free[0], free[1]))
        return -0.5 * (miss**2).sum() - 0.5 * (free[0] / PRIOR_SD) ** 2 + slope_prior
    first, second = (wins.groups.size[side] for side in wins.groups.pairs)
    rate = jnp.clip(0.5 + kernel @ excess(jnp.exp(free[0]), free[1]), 1e-9, 1 - 1e-9)
    above, both = rate / (2 - rate) - rate**2, 2 * rate**2 / (1 + rate) - rate**2
    variance = (rate * (1 - rate) + (first - 1) * above + (second - 1) * both) / (first * second)
    variance = jnp.maximum(variance, 0.25 / (first * second) ** 2)
    likelihood = -0.5 * (wins.rate - rate) ** 2 / variance - 0.5 * jnp.log(variance)
    return likelihood.sum() - free[0] - jnp.exp(-free[0]) + slope_prior


def _require() -> tuple[Any, Any]:
    try:
        import jax
        import numpyro
        import numpyro.diagnostics
        import numpyro.infer
    except ImportError:
        raise _missing("numpyro") from None
    jax.config.update("jax_enable_x64", True)
    return jax, numpyro


def _missing(package: str) -> InputError:
    return InputError(
        f"{package} is not installed: pip install 'quorate[nuts]', or use the fast engine (--engine fast)."
    )
