"""`simulate`: draw a study or votes in the files `compare` reads, or a crowd for `estimate`; `presets`: from what?"""

from dataclasses import replace

import polars as pl

from quorate._errors import InputError
from quorate._question import Question, asks
from quorate._random import generator
from quorate.populations.choice import ChosenPopulation, all_presets, choose
from quorate.populations.crowds import CROWDS
from quorate.populations.side_by_side import BoardDesign, SideBySide, draw_board
from quorate.simulating.long_tables import answers_table, crowd_tables, rated_table, ratings_table, votes_table
from quorate.simulating.question import SimulateQuestion
from quorate.simulating.result import CrowdSimulation, PresetList, Simulation, VoteSimulation

EXPERT_SHARE = 0.05


def answer(question: SimulateQuestion) -> Simulation | CrowdSimulation | VoteSimulation:
    """Draw one study: ratings and the answers of systems A and B, or a crowd's votes, expert labels and scores.

    Examples
    --------
    >>> study = simulate("dices", items=3, raters=2, effect=0.3, answers="probabilities")
    >>> study.ratings.columns, study.answers.columns
    (['item', 'rater', 'response'], ['item', 'system', 'No', 'Unsure', 'Yes'])
    >>> simulate("irt", items=200, raters=3, expert_share=0.1).experts.height
    20
    >>> simulate("preference", items=50, raters=4, n_systems=3).votes.columns
    ['item', 'rater', 'system_a', 'system_b', 'winner', 'shown_first']
    """
    if question.crowd is not None:
        return _crowd(question, question.crowd)
    chosen = choose(question)
    population = question.peopled(chosen.population)
    if population.votes is not None:
        return _votes(question, chosen, population.votes)
    if question.n_systems is not None or question.pair_share is not None:
        raise InputError("--n-systems and --pair-share belong to --preset preference: votes side by side.")
    return _study(question, replace(chosen, population=population))


def list_presets(question: Question) -> PresetList:
    """List the populations that have a name.

    Examples
    --------
    >>> presets().to_frame()["name"].to_list()[:3]
    ['toxicity', 'dices', 'd3code']
    """
    return PresetList(presets=tuple(all_presets().values()), crowds=tuple(CROWDS.values()), seed=question.seed)


simulate = asks("simulate", SimulateQuestion, answer)
presets = asks("presets", Question, list_presets)


def _votes(question: SimulateQuestion, chosen: ChosenPopulation, world: SideBySide) -> VoteSimulation:
    design = BoardDesign(question.n_systems or 2, 1.0 if question.pair_share is None else question.pair_share)
    answers = (question.answers, question.answers_a, question.answers_b, question.effect_a, question.rated)
    if answers != (1, None, None, 0.0, False) or question.expert_share is not None:
        raise InputError("votes side by side are all there is: leave out answers, --effect-a, --rated and experts")
    margin = 0.0 if question.null else world.checked_effect(question.margin(question.effect))
    rng = generator(question.seed, "simulate", "votes")
    return VoteSimulation(
        votes=votes_table(draw_board(world, design, question.items, question.raters, margin, rng)),
        population=world,
        n_systems=design.n_systems,
        margin=margin,
        seed=question.seed,
        settings=question.settings(population=chosen.settings | world.parameters()),
        inputs=question.inputs(),
    )


def _study(question: SimulateQuestion, chosen: ChosenPopulation) -> Simulation:
    seed = question.seed
    answers = {
        name: question.answers if own is None else own
        for name, own in (("answers_a", question.answers_a), ("answers_b", question.answers_b))
    }
    if question.rated:
        answers = dict.fromkeys(answers, "raters")
    study = chosen.population.draw(
        n_replicates=1,
        n_items=question.items,
        n_raters=question.raters,
        answers_a=answers["answers_a"],
        answers_b=answers["answers_b"],
        effect=question.effect,
        effect_a=question.effect_a,
        null=question.null,
        rng=generator(seed, "simulate", "draw"),
    )
    labels, rng = chosen.population.labels, generator(seed, "simulate", "order")
    return Simulation(
        population=chosen.population,
        ratings=(rated_table if question.rated else ratings_table)(study, labels, rng=rng),
        answers=pl.DataFrame() if question.rated else answers_table(study, labels, rng=rng),
        rated=question.rated,
        effects=(question.effect_a, question.effect),
        null=question.null,
        seed=seed,
        settings=question.settings(population=chosen.settings, **answers),
        warnings=chosen.warnings,
        load_report=chosen.load_report,
        inputs=question.inputs(),
    )


def _crowd(question: SimulateQuestion, name: str) -> CrowdSimulation:
    share = EXPERT_SHARE if question.expert_share is None else question.expert_share
    rng = generator(question.seed, "simulate", "crowd")
    tables = crowd_tables(name, question.items, question.raters, share, rng=rng)
    return CrowdSimulation(
        crowd=name,
        n_votes=question.raters,
        votes=tables["votes"],
        experts=tables["experts"],
        scores=tables["scores"],
        truth=tables["truth"],
        seed=question.seed,
        settings=question.settings(population={"name": name, "kind": "crowd"}, expert_share=share),
    )
