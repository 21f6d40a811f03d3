"""What is refused and what is doubted: too few experts, experts chosen by score, votes the model does not describe."""

from collections.abc import Mapping, Sequence
from operator import itemgetter
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from scipy.special import chdtrc, fdtrc, ndtri

from quorate._errors import InputError
from quorate._random import generator
from quorate._text import count, joined
from quorate._typing import Array
from quorate.estimating.assistance import numbers_of
from quorate.estimating.evidence import Evidence
from quorate.estimating.methods import ASSISTED, METHODS
from quorate.estimating.methods.method import Estimate, Method
from quorate.estimating.score_model import join_neighbours
from quorate.estimating.score_ranks import ScoreRanks
from quorate.estimating.study import Study, VoteFit

FEW_EXPERTS = 10  # of either class: with fewer, intervals are very wide
DOUBTFUL = 0.01  # p below which to warn
BINS = 5  # of score ranks within a vote count
REFUSED, FAR = 1e-6, 0.1  # p and moved share at which no method here can be trusted
FEW_KEYS = 1 << 15  # that are sorted by their digits, without comparing them
GROUPS, FEWEST = 8, 10  # groups of ballots, and experts in each
TOUCHED = 0.8  # of the documents that items drawn one by one would be in; fewer: documents were drawn
UNLIKE = 0.5  # of the labels, as many as weights that are alike would need for the same variance
APART = 2.0  # standard errors between the model's estimate and the assisted one at which it is not shown


class Selection(NamedTuple):
    """How unlike a random sample the experts' items are: p, and the share of them in the wrong fifth of ranks."""

    p_value: float
    moved: float


class VoteMisfit(NamedTuple):
    """P of the test; and in the worst group the experts' items, their positives, and the positives expected."""

    p_value: float
    items: int
    positive: int
    expected: float


def check_evidence(evidence: Evidence, source: object = None, scores: object = None) -> list[str]:
    """Refuse evidence no method can use, and say what makes the rest doubtful.

    ``source`` is the experts' file, ``scores`` that of scores.
    """
    counts = evidence.n_experts
    if sum(counts) == 0:
        raise InputError(
            "there are no expert labels: votes alone do not tell good voters from bad ones; have some items, chosen at "
            "random, labelled by experts and name the file with --experts."
        )
    if max(counts) == sum(counts):
        names = evidence.classes if evidence.named else ("negative", "positive")
        of = _named(" of ", source)
        raise InputError(
            f"all {sum(counts)} expert labels{of} are {names[int(np.argmax(counts))]}: nothing is known of the other "
            f"class{'es' if evidence.n_classes > 2 else ''}; have more items, chosen at random, labelled by experts."
        )
    labelled, voted = int(evidence.has_label.sum()), int((evidence.total > 0).sum())
    if labelled > voted and evidence.total.max() <= 1:
        raise InputError(
            f"experts label {count(labelled, 'item')}, and only {count(voted, 'item')} have a vote, one each: name the "
            "votes first, then the experts and the scores."
        )
    for name, score in evidence.scores.items():
        _check_scores(name, score, scores)
    for name, output in evidence.outputs.items():
        _check_scores(name, output.ravel(), scores)
    if evidence.named:
        return [*_unlike_weights(evidence), *_unlike_classes(evidence), *_places(evidence)]
    return [*_unlike_weights(evidence), *_few_experts(*counts), *_separated(evidence)]


def _unlike_weights(evidence: Evidence) -> list[str]:
    """Say that few items speak for most where weights are very unlike: what the heaviest hide is not seen."""
    if evidence.weight is None:
        return []
    weight = evidence.weight[evidence.has_label]
    alike = float(weight.sum() ** 2 / (weight**2).sum())
    if alike >= UNLIKE * len(weight):
        return []
    return [
        f"the weights of {count(len(weight), 'expert label')}, {weight.min():.3g} to {weight.max():.3g}, are so unlike "
        f"that they count as {alike:,.0f}: intervals miss more often where the few items of the heaviest kind are not "
        "like those nobody saw; have more of these labelled."
    ]


def _unlike_classes(evidence: Evidence) -> list[str]:
    """Say which classes only experts, or only voters, know, and which experts hardly ever found."""
    rows = list(zip(evidence.classes, evidence.n_experts, evidence.votes.sum(0).tolist(), strict=True))
    doubts = [f"no voter ever says '{name}', which {n} expert labels do." for name, n, votes in rows if n and not votes]
    lost = [name for name, n, votes in rows if votes and not n]
    if lost:
        doubts.append(
            f"no expert label is {', '.join(lost[:8])}: nothing is told of {'it' if len(lost) == 1 else 'them'}, and "
            "means over classes are those of the others."
        )
    few = [f"{name} ({n})" for name, n, _ in rows if 0 < n < FEW_EXPERTS]
    if few:
        doubts.append(f"intervals of classes with few expert labels are wide: {', '.join(few[:8])}.")
    return doubts


