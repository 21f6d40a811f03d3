"""What assists the experts: votes, scores and voters' names of all items, made ready once for all metrics."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from quorate._typing import Array
from quorate.estimating.derivatives import Labels
from quorate.estimating.evidence import Evidence
from quorate.estimating.guess import Guess, fit_guess, fit_number_guess
from quorate.estimating.intervals import MeasuredNumber, Sample, pseudo_labels
from quorate.estimating.score_ranks import ScoreRanks
from quorate.estimating.voters import voter_odds

MOST_REGRESSIONS = 10
"""Classes that are numbers and have a regression each; of more, their number has one."""
MOST_SYSTEMS = 4
"""Systems whose ranks are all columns of the guess; of more, those judged and the mean."""


@dataclass(frozen=True)
class Assistance:
    """Evidence with what metrics read of it; ``columns`` of the guess may come from other votes than those judged.

    ``measured`` remembers what was measured, by how, metric, systems and whether a population is meant.
    """

    evidence: Evidence
    threshold: float = 0.5
    columns: Array | None = None
    _ranks: dict[tuple[str, int], ScoreRanks] = field(default_factory=dict, init=False, repr=False)
    _guesses: dict[tuple[str, ...], Guess] = field(default_factory=dict, repr=False)
    _pseudo: dict[tuple[str, ...], Labels] = field(default_factory=dict, init=False, repr=False)
    _calls: dict[str, Array] = field(default_factory=dict, init=False, repr=False)
    measured: dict[tuple[object, ...], MeasuredNumber] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def sample(self) -> Sample:
        """The experts' items; weights are scaled to add up to all items."""
        evidence = self.evidence
        experts = np.flatnonzero(evidence.has_label)
        weight = np.ones(len(experts)) if evidence.weight is None else evidence.weight[experts].astype(float)
        weight = weight * evidence.n_items / max(float(weight.sum()), 1e-300)
        drift = None if evidence.label_drift is None else evidence.label_drift[experts]
        times = None if evidence.label_times is None else evidence.label_times[experts]
        return Sample(evidence.n_items, experts, evidence.label_shares, weight, evidence.cluster, drift, times)

    @cached_property
    def voted(self) -> Array:
        """1 for items with votes, 0 for others, ``(item,)``."""
        return (~np.isnan(self.evidence.vote_shares[:, 0])).astype(float)

    @cached_property
    def vote_shares(self) -> Array:
        """Shares of votes, ``(item, class)``; 0 without votes."""
        return np.asfortranarray(np.nan_to_num(self.evidence.vote_shares))

    def where_voted(self, labels: Labels) -> Labels:
        """Let only items with votes count."""
        return labels if self.voted.all() else Labels(labels.share, labels.weight * self.voted)

    @cached_property
    def alone(self) -> "Assistance":
        """The experts' items, as if there were no others."""
        return Assistance(self.evidence.keep(self.evidence.has_label), self.threshold)

    @cached_property
    def values(self) -> Array:
        """What the classes are worth, ``(class,)``: numbers as they are, others by their order."""
        return class_values(self.evidence.classes)

    def ranks(self, system: str, label: int) -> ScoreRanks:
        """The items in order of what a system gives a class."""
        if (system, label) not in self._ranks:
            outputs = self.evidence.outputs
            scores = outputs[system][:, label] if system in outputs else self._one_number(system, label)
            self._ranks[system, label] = ScoreRanks.of(scores)
        return self._ranks[system, label]

    def calls(self, system: str) -> Array:
        """1 where a system chooses the class, ``(item, class)``: the likeliest, or positive from the threshold on."""
        if system not in self._calls:
            self._calls[system] = np.stack([self._choice(system) == k for k in range(self.evidence.n_classes)]).T * 1.0
        return self._calls[system]

    def numbers(self, system: str) -> Array:
        """What a system says as a number, ``(item,)``."""
        scores = self.evidence.scores
        return scores[system] if system in scores else self.calls(system) @ self.values

    def guess(self, judged: tuple[str, ...] = ()) -> Guess:
        """The chances of the classes, one guess for all systems unless there are many."""
        key = self._key(judged)
        if key not in self._guesses:
            self._guesses[key] = self._fit(key)
        return self._guesses[key]

    def pseudo(self, judged: tuple[str, ...] = ()) -> Labels:
        """The guess corrected by the experts, every item once."""
        key = self._key(judged)
        if key not in self._pseudo:
            shares = pseudo_labels(self.sample, self.guess(key))
            self._pseudo[key] = Labels(shares, np.ones(self.sample.n_items))
        return self._pseudo[key]

    def keep(self, kept: Array) -> "Assistance":
        """Return some items only, with the guesses that all items gave."""
        experts = kept[self.sample.experts]
        guesses = {key: guess.keep(kept, experts) for key, guess in self._guesses.items()}
        return Assistance(self.evidence.keep(kept), self.threshold, _guesses=guesses)

    def _fit(self, judged: tuple[str, ...]) -> Guess:
        """Fit a regression per class, or one of their numbers where there are many."""
        sample, evidence = self.sample, self.evidence
        if evidence.n_classes > MOST_REGRESSIONS and numbers_of(evidence.classes) is not None:
            return fit_number_guess(self._number_columns(), sample.experts, sample.label, self.values, sample.member)
        columns = np.concatenate([self._own_columns, self._rank_columns(judged)], axis=2)
        return fit_guess(columns, sample.experts, sample.label, sample.member)

    def _number_columns(self) -> Array:
        """The mean vote and what systems say, ``(item, column)``; at the mean of the others without votes."""
        total = self.evidence.total
        mean = _centre(self.evidence.votes @ self.values / np.maximum(total, 1), total > 0)
        return np.stack([mean, *(self.numbers(system) for system in self.evidence.systems)], axis=1)

    @property
    def one_guess(self) -> bool:
        """Whether the same guess serves all systems."""
        return len(self.evidence.systems) <= MOST_SYSTEMS

    def _key(self, judged: tuple[str, ...]) -> tuple[str, ...]:
        return () if self.one_guess else judged

    @cached_property
    def _own_columns(self) -> Array:
        return vote_columns(self.evidence) if self.columns is None else self.columns

    def _rank_columns(self, judged: tuple[str, ...]) -> Array:
        """Normal scores of the systems' ranks, ``(class, item, column)``."""
        evidence = self.evidence
        some = range(1 if evidence.n_classes == 2 else evidence.n_classes)
        ranks = {name: np.stack([self._normal(name, k) for k in some]) for name in evidence.systems}
        if len(ranks) > MOST_SYSTEMS:
            mean = sum(ranks.values(), np.zeros(1)) / len(ranks)
            ranks = {**{name: ranks[name] for name in judged if name}, "": np.asarray(mean)}
        empty = np.zeros((len(some), evidence.n_items, 0))
        return np.stack([*ranks.values()], axis=2) if ranks else empty

    def _choice(self, system: str) -> Array:
        evidence = self.evidence
        if system in evidence.outputs:
            return np.asarray(evidence.outputs[system].argmax(1))
        if not evidence.named:
            return np.asarray(evidence.scores[system] >= self.threshold).astype(np.int64)
        return _nearest(evidence.scores[system], self.values)

    def _normal(self, system: str, label: int) -> Array:
        if system in self.evidence.outputs or self.evidence.named:
            return self.ranks(system, label).normal_scores
        return self.ranks(system, 1).normal_scores * (1 if label == 1 else -1)

    def _one_number(self, system: str, label: int) -> Array:
        """A score for a class from one number: the score itself, or how near it is to the class's own."""
        score = self.evidence.scores[system]
        return -np.abs(score - self.values[label]) if self.evidence.named else score


