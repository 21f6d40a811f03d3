"""What a reader must know: which comparisons were counted together, and what not to trust."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from quorate._text import count, percent
from quorate.comparing.judged_pairs import JudgedPair, raters_return
from quorate.comparing.question import RATERS
from quorate.comparing.result import Pair
from quorate.comparing.side_by_side import vote_warnings
from quorate.comparing.tested_pairs import PairTest
from quorate.comparing.words import drawn_word
from quorate.data.evaluation import Evaluation
from quorate.data.ratings import Ratings
from quorate.data.summaries import Probabilities
from quorate.inference.crossed import FEW_RATERS, effective_number
from quorate.inference.influence import splits_by_rater
from quorate.inference.procedures import Procedure
from quorate.inference.runs import named_runs
from quorate.inference.sample_size import DesignEffect
from quorate.inference.scored_systems import ScoredSystems
from quorate.metrics.item_scores import clipped_cells

FEW_CLUSTERS = 20
"""Fewer groups say too little of the variance between them, and are mostly categories, no sample."""
FEW_ITEMS = 30
"""The floor of items that plans keep too."""
MANY_RESPONSES = 20
"""From so many to an item on, more of them tell little: it is items that lack."""
LARGE_DESIGN_EFFECT = 1.5
BORROWED = (
    "Pairs borrow from each other how far raters differ. Should people differ along one line only, a false claim may "
    "come in 10 % of studies in place of 5 %; --systems {} alone."
)
"""Measured in docs/methods/calibration.md, where one leaning moves all systems."""
RANKS = (
    "A margin of Spearman correlation holds roughly: where a few items fail altogether, a system that is worse by the "
    "margin may pass in 7 % of studies in place of 2.5 %."
)
"""Measured in docs/methods/calibration.md, gates of set scores."""
SHOWING = 100
"""From so many items on, a failure on 5 % of them shows, and lopsided differences no longer mislead."""


def family_words(n_pairs: int, n_metrics: int, n_groups: int, procedure: Procedure) -> str:
    """Say which comparisons are judged together."""
    how = "max-T" if procedure.pivotal else "Bonferroni"
    parts = [count(n_pairs, "pair"), *([count(n_metrics, "metric")] if n_metrics > 1 else [])]
    words = [f"Intervals and p hold for {' × '.join(parts)} at once ({how})."] if n_pairs * n_metrics > 1 else []
    if n_groups:
        parts.append(count(n_groups, "group"))
        words.append(f"Within groups, intervals and p hold for {' × '.join(parts)} at once ({how}).")
    return " ".join(words)


def one_scorer_words(evaluation: Evaluation, test: PairTest) -> str:
    """Say what varies where one scorer gave every mark, or one rater every vote; nothing where people rated."""
    if _one_voter(evaluation):
        return "One rater cast every vote, so only items vary; whether others would agree is another question."
    if evaluation.kind != "scores":
        return ""
    drawn = "items and runs" if test.runs and test.procedure.pivotal else "items"
    return f"One scorer gave every mark, so only {drawn} vary; whether people would agree is another question."


def _one_voter(evaluation: Evaluation) -> bool:
    return evaluation.votes is not None and evaluation.ratings.n_raters == 1


def comparison_warnings(
    evaluation: Evaluation,
    scored: Sequence[ScoredSystems],
    pairs: Sequence[Pair],
    test: PairTest,
    effects: dict[str, DesignEffect],
    groups: Mapping[str, Sequence[JudgedPair]],
    by: str | None,
) -> tuple[str, ...]:
    """Return the warnings that belong to a comparison, each a sentence."""
    warnings = [f"{note}." for note in evaluation.notes]
    if evaluation.split:
        warnings.append(
            "Each item has one system, so the comparison is unpaired: what makes items easy or hard does not cancel. "
            "Answers of both systems to the same items would need only a share 1 − r of them, r the correlation of the "
            "systems' item scores."
        )
    warnings += _unit_notes(evaluation.ratings, test, effects)
    if evaluation.kind != "scores" and not _one_voter(evaluation):
        warnings += _rater_notes(evaluation.ratings, scored, pairs, test)
    warnings += _group_notes(evaluation.ratings, test, groups, by)
    warnings += _run_notes(evaluation, test)
    if test.procedure.note:
        warnings.append(f"The {test.procedure.name} test {test.procedure.note}.")
    if evaluation.votes is not None:
        warnings += vote_warnings(evaluation.votes, scored[0])
    graded = {systems.metric.name: evaluation.votes is None and _graded(systems) for systems in scored}
    for pair in pairs:
        warnings += _pair_notes(pair, graded[pair.metric])
        if pair.metric == "spearman" and test.margin is not None and pair.verdict in ("not_worse", "equivalent"):
            warnings.append(RANKS)
    for systems in scored:
        clipped = sum(clipped_cells(system) for system in systems.systems if isinstance(system, Probabilities))
        if systems.metric.lifts_zeros and clipped:
            cells = count(clipped, "probability", "probabilities")
            warnings.append(f"{cells} below 1e-6 were lifted to it for {systems.metric.name}.")
    return tuple(dict.fromkeys(warnings))


def _graded(systems: ScoredSystems) -> bool:
    """Tell whether an item can be lost by more or less."""
    return not all(np.isin(values, (0, 1)).all() for values in systems.values)


def _run_notes(evaluation: Evaluation, test: PairTest) -> Iterable[str]:
    """Say whether runs were counted as drawn at random, and ask for their names where they have none."""
    named = [name for name, answers in evaluation.answers.items() if named_runs(answers) > 1]
    if named and test.procedure.pivotal:
        yield f"Runs of {', '.join(named)} count as drawn at random, each the same run on all items."
        single = [name for name, answers in evaluation.answers.items() if (answers.summary.size <= 1).all()]
        if single:
            yield f"{', '.join(single)} answered once: what another run of it would score is not known, nor counted."
    elif named:
        yield f"Runs of {', '.join(named)} are averaged; what a lucky run adds on all its items is not counted here."
    unnamed = [
        name
        for name, answers in evaluation.answers.items()
        if answers.run is None and not isinstance(answers.summary, Probabilities) and (answers.summary.size > 1).any()
    ]
    if unnamed:
        yield (
            f"{', '.join(unnamed)} answered items several times and runs have no names: if a run answered many items, "
            "what a lucky one adds to all of them is not counted; name the runs with --run-column."
        )


def _pair_notes(pair: Pair, graded: bool) -> Iterable[str]:
    """Say what not to trust of a pair; `graded` where an item may be lost by more than one was seen to be."""
    for system, score in ((pair.a, pair.score_a), (pair.b, pair.score_b)):
        if np.isnan(score):
            yield f"{pair.metric} is not defined for {system}: it would divide by nothing."
    better = pair.score_a - pair.score_b if pair.better == "high" else pair.score_b - pair.score_a
    if np.isnan(better) or np.isnan(pair.difference) or pair.verdict == "identical":
        return
    if pair.test == "wilcoxon" and better * pair.difference < 0:
        yield f"{pair.a} and {pair.b}: ranks favour one system and the mean score the other; trust the mean."
    if pair.se == 0:
        yield (
            f"{pair.a} and {pair.b} differ by the same amount {'to' if pair.unit == 'raters' else 'on'} every "
            f"{drawn_word(pair)}: "
            "the interval holds what could have gone unseen."
        )
    elif np.isnan(pair.low):
        yield f"{pair.a} and {pair.b}: {pair.metric} hangs on single items, so there is no interval."
    elif pair.n_items < SHOWING and pair.verdict in ("a_better", "b_better") and graded:
        share = percent(1 - ((1 - pair.confidence) / 2) ** (1 / pair.n_items))
        yield (
            f"{pair.a} and {pair.b}: with {pair.n_items} items a failure on fewer than {share} of them might not have "
            "shown; if rare failures matter, ask more items."
        )
    elif np.isinf(pair.low):
        yield f"{pair.a} and {pair.b}: too few items for an interval with the {pair.test} test."


def _unit_notes(ratings: Ratings, test: PairTest, effects: dict[str, DesignEffect]) -> list[str]:
    """Say what the unit leaves out: items that move together, few items, few clusters."""
    sentences = []
    if ratings.n_items < FEW_ITEMS:
        each, few = ratings.n_responses / ratings.n_items, f"Only {count(ratings.n_items, 'item')}"
        sentences.append(
            f"{few}: intervals rest on few items and hold roughly."
            if each < MANY_RESPONSES
            else f"{few}, with about {each:,.0f} responses each: other items may favour another system, and intervals "
            "hold roughly. Ask more items, not more responses."
        )
    for column, effect in effects.items():
        if effect.largest > LARGE_DESIGN_EFFECT and effect.groups >= FEW_CLUSTERS and test.unit.clusters is None:
            sentences.append(
                f"Items that share {column} move together (design effect up to {effect.largest:.1f}); if your next "
                f"study would have others, use --unit cluster:{column}{'+raters' if test.unit.roster else ''}."
            )
    clusters = test.unit.clusters
    if clusters is not None:
        word, amount = "batches" if test.unit.name == "batches" else "clusters", int(clusters.max()) + 1
        equal = float(effective_number(np.bincount(clusters)))
        worth = f" (worth {equal:.1f} equal ones)" if equal < 0.9 * amount else ""
        if equal < FEW_CLUSTERS:
            sentences.append(f"Only {amount:,} {word}{worth}: the interval rests on few degrees of freedom.")
    return sentences


def _rater_notes(
    ratings: Ratings, scored: Sequence[ScoredSystems], pairs: Sequence[Pair], test: PairTest
) -> Iterable[str]:
    """Say what is not known of raters: who they are, what others would say."""
    if ratings.rater is None:
        yield "Raters are unknown, so those who answered several items cannot be counted; the unit is items."
        return
    busy = int((ratings.items_per_rater > 1).sum())
    whole = [systems.metric.name for systems in scored if not splits_by_rater(systems.metric)]
    if test.unit.roster is not None:
        amount = min((pair.effective_raters for pair in pairs if pair.effective_raters is not None), default=np.inf)
        if round(amount, 1) < FEW_RATERS:
            yield _few_raters(ratings.n_raters or 0, amount)
            if len({name for pair in pairs for name in (pair.a, pair.b)}) > 2:
                judges = all(pair.b == RATERS for pair in pairs)
                yield BORROWED.format("NAME tests one judge" if judges else "A,B judges a pair")
        if whole:
            yield f"Raters are not counted for {', '.join(whole)}, which cannot be split by rater."
    elif busy and test.unit.clusters is None and not test.unit.scope:
        yield (
            f"{count(busy, 'rater')} answered more than one item; their habits are not counted when only items are "
            "drawn, so intervals may be too short."
        )


def _few_raters(raters: int, amount: float) -> str:
    """Say what so few people, worth as many equal ones, cannot show: of two camps they all are of one by 2^(1 − R)."""
    worth = f" (worth {amount:.1f} equal ones)" if amount < 0.95 * raters else ""
    known = "two people cannot speak for others" if raters == 2 else "what others would say is hardly known"
    camps = f"so few cannot show two camps of people: in {percent(2 ** (1 - amount))} of studies all are of one"
    return f"Only {count(raters, 'rater')}{worth}: {known}, so intervals are wide; {camps} and agree. Ask more people."


def _group_notes(
    ratings: Ratings, test: PairTest, groups: Mapping[str, Sequence[JudgedPair]], by: str | None
) -> Iterable[str]:
    if by is None:
        return
    code, units = ratings.item_groups[by].code, [judged[0].tested.test.unit for judged in groups.values()]
    single = int((np.bincount(code) == 1).sum())
    if single:
        yield f"{count(single, 'group')} of {by} with one item left out."
    names = [unit.name for unit in units]
    for name in sorted(set(names) - {test.unit.name}):
        share = f"{names.count(name):,} of {count(len(names), 'group')}"
        yield f"Within {share} of {by} the unit is {name}: it fits who rated what there."
    if any(map(raters_return, zip(*([pair.tested for pair in judged] for judged in groups.values()), strict=True))):
        yield f"Whether the difference varies by {by} is tested for these raters, not for others."
    clusters = test.unit.clusters
    if clusters is not None and any(unit.clusters is not None for unit in units):
        pairs = np.unique(np.stack([clusters, code]), axis=1)
        if pairs.shape[1] > clusters.max() + 1:
            yield f"Clusters reach over several groups of {by}: whether they differ is tested as if they did not."