def _places(evidence: Evidence) -> list[str]:
    """Say what a number is taken for where classes are words: the nearest of their places."""
    if not evidence.scores or numbers_of(evidence.classes) is not None:
        return []
    order = ", ".join(f"{name} {k}" for k, name in enumerate(evidence.classes[:8]))
    way = "the positive label with --positive, or " if evidence.n_classes == 2 else ""
    return [
        f"{joined(list(evidence.scores))} {'gives' if len(evidence.scores) == 1 else 'give'} a number, which counts as "
        f"the nearest of {order}{' …' if evidence.n_classes > 8 else ''}; if the classes have no such order, name "
        f"{way}the class that is chosen, or a column of numbers per class."
    ]


def without_rows(methods: Sequence[Method], rows: Sequence[Estimate]) -> list[str]:
    """Name the methods that give none of the metrics."""
    silent = [method.name for method in methods if all(row.method != method.name for row in rows)]
    return [f"{joined(silent)} {'gives' if len(silent) == 1 else 'give'} none of these metrics."] if silent else []


def check_scores(study: Study, *, strict: bool, called: bool) -> list[str]:
    """Refuse (if ``strict``) or doubt what scores show: experts chosen by them, a threshold (if ``called``) beyond."""
    doubts = []
    for name, score in study.evidence.scores.items() if not study.evidence.named else ():
        rng, ranks = generator(study.seed, "estimate", "selection"), study.assistance.ranks(name, 1)
        doubts += check_selection(name, ranks, study.evidence, strict=strict, rng=rng)
        if called and not score.min() < study.threshold <= score.max():
            doubts.append(
                f"all scores of {name} lie on one side of the threshold {study.threshold:g}; set --threshold."
            )
    return doubts


def check_selection(
    name: str, ranks: ScoreRanks, evidence: Evidence, *, strict: bool, rng: np.random.Generator
) -> list[str]:
    """Warn, or refuse if ``strict``, where the experts' items were chosen by score."""
    selection = expert_selection(ranks, evidence, rng=rng)
    return _doubt_sample(evidence, selection, f"other score ranks of {name}", "or go on", strict=strict)


def check_votes(evidence: Evidence, *, strict: bool) -> list[str]:
    """Warn, or refuse if ``strict``, where the experts' items were chosen by their votes, or by having any."""
    selection = vote_selection(evidence)
    way = "take --method maven, which models votes, or go on"
    return _doubt_sample(evidence, selection, "items with other votes, or none", way, strict=strict)


def _doubt_sample(evidence: Evidence, selection: Selection, where: str, way: str, *, strict: bool) -> list[str]:
    """Warn, or refuse, where too many of the experts' items would have to move elsewhere to be a random sample."""
    if evidence.weight is not None or selection.p_value >= DOUBTFUL:
        return []
    doubt = (
        f"the experts' items are no random sample: {selection.moved:.0%} of them would have to move to {where} "
        f"(p {selection.p_value:.1g})"
    )
    if strict and selection.p_value < REFUSED and selection.moved > FAR:
        raise InputError(
            f"{doubt}; estimates would be biased. Give each expert label the weight 1 / (its chance of being chosen) "
            f"in a column weight of the experts' file, {way} regardless with --selection ignore."
        )
    return [f"{doubt}; estimates may be biased unless weights are given."]


def vote_selection(evidence: Evidence) -> Selection:
    """Test whether experts' items are a random sample in their votes: a few groups by vote share, and no votes.

    Of a positive class it is that class's share, of others the largest. Items without votes are a group if a random
    sample has one of them.
    """
    voted, experts = evidence.total > 0, int(evidence.has_label.sum())
    votes = evidence.positive if evidence.n_classes == 2 else evidence.votes.max(1)
    share = votes[voted] / evidence.total[voted]
    edges = np.unique(np.quantile(share, np.arange(1, BINS - 1) / (BINS - 1), method="inverted_cdf"))
    group = np.full(evidence.n_items, BINS - 1 if int((~voted).sum()) * experts >= evidence.n_items else 0)
    group[voted] = np.searchsorted(edges, share)
    table, chosen = (np.bincount(part, minlength=BINS) for part in (group, group[evidence.has_label]))
    if _whole_clusters(evidence):
        return _test_clusters(np.zeros(evidence.n_items, int), group, chosen[None], table[None], evidence)
    return _test(chosen[None], table[None])


