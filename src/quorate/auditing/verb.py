"""`audit`: can I trust this test at my sizes – its error rate, power and coverage?"""

from quorate._errors import InputError
from quorate._journal import journal_path
from quorate._question import asks
from quorate._tasks import run_tasks
from quorate.auditing.null_worlds import StudyDesign
from quorate.auditing.question import AuditQuestion
from quorate.auditing.result import Audit
from quorate.auditing.trials import audit_rows, check_trials, is_block, run_block
from quorate.metrics.preferences import WIN_RATE
from quorate.metrics.registry import choose_metric, find_metric
from quorate.populations.choice import choose
from quorate.populations.population import Population

BLOCK = 250
"""Replicates that share a seed: numbers depend on the block, never on workers, order or resume."""


def answer(question: AuditQuestion) -> Audit:
    """Draw many studies from a population and try tests on them.

    Examples
    --------
    >>> result = audit("dices", items=50, raters=3, metric="agreement", null="sharp", replicates=500)
    >>> result.rows[0].test, bool(result.rows[0].low < 0.05 < result.rows[0].high)
    ('default', True)
    """
    chosen = choose(question)
    study = _study(question, question.peopled(chosen.population))
    settings = question.settings(population=chosen.settings | study.population.parameters(), metric=study.metric.name)
    world = study.world()
    trials, warnings = check_trials(study, world)
    blocks = range(-(-question.replicates // BLOCK))
    sizes = {block: min(BLOCK, question.replicates - block * BLOCK) for block in blocks}
    everything = {**settings, "population": study.population.to_dict(), "seed": question.seed}
    outcomes = run_tasks(
        run_block,
        {str(block): (study, trials, world, block, size) for block, size in sizes.items()},
        settings=everything,
        execution=question,
        journal=journal_path("audit", everything),
        fits=is_block,
        label=f"audit {study.metric.name}" if question.progress else None,
    )
    rows, truth = audit_rows(
        list(outcomes.values()), trials, study.no_difference, question.confidence, question.mc_confidence
    )
    return Audit(
        rows=rows,
        truth=truth,
        no_difference=study.no_difference,
        metric=study.metric.name,
        n_items=question.items,
        n_raters=question.raters,
        pool=study.population.parameters().get("pool"),
        confidence=question.confidence,
        mc_confidence=question.mc_confidence,
        seed=question.seed,
        settings=settings,
        warnings=(*chosen.warnings, *warnings),
        load_report=chosen.load_report,
        inputs=question.inputs(),
    )


audit = asks("audit", AuditQuestion, answer)


def _study(question: AuditQuestion, population: Population) -> StudyDesign:
    if population.votes is not None:
        return _vote_study(question, population)
    labels = population.labels
    rated = question.metric is not None and find_metric(question.metric, positive=0).base.rates_systems
    positive = labels[-1] if labels else None
    metric = choose_metric(
        question.metric, population.scale_kind, labels=labels, positive=positive, variant=question.variant, rated=rated
    )
    return StudyDesign(question.travelling(), population, metric)


def _vote_study(question: AuditQuestion, population: Population) -> StudyDesign:
    """Votes have one metric, and worlds without a difference of one kind: equal systems."""
    if question.metric not in (None, WIN_RATE.name):
        raise InputError("Votes side by side are compared by how often a system is preferred; leave --metric out.")
    if question.null not in (None, "sharp") or question.answers != 1:
        raise InputError("Votes side by side have no answers, and one null, sharp: leave --answers and --null out.")
    return StudyDesign(question.travelling(), population, WIN_RATE)
