"""`simulate`: draw a study in the files `compare` reads, or a crowd's votes for `estimate`; `presets`: from what?"""

import polars as pl

from quorate._question import Question, asks
from quorate._random import generator
from quorate.populations.choice import all_presets, choose
from quorate.populations.crowds import CROWDS
from quorate.simulating.long_tables import answers_table, crowd_tables, rated_table, ratings_table
from quorate.simulating.question import SimulateQuestion
from quorate.simulating.result import CrowdSimulation, PresetList, Simulation

EXPERT_SHARE = 0.05


def answer(question: SimulateQuestion) -> Simulation | CrowdSimulation:
    """Draw one study: ratings and the answers of systems A and B, or a crowd's votes, expert labels and scores.

    Examples
    --------
    >>> study = simulate("dices", items=3, raters=2, effect=0.3, answers="probabilities")
    >>> study.ratings.columns, study.answers.columns
    (['item', 'rater', 'response'], ['item', 'system', 'No', 'Unsure', 'Yes'])
    >>> simulate("irt", items=200, raters=3, expert_share=0.1).experts.height
    20
    """
    return _study(question) if question.crowd is None else _crowd(question, question.crowd)


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


def _study(question: SimulateQuestion) -> Simulation:
    chosen, seed = choose(question), question.seed
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
