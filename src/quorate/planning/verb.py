"""`plan`: how many items × raters must I buy to see a difference I care about?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from quorate._errors import InputError
from quorate._question import asks
from quorate.planning.boards import Neighbours, joint, plan_board
from quorate.planning.question import NEW_RATERS, PlanQuestion
from quorate.planning.recommend import Recommendation, purchases, recommend
from quorate.planning.result import Planned
from quorate.planning.search import StudySize, StudySource
from quorate.planning.sources.population import population_source
from quorate.planning.words import DesignCost, say_plan
from quorate.populations.choice import ChosenPopulation, choose

if TYPE_CHECKING:
    from quorate.data.evaluation import Evaluation
    from quorate.populations.side_by_side import SideBySide

CURVE = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
"""Parts of the recommended number of items at which the power is told."""


@dataclass(frozen=True)
class Ground:
    """What a plan stands on: from a metric's name to the source of its laws, and what was read for it.

    `other` is the source of the other design of rated outputs, where the pilot shows it, and `paired` which is which.
    Of votes there may be more than two `systems`, and the `neighbours` a pilot shows on their board.
    """

    source: Callable[[str | None], StudySource]
    settings: Mapping[str, Any]
    load_report: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    other: StudySource | None = None
    paired: bool = False
    systems: int = 2
    neighbours: tuple[Neighbours, ...] = ()


def answer(question: PlanQuestion, ground: Ground | None = None) -> Planned:
    """Recommend the cheapest number of items and raters that will settle the question.

    Examples
    --------
    >>> planned = plan("dices", difference=0.05)
    >>> planned.best.n_raters, 0.8 <= planned.best.power < 0.81
    (1, True)
    """
    ground = find_ground(question) if ground is None else ground  # one that is known saves reading the data again
    tested = question if ground.systems == 2 else joint(question, ground.systems)
    each = [recommend(_within_reach(ground.source(metric), question), tested) for metric in question.metrics]
    cheapest = min(each, key=lambda recommendation: recommendation.best.cost)
    by_metric = {one.search.source.metric.name: one.best for one in each}
    return _planned(question, ground, cheapest, by_metric)


plan = asks("plan", PlanQuestion, answer)


def _within_reach(source: StudySource, question: PlanQuestion) -> StudySource:
    """Refuse a difference that no two systems can have, as where 5 stands for five points in a hundred."""
    typed = question.variance is not None  # which knows no ends of scores
    for flag, asked in (("--difference", question.difference), ("--margin", question.margin)):
        if asked is not None and asked > source.reach and not typed:
            raise InputError(
                f"{flag} {asked:g} is more than two systems can differ in {source.metric.title}, {source.reach:g}; a "
                "share is written 0.05, not 5."
            )
    return source


def find_ground(question: PlanQuestion) -> Ground:
    """Read the pilot a question names, or find its population; what it does not stand on is not imported."""
    if question.variance is not None:
        from quorate.planning.sources.typed_variance import variance_source

        return Ground(lambda metric: variance_source(question, metric), {})
    if question.pilot is not None:
        from quorate.data.evaluation import evaluation_of, load_report

        ratings, systems = question.pilot
        report = (*load_report(ratings), "", *systems.load_report)
        evaluation = _evaluation(question, evaluation_of(ratings, systems, report))
        return _pilot_ground(question, evaluation, {"pilot": [evaluation.ratings.name, evaluation.name]})
    if question.rated_system is not None:
        return _rated_ground(question)
    if question.with_answers is not None:
        evaluation = _evaluation(question, question.from_ratings, question.with_answers, question.systems)
        return _pilot_ground(question, evaluation, {})
    given: Evaluation | None = None
    if question.from_ratings is not None:
        from quorate.data.evaluation import read_evaluation

        given = read_evaluation(question.from_ratings, system_column=question.system_column, reading=question)
        if given.votes is not None:
            return _vote_ground(question, given)
    chosen = choose(question, given)
    if chosen.population.votes is not None:
        return _typed_votes(question, chosen, chosen.population.votes)
    question.refuse(("tie_share", "n_systems"), "here: it belongs to --preset preference, votes side by side.")
    return Ground(
        lambda metric: _of_population(question, chosen, metric),
        {"population": chosen.settings},
        chosen.load_report,
        chosen.warnings,
    )


def _evaluation(
    question: PlanQuestion, ratings: Any, answers: Any = None, systems: Sequence[str] | None = None
) -> "Evaluation":
    """Read ratings and answers, or pass on what is read already, which takes no options of reading."""
    from quorate.data.evaluation import read_evaluation

    return read_evaluation(
        ratings,
        answers,
        rated_system=question.rated_system,
        systems=systems,
        missing=question.missing,
        system_column=question.system_column,
        run_column=question.run_column,
        reading=question,
    )


def _typed_votes(question: PlanQuestion, chosen: ChosenPopulation, votes: "SideBySide") -> Ground:
    from quorate.planning.sources.votes import preference_source, refuse_for_votes, typed_world

    refuse_for_votes(question)
    if question.unit not in ("auto", "items+raters"):
        raise InputError(
            f"--unit {question.unit} is for a pilot; --pool 100 --rater-share 0 plans for voters who are alike."
        )
    world = typed_world(question, votes)
    settings = {"population": chosen.settings | world.parameters(), "tie_share": world.ties}
    return Ground(lambda _: preference_source(question, world), settings, systems=question.n_systems or 2)


def _vote_ground(question: PlanQuestion, given: "Evaluation") -> Ground:
    from quorate.planning.sources.votes import board_sources, planned_votes, refuse_for_votes, vote_pilot_source

    refuse_for_votes(question)
    evaluation = planned_votes(question, given)
    names, votes = evaluation.system_names, evaluation.votes
    assert votes is not None
    neighbours: tuple[Neighbours, ...] = ()
    if len(names) == 2:
        source = vote_pilot_source(question, evaluation)
    else:
        source, neighbours = board_sources(question, votes)
    notes = tuple(f"{note}." for note in evaluation.notes)
    return Ground(
        lambda _: source,
        {"systems": names},
        evaluation.load_report,
        notes,
        systems=len(names),
        neighbours=neighbours,
    )


def _pilot_ground(question: PlanQuestion, evaluation: "Evaluation", settings: Mapping[str, Any]) -> Ground:
    from quorate.planning.sources.pilot_source import pilot_source, two_systems

    pair = two_systems(question, evaluation.answers)
    return Ground(
        lambda metric: pilot_source(question, evaluation.ratings, pair, metric),
        {**settings, "systems": list(pair)},
        evaluation.load_report,
        tuple(f"{note}." for note in evaluation.notes),
    )


def _rated_ground(question: PlanQuestion) -> Ground:
    """Read a pilot of rated outputs."""
    from quorate.planning.sources.rated_pilot import rated_designs

    evaluation = _evaluation(question, question.from_ratings, systems=question.systems)
    designs = rated_designs(question, evaluation, question.metrics[0])
    return Ground(
        lambda _: designs.source,
        {"systems": list(question.systems or evaluation.systems)},
        evaluation.load_report,
        tuple(f"{note}." for note in evaluation.notes),
        designs.other,
        designs.paired,
    )


def _of_population(question: PlanQuestion, chosen: ChosenPopulation, metric: str | None) -> StudySource:
    """Return the source of a population: raters lean, come back, share the work, or are new."""
    population = chosen.population
    people = (population.leanings, population.crossed_ratings, chosen.ratings, question.pool)
    known = any(each is not None for each in people)
    if question.unit not in (*NEW_RATERS, "auto", *(["items+raters"] if known else [])):
        raise InputError(
            f"--unit {question.unit} needs a pilot that shows who answered what: name RATINGS and ANSWERS, or leave it "
            "out."
        )
    if not known:
        return population_source(question, population, metric)
    from quorate.planning.sources.returning_raters import leaning_source, pool_source, rated_source, resampled_source

    if population.leanings is not None:
        return leaning_source(question, population.leanings, metric)
    if population.crossed_ratings is not None:
        return resampled_source(question, population.crossed_ratings, metric)
    if chosen.ratings is not None and question.rater_share is None and question.unit in ("auto", "items+raters"):
        return rated_source(question, population, chosen.ratings, metric)
    return (population_source if question.pool is None else pool_source)(question, population, metric)


def _planned(
    question: PlanQuestion, ground: Ground, chosen: Recommendation, by_metric: dict[str, StudySize]
) -> Planned:
    search, source, choices, best = chosen.search, chosen.search.source, purchases(chosen), chosen.best
    if question.there is not None:
        best = replace(search.size(choices[0].size.n_items, choices[0].size.n_raters), cost=choices[0].cost)
    people = source.people.report(search, best)
    others = by_metric if len(by_metric) > 1 else None
    pool = None if people is None else people.used
    board = plan_board(search, best, ground.systems, ground.neighbours, pool) if ground.systems > 2 else None
    return Planned(
        metric=source.metric.name,
        effect=source.effect,
        goal=question.wanted,
        best=best,
        options=choices,
        by_raters=chosen.by_raters,
        words=say_plan(search, best, choices[0], people, others, board),
        board=board,
        grid=chosen.grid,
        curve=_curve(chosen, best),
        by_metric=others,
        people=people,
        pilot=source.doubt(search, best),
        designs=_designs(question, ground, best),
        search=search,
        seed=question.seed,
        settings=question.settings(**_resolved(question, ground, chosen), metric=list(by_metric)),
        warnings=(*ground.warnings, *chosen.warnings, *_idle_options(question)),
        load_report=ground.load_report,
        inputs=question.inputs(),
    )


def _idle_options(question: PlanQuestion) -> tuple[str, ...]:
    """Say which options do nothing here."""
    if not question.expert_price:
        return ()
    return ("--expert-price does nothing here: a plan buys items and ratings; estimate --target-width buys experts.",)


def _designs(question: PlanQuestion, ground: Ground, best: StudySize) -> tuple[DesignCost, ...]:
    """What both designs of rated outputs cost: the pilot's own, and the other."""
    if ground.other is None or question.sizes_given or question.there is not None:
        return ()
    other = recommend(ground.other, question).best
    return DesignCost.of(best, paired=ground.paired), DesignCost.of(other, paired=not ground.paired)


def _resolved(question: PlanQuestion, ground: Ground, chosen: Recommendation) -> dict[str, Any]:
    """What was found for what was asked, or for what nobody asked."""
    return {
        **ground.settings,
        "goal": str(question.wanted),
        "answers": chosen.search.source.answers,
        "items": question.item_numbers,
        "raters": question.rater_numbers,
        "have": question.there,
        "min_items": question.floor,
    }


def _curve(chosen: Recommendation, best: StudySize) -> tuple[tuple[int, float], ...]:
    """Power at a quarter to double the recommended items, as far as people can do them."""
    search, k = chosen.search, best.n_raters
    most = max(search.most_items(k), 2)
    items = sorted({min(max(2, round(best.n_items * share)), most) for share in CURVE})
    return tuple((n, best.power if n == best.n_items else search.size(n, k).power) for n in items)