def expert_selection(ranks: ScoreRanks, evidence: Evidence, *, rng: np.random.Generator) -> Selection:
    """Test whether experts' items are a random sample in their score ranks, given their votes.

    Choosing them by score moves the AUC by 0.04 where those near the threshold are taken more often. Within each vote
    count items are cut into five bins by score; the experts' numbers per bin have a known (hypergeometric) mean and
    covariance if drawn at random, and their sums give a chi².
    """
    ballot = evidence.total * (int(evidence.total.max()) + 1) + evidence.positive
    ballots = np.unique(ballot)
    stratum = np.searchsorted(ballots, ballot).astype(np.int16 if len(ballots) < FEW_KEYS else np.int64)
    order = ranks.shuffled(rng)
    order = order[np.argsort(stratum[order], kind="stable")]
    size = np.bincount(stratum)
    rank = np.arange(len(order)) - np.repeat(np.cumsum(size) - size, size)
    cell = stratum[order].astype(np.int64) * BINS + rank * BINS // np.repeat(size, size)
    table, chosen = (np.bincount(part, minlength=len(size) * BINS) for part in (cell, cell[evidence.has_label[order]]))
    table, chosen = table.reshape(-1, BINS), chosen.reshape(-1, BINS)
    if _whole_clusters(evidence):
        place = np.empty_like(cell)
        place[order] = cell
        return _test_clusters(place // BINS, place % BINS, chosen, table, evidence)
    return _test(chosen, table)


def doubt_votes(votes: VoteFit) -> list[str]:
    """Say so where the vote model does not describe the experts' labels."""
    misfit = vote_misfit(votes)
    if misfit.p_value >= DOUBTFUL:
        return []
    return [
        f"the experts' labels do not follow the vote model (p {misfit.p_value:.1g}): of {misfit.items:,} items with "
        f"similar votes experts called {misfit.positive:,} positive, where it expects {misfit.expected:.1f}; its "
        "intervals may miss, so trust --method assisted."
    ]


def vote_misfit(votes: VoteFit) -> VoteMisfit:
    """Compare the experts' labels with what the vote model expects of items with the same votes.

    Ballots are joined, in order of the share of positives expected, into a few groups; each group's
    experts have a known mean and variance of positives, and the squares add up to a chi². The
    posterior has seen these labels, so the test is cautious: it says p too large rather than too
    small.
    """
    sets = votes.sets
    ballot = sets.ballots[2]
    experts = np.bincount(ballot, sets.size * sets.has_label)
    positive = np.bincount(ballot, sets.size * (sets.has_label & sets.possible[:, 1]))
    share = np.exp(votes.law.label[:, ~sets.has_label, 1])  # sets without a label are in the order of ballots
    order = np.argsort(share.mean(0), kind="stable")
    joined = join_neighbours(experts[order], GROUPS, FEWEST)
    member = np.eye(joined.max() + 1)[joined][np.argsort(order)]
    expected = (share * experts) @ member
    spread = (share.mean(0) * (1 - share.mean(0)) * experts) @ member + expected.var(0)
    away = positive @ member - expected.mean(0)
    squares = away**2 / np.maximum(spread, 1e-9)
    worst = int(squares.argmax())
    return VoteMisfit(
        p_value=float(chdtrc(len(squares), squares.sum())),
        items=int((experts @ member)[worst]),
        positive=int((positive @ member)[worst]),
        expected=float(expected.mean(0)[worst]),
    )


def hide_model(rows: Sequence[Estimate], misfit: VoteMisfit, confidence: float) -> list[str]:
    """Say why a model's estimates are not to be shown beside the assisted ones, if there is a reason.

    If the model is right it is the more precise of two unbiased estimators, so Var(assisted - model) =
    Var(assisted) - Var(model) [hausman1978]; less than a quarter of Var(assisted) is not believed.
    """
    reasons = [f"p {misfit.p_value:.1g} of the vote test"] if misfit.p_value < DOUBTFUL else []
    assisted = {(row.system, row.metric): row for row in rows if row.method == ASSISTED.name}
    furthest = max((_apart(row, assisted, confidence) for row in rows), key=itemgetter(0), default=(0.0, ""))
    if furthest[0] > APART:
        reasons.append(f"its {furthest[1]} lies {furthest[0]:.1f} standard errors from the assisted one")
    return [f"MAVEN's model does not describe this crowd ({'; '.join(reasons)}); it is not shown."] if reasons else []


def _apart(row: Estimate, assisted: Mapping[tuple[str | None, str], Estimate], confidence: float) -> tuple[float, str]:
    """How many standard errors a model's estimate lies from the assisted one, and of what."""
    other = assisted.get((row.system, row.metric))
    if not METHODS[row.method].models_votes or other is None or row.width is None or not other.width:
        return 0.0, row.metric
    spread = np.sqrt(max(other.width**2 - row.width**2, other.width**2 / 4)) / (2 * ndtri(0.5 + confidence / 2))
    return abs((row.value or 0.0) - (other.value or 0.0)) / float(spread), row.metric


def doubt_sampling(diagnostics: Mapping[str, Any] | None, rows: Sequence[Estimate]) -> list[str]:
    """Say where the sampling cannot be trusted, and which metrics are not defined."""
    doubts = []
    if diagnostics is not None and diagnostics["verdict"] == "poor":
        doubts.append(
            "the sampling cannot be trusted (see diagnostics): get more expert labels, or check with --engine nuts."
        )
    lost = sorted({f"{row.metric} ({row.method})" for row in rows if row.value is None})
    if lost:
        doubts.append(f"not defined on these items: {', '.join(lost)}.")
    return doubts


def _named(word: str, source: object) -> str:
    """Name a file after a word; nothing where the source is no file."""
    return f"{word}{source}" if isinstance(source, str | PathLike) else ""


def _check_scores(name: str, score: Array, source: object) -> None:
    missing = int((~np.isfinite(score)).sum())
    if missing:
        raise InputError(
            f"{missing:,} scores of {name} are not numbers (NaN or infinite): a rank cannot be given to them; remove "
            "the items or mend the scores."
        )
    if len(score) and (score == score[0]).all():
        raise InputError(f"all scores of {name}{_named(' in ', source)} are equal: there is no ranking to judge.")


def _few_experts(negative: int, positive: int) -> list[str]:
    if min(negative, positive) >= FEW_EXPERTS:
        return []
    few, which = min((positive, "positive"), (negative, "negative"))
    more = round((FEW_EXPERTS - few) * (negative + positive) / few)
    return [
        f"only {few} of the expert labels {'is' if few == 1 else 'are'} {which}; intervals are honest but too wide to "
        f"decide much: label about {more:,} more."
    ]


def _separated(evidence: Evidence) -> list[str]:
    called = evidence.label[evidence.has_label]
    return [
        f"the scores of {name} put every expert positive above every expert negative: how far above cannot be told, "
        "and intervals rest on the prior."
        for name, score in evidence.scores.items()
        if score[evidence.has_label][called == 1].min() > score[evidence.has_label][called == 0].max()
    ]


def _test(chosen: Array, table: Array) -> Selection:
    n, experts = table.sum(1), chosen.sum(1)
    share = table / np.maximum(n, 1)[:, None]
    away = (chosen - experts[:, None] * share).sum(0)
    factor = np.where(n > 1, experts * (n - experts) / np.maximum(n - 1, 1), 0.0)
    covariance = np.diag(factor @ share) - np.einsum("s,sb,sc->bc", factor, share, share)
    keep = np.flatnonzero(table.sum(0))[1:]  # the first bin is what the others leave
    inverse = np.linalg.pinv(covariance[np.ix_(keep, keep)])
    statistic = float(away[keep] @ inverse @ away[keep])
    return Selection(float(chdtrc(len(keep), statistic)) if len(keep) else 1.0, _moved(away, chosen))


def _whole_clusters(evidence: Evidence) -> bool:
    """Tell whether experts took documents, not items: those they touched are fewer than items one by one would."""
    if evidence.cluster is None:
        return False
    _, member, size = np.unique(evidence.cluster, return_inverse=True, return_counts=True)
    touched = len(np.unique(member[evidence.has_label]))
    return bool(touched < TOUCHED * (1 - (1 - evidence.has_label.mean()) ** size).sum())


def _test_clusters(stratum: Array, group: Array, chosen: Array, table: Array, evidence: Evidence) -> Selection:
    """Test the same where experts take whole documents: Hotelling's F of what each adds to the sums [hotelling1931].

    Items of a document are alike, so one by one they would be no random sample even if the documents are.
    """
    assert evidence.cluster is not None
    share = table / np.maximum(table.sum(1), 1)[:, None]
    experts = np.flatnonzero(evidence.has_label)
    _, member = np.unique(evidence.cluster[experts], return_inverse=True)
    rows = np.eye(table.shape[1])[group[experts]] - share[stratum[experts]]
    added = np.stack([np.bincount(member, column) for column in rows.T], 1)
    keep = np.flatnonzero(table.sum(0))[1:]
    n, k = len(added), len(keep)
    away = added.sum(0)
    if n <= k or not k:
        return Selection(1.0, _moved(away, chosen))
    explained = float(away[keep] @ np.linalg.pinv(added[:, keep].T @ added[:, keep]) @ away[keep])
    f = (n - k) / k * explained / max(n - explained, 1e-9)
    return Selection(float(fdtrc(k, n - k, f)), _moved(away, chosen))


def _moved(away: Array, chosen: Array) -> float:
    """Share of the experts' items that would have to move to another group."""
    return 0.5 * float(np.abs(away).sum()) / max(int(chosen.sum()), 1)