def vote_columns(evidence: Evidence) -> Array:
    """What votes and voters say of each class, ``(class, item, column)``; of two classes the first is enough."""
    some = range(1 if evidence.n_classes == 2 else evidence.n_classes)
    total = evidence.total
    lean = [np.log((evidence.votes[:, k] + 0.5) / (total - evidence.votes[:, k] + 0.5)) for k in some]
    columns = [np.stack([_centre(each, total > 0) for each in lean])]
    votes = evidence.named_votes
    if votes is not None and len(votes.item):
        odds = voter_odds(votes, evidence.n_items, evidence.n_classes)
        columns.append(np.stack([odds[:, k] for k in some]))
    return np.stack(columns, axis=2)


def class_values(classes: tuple[str, ...]) -> Array:
    """Numbers of the classes, ``(class,)``: themselves if all are numbers, else 0, 1, 2 …"""
    numbers = numbers_of(classes)
    return np.arange(len(classes), dtype=float) if numbers is None else numbers


def numbers_of(classes: tuple[str, ...]) -> Array | None:
    """The classes as numbers, ``(class,)``, if all of them are."""
    try:
        return np.array([float(name) for name in classes])
    except ValueError:
        return None


def _centre(column: Array, there: Array) -> Array:
    """Leave items without votes at the mean of the others."""
    return np.where(there, column, column[there].mean() if there.any() else 0.0)


def _nearest(score: Array, values: Array) -> Array:
    """The class whose number is nearest, ``(item,)``."""
    order = np.argsort(values)
    middle = (values[order][1:] + values[order][:-1]) / 2
    return np.asarray(order[np.searchsorted(middle, score)])
