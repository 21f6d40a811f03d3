"""Prediction-powered means by the formula."""

import numpy as np
import pytest

from quorate.estimating.methods.ppi import powered_mean


def test_powered_mean_by_the_formula() -> None:
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 2, 40).astype(float)
    proxy, rest = 0.3 * gold + 0.7 * rng.random(40), rng.random(400)
    found = powered_mean(gold, proxy, rest, confidence=0.9)
    # lambda = Cov(y, f) / ((1 + n/N) Var f), the covariance over n, the variance of both samples over n + N - 1
    power = np.cov(gold, proxy, ddof=0)[0, 1] / ((1 + 40 / 400) * np.var(np.append(proxy, rest), ddof=1))
    value = power * rest.mean() + np.mean(gold - power * proxy)
    error = np.sqrt(np.var(power * rest) / 400 + np.var(gold - power * proxy) / 40)
    assert found == pytest.approx((value, value - 1.6448536 * error, value + 1.6448536 * error, power), rel=1e-6)


def test_useless_proxy_leaves_the_plain_mean() -> None:
    gold = np.array([0.0, 1.0, 1.0, 0.0])
    assert powered_mean(gold, np.ones(4), np.ones(9)).value == 0.5
