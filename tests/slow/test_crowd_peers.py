"""PPI against ppi-python, Dawid-Skene against crowd-kit, metrics against scikit-learn, on the same data."""

import numpy as np
import pytest

from quorate.estimating.assistance import Assistance
from quorate.estimating.derivatives import Labels
from quorate.estimating.evidence import Evidence
from quorate.estimating.label_metrics import METRICS, class_metrics
from quorate.estimating.methods.assisted import derive_metric, measure_assisted
from quorate.estimating.methods.baselines import powered_mean
from quorate.estimating.voters import NamedVotes, fit_voters
from quorate.populations.crowds import irt_crowd

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),
]  # of the peers and what they import
RATES = ("precision", "recall", "f1")
PEERS = "peers are an extra: pip install 'quorate[peers]'"


@pytest.mark.parametrize(("n", "rest", "noise"), [(50, 2000, 0.3), (400, 600, 1.0), (30, 30, 0.05), (100, 5000, 50.0)])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_powered_mean_is_ppi_pythons(n: int, rest: int, noise: float, confidence: float) -> None:
    ppi_py = pytest.importorskip("ppi_py", reason=PEERS)
    rng = np.random.default_rng(n)
    gold = rng.integers(0, 2, n).astype(float)
    proxy = gold + noise * rng.normal(size=n)
    more = rng.integers(0, 2, rest) + noise * rng.normal(size=rest)
    ours = powered_mean(gold, proxy, more, confidence=confidence)
    value = ppi_py.ppi_mean_pointestimate(gold, proxy, more)
    low, high = ppi_py.ppi_mean_ci(gold, proxy, more, alpha=1 - confidence)
    assert ours.value == pytest.approx(float(np.squeeze(value)), abs=1e-10)
    assert (ours.low, ours.high) == pytest.approx((float(np.squeeze(low)), float(np.squeeze(high))), abs=1e-10)


def test_the_assisted_share_is_ppi_pythons_with_lambda_one() -> None:
    # what ppi calls unlabelled are all items here; experts' own chances are those without their label
    ppi_py = pytest.importorskip("ppi_py", reason=PEERS)
    crowd = irt_crowd(1000, rng=np.random.default_rng(3), scores=((1.0, 1.5),))
    known = np.arange(1000) < 150
    evidence = Evidence.binary(crowd.positive, crowd.total, crowd.truth, known, {"s": crowd.scores[:, 0]})
    items = Assistance(evidence)
    guess, gold = items.guess(), items.sample.label[:, 1]
    every = np.concatenate([guess.own[:, 1], guess.chance[~known, 1]])
    value = ppi_py.ppi_mean_pointestimate(gold, guess.own[:, 1], every, lam=1)
    ours = measure_assisted(items, METRICS["prevalence"], ("s",))
    assert ours.value == pytest.approx(float(np.squeeze(value)), abs=1e-10)


def test_voters_are_crowd_kits() -> None:
    aggregation = pytest.importorskip("crowdkit.aggregation", reason=PEERS)
    pandas = pytest.importorskip("pandas")
    crowd = irt_crowd(300, rng=np.random.default_rng(5), n_voters=20, n_votes=5)
    assert crowd.rater is not None
    assert crowd.vote is not None
    item, rater, vote = np.repeat(np.arange(300), 5), crowd.rater.ravel(), crowd.vote.ravel()
    table = pandas.DataFrame({"task": item, "worker": rater, "label": vote})
    for iterations in (1, 5, 50):
        theirs = aggregation.DawidSkene(n_iter=iterations, tol=0.0).fit(table)
        ours = fit_voters(NamedVotes(item, rater, vote), 300, iterations=iterations)
        assert ours.chance[:, 1] == pytest.approx(theirs.probas_.sort_index()[1].to_numpy(), abs=1e-8)
        rates = theirs.errors_.xs(1, level="label").sort_index()
        assert ours.rate[:, :, 1] == pytest.approx(rates[[0, 1]].to_numpy(), abs=1e-8)
        assert ours.prevalence[1] == pytest.approx(theirs.priors_[1], abs=1e-8)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_metrics_on_full_labels_are_scikit_learns(n_classes: int) -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason=PEERS)
    rng, n = np.random.default_rng(n_classes), 600
    truth = rng.integers(0, n_classes, n)
    raw = np.round(2 * np.eye(n_classes)[truth] + rng.normal(size=(n, n_classes)), 1)  # with ties
    every = np.ones(n, dtype=bool)
    if n_classes == 2:
        evidence, known, score = Evidence.binary(truth, every * 1, truth, every, {"s": raw[:, 1]}), METRICS, raw[:, 1]
        called, plain = (score >= 1.0).astype(int), {"average": "binary"}
        same = {"auc": metrics.roc_auc_score(truth, score), "tpr": metrics.recall_score(truth, called)}
    else:
        names = tuple("abcd")
        evidence = Evidence(np.eye(4)[truth], truth, every, classes=names, named=True, outputs={"s": raw})
        known, called, plain = class_metrics(names), raw.argmax(1), {"average": "macro"}
        ones = zip(names, metrics.recall_score(truth, called, average=None), strict=True)
        areas = {f"auc:{name}": metrics.roc_auc_score(truth == k, raw[:, k]) for k, name in enumerate(names)}
        same = {f"recall:{name}": value for name, value in ones} | areas
    head = "macro_" if n_classes > 2 else ""
    same |= {f"{head}{name}": metrics.__dict__[f"{name}_score"](truth, called, **plain) for name in RATES}
    same["accuracy"] = metrics.accuracy_score(truth, called)
    items = Assistance(evidence, 1.0)
    labels = Labels(np.eye(n_classes)[truth], np.ones(n))
    ours = {name: derive_metric(known[name], items, ("s",), labels).value for name in same}
    assert ours == pytest.approx(same, abs=1e-12)
