"""`audit`: can I trust this test at my sizes – its error rate, power and coverage?"""

from dataclasses import replace

from quorate._errors import InputError
from quorate._journal import journal_path
from quorate._question import asks
from quorate._tasks import run_tasks
from quorate.auditing.null_worlds import StudyDesign
from quorate.auditing.question import AuditQuestion
from quorate.auditing.result import Audit
from quorate.auditing.trials import audit_rows, check_trials, run_block
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
    study = _study(question, _with_pool(chosen.population, question))
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
    labels = population.labels
    rated = question.metric is not None and find_metric(question.metric, positive=0).base.rates_systems
    positive = labels[-1] if labels else None
    metric = choose_metric(
        question.metric, population.scale_kind, labels=labels, positive=positive, variant=question.variant, rated=rated
    )
    return StudyDesign(question.travelling(), population, metric)


def _with_pool(population: Population, question: AuditQuestion) -> Population:
    pool, load, leanings = question.pool, question.load, population.leanings
    if pool is None and load is None:
        return population
    if leanings is None:
        raise InputError("--pool and --load are for --preset shared-raters; resampled ratings have --resample-pool.")
    return replace(leanings, pool=pool or leanings.pool, load=load or leanings.load)
